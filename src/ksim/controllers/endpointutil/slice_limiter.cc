#include "ksim/controllers/endpointutil/slice_limiter.h"

#include <utility>
#include <vector>

#include "ksim/client/workqueue/rate_limiters.h"

namespace ksim::controllers {

std::unique_ptr<client::RateLimiter> SliceLimiter(const ControllerContext& context, Duration max) {
  std::vector<std::unique_ptr<client::RateLimiter>> limiters;
  limiters.push_back(std::make_unique<client::ItemExponentialFailureRateLimiter>(Seconds(1), max));
  limiters.push_back(std::make_unique<client::BucketRateLimiter>(context.process, 10, 100));
  return std::make_unique<client::MaxOfRateLimiter>(std::move(limiters));
}

}  // namespace ksim::controllers
