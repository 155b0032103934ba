// TimeBudget: the time that a dispatcher may spend waiting for slow watchers. It gains 50 ms for
// every second that passes and never holds more than 100 ms.
//
// Source: apiserver pkg/storage/cacher/time_budget.go.
#pragma once
#include <algorithm>

#include "ksim/base/time.h"

namespace ksim::apiserver {

class TimeBudget {
 public:
  static constexpr Duration kMost = Milliseconds(100);
  static constexpr std::int64_t kShare = 20;  // one part in so many of the time that passes

  explicit TimeBudget(VirtualTime now) : last_(now) {}

  // Takes out the whole budget.
  Duration TakeAll(VirtualTime now) {
    const Duration earned = (now - last_) / kShare;
    last_ = now;
    const Duration all = std::min(left_ + earned, kMost);
    left_ = Duration();
    return all;
  }
  void Return(Duration unused) {
    if (unused > Duration()) left_ = std::min(left_ + unused, kMost);
  }

 private:
  VirtualTime last_;
  Duration left_;
};

}  // namespace ksim::apiserver
