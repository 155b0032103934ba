// The rate limiter of controllers of EndpointSlices: a failing key waits 1 s, 2 s, 4 s, ... up to
// `max`, and all keys share 10 a second with a burst of 100.
//
// Source: pkg/controller/endpointslice/endpointslice_controller.go NewController; the same in
// endpointslicemirroring.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "ksim/base/time.h"
#include "ksim/client/workqueue/rate_limiters.h"
#include "ksim/controllers/controller.h"

namespace ksim::controllers {

inline std::unique_ptr<client::RateLimiter> SliceLimiter(const ControllerContext& context,
                                                         Duration max) {
  std::vector<std::unique_ptr<client::RateLimiter>> limiters;
  limiters.push_back(std::make_unique<client::ItemExponentialFailureRateLimiter>(Seconds(1), max));
  limiters.push_back(std::make_unique<client::BucketRateLimiter>(context.process, 10, 100));
  return std::make_unique<client::MaxOfRateLimiter>(std::move(limiters));
}

}  // namespace ksim::controllers
