// RetryWithDeadline: whether a reflector retries an internal error on a watch without a new list.
// Errors are retried for `max_retry` since the first of a row; a row ends when `min_reset` passes
// without one. Informers have one, and so has each watch cache of an API server.
//
// Source: client-go tools/cache/retry_with_deadline.go. CLIENT-23.
#pragma once
#include <optional>

#include "ksim/base/time.h"

namespace ksim::api {

class RetryWithDeadline {
 public:
  RetryWithDeadline(Duration max_retry, Duration min_reset)
      : max_retry_(max_retry), min_reset_(min_reset) {}

  // Notes an internal error at `now`; others are not told.
  void After(VirtualTime now) {
    if (!last_ || now - *last_ >= min_reset_) first_ = now;
    last_ = now;
  }
  bool ShouldRetry(VirtualTime now) {
    if (max_retry_ <= Duration()) return false;
    if (first_ && now - *first_ <= max_retry_) return true;
    first_.reset();
    last_.reset();
    return false;
  }

 private:
  Duration max_retry_, min_reset_;
  std::optional<VirtualTime> first_, last_;
};

}  // namespace ksim::api
