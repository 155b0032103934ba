#include "ksim/client/workqueue/rate_limiters.h"

#include <algorithm>
#include <utility>

namespace ksim::client {
namespace {

constexpr Duration kItemBaseDelay = Milliseconds(5);
constexpr Duration kItemMaxDelay = Seconds(1000);
constexpr std::int64_t kBucketQps = 10;
constexpr std::int64_t kBucketBurst = 100;

}  // namespace

int FailureCounts::Get(const std::string& key) const {
  const auto it = counts_.find(key);
  return it == counts_.end() ? 0 : it->second;
}

Duration ItemExponentialFailureRateLimiter::When(const std::string& key) {
  const int failures = failures_.Count(key);
  Duration wait = base_;
  for (int i = 0; i < failures && wait < max_; ++i) wait = wait * 2;
  return std::min(wait, max_);
}

Duration MaxOfRateLimiter::When(const std::string& key) {
  Duration longest;
  for (const auto& l : limiters_) longest = std::max(longest, l->When(key));
  return longest;
}

void MaxOfRateLimiter::Forget(const std::string& key) {
  for (const auto& l : limiters_) l->Forget(key);
}

int MaxOfRateLimiter::NumRequeues(const std::string& key) const {
  int most = 0;
  for (const auto& l : limiters_) most = std::max(most, l->NumRequeues(key));
  return most;
}

std::unique_ptr<RateLimiter> DefaultControllerRateLimiter(sim::Process& clock) {
  std::vector<std::unique_ptr<RateLimiter>> limiters;
  limiters.push_back(
      std::make_unique<ItemExponentialFailureRateLimiter>(kItemBaseDelay, kItemMaxDelay));
  limiters.push_back(std::make_unique<BucketRateLimiter>(clock, kBucketQps, kBucketBurst));
  return std::make_unique<MaxOfRateLimiter>(std::move(limiters));
}

}  // namespace ksim::client
