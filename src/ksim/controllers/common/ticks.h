// Ticks: when a loop of wait.Until runs: at once, and then its period after the end of each run. A
// run that finds nothing to do takes no time, so a loop that knows this may leave it out: the ticks
// that count stay where they were.
//
// Source: apimachinery pkg/util/wait/backoff.go JitterUntilWithContext, with `sliding`.
#pragma once
#include <algorithm>

#include "ksim/base/time.h"

namespace ksim::controllers {

class Ticks {
 public:
  explicit Ticks(Duration period) : period_(period) {}
  // A run has ended at `end`; the first counts from there.
  void Ran(VirtualTime end) { last_ = end; }
  // The first tick after the last run that is not before `t`.
  VirtualTime NextAt(VirtualTime t) const {
    const std::int64_t periods =
        (std::max(t, last_) - last_ + period_ - Nanoseconds(1)).ns() / period_.ns();
    return last_ + period_ * std::max<std::int64_t>(periods, 1);
  }
  Duration period() const { return period_; }

 private:
  Duration period_;
  VirtualTime last_;
};

}  // namespace ksim::controllers
