// The rate limiters of work queues: how long a failing key waits.
//
// Source: client-go util/workqueue/default_rate_limiters.go. CLIENT-91..94.
#pragma once
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ksim/client/core/token_bucket.h"
#include "ksim/client/workqueue.h"

namespace ksim::client {

// How often each key failed since it was forgotten.
class FailureCounts {
 public:
  int Count(const std::string& key) { return counts_[key]++; }  // before this failure
  void Forget(const std::string& key) { counts_.erase(key); }
  int Get(const std::string& key) const;

 private:
  absl::flat_hash_map<std::string, int> counts_;  // looked up only
};

// base * 2^failures, at most `max`.
class ItemExponentialFailureRateLimiter : public RateLimiter {
 public:
  ItemExponentialFailureRateLimiter(Duration base, Duration max) : base_(base), max_(max) {}
  Duration When(const std::string& key) override;
  void Forget(const std::string& key) override { failures_.Forget(key); }
  int NumRequeues(const std::string& key) const override { return failures_.Get(key); }

 private:
  Duration base_, max_;
  FailureCounts failures_;
};

// One token bucket for all keys; Forget changes nothing.
class BucketRateLimiter : public RateLimiter {
 public:
  BucketRateLimiter(sim::Process& clock, std::int64_t qps, std::int64_t burst)
      : clock_(clock), bucket_(TokenBucket::PerSecond(qps, burst)) {}
  Duration When(const std::string&) override { return bucket_.Reserve(clock_.SteadyNow()); }
  void Forget(const std::string&) override {}
  int NumRequeues(const std::string&) const override { return 0; }

 private:
  sim::Process& clock_;
  TokenBucket bucket_;
};

// The longest wait of all; each is charged at every call.
class MaxOfRateLimiter : public RateLimiter {
 public:
  explicit MaxOfRateLimiter(std::vector<std::unique_ptr<RateLimiter>> limiters)
      : limiters_(std::move(limiters)) {}
  Duration When(const std::string& key) override;
  void Forget(const std::string& key) override;
  int NumRequeues(const std::string& key) const override;

 private:
  std::vector<std::unique_ptr<RateLimiter>> limiters_;
};

// `fast` for the first `max_fast` failures of a key, `slow` after.
class ItemFastSlowRateLimiter : public RateLimiter {
 public:
  ItemFastSlowRateLimiter(Duration fast, Duration slow, int max_fast)
      : fast_(fast), slow_(slow), max_fast_(max_fast) {}
  Duration When(const std::string& key) override {
    return failures_.Count(key) < max_fast_ ? fast_ : slow_;
  }
  void Forget(const std::string& key) override { failures_.Forget(key); }
  int NumRequeues(const std::string& key) const override { return failures_.Get(key); }

 private:
  Duration fast_, slow_;
  int max_fast_;
  FailureCounts failures_;
};

// The wait of `inner`, at most `max`.
class WithMaxWaitRateLimiter : public RateLimiter {
 public:
  WithMaxWaitRateLimiter(std::unique_ptr<RateLimiter> inner, Duration max)
      : inner_(std::move(inner)), max_(max) {}
  Duration When(const std::string& key) override { return std::min(inner_->When(key), max_); }
  void Forget(const std::string& key) override { inner_->Forget(key); }
  int NumRequeues(const std::string& key) const override { return inner_->NumRequeues(key); }

 private:
  std::unique_ptr<RateLimiter> inner_;
  Duration max_;
};

}  // namespace ksim::client
