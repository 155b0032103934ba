// ClockRate and TurnedClock: a clock that does not run as fast as the virtual one. Everything is
// worked out from the moment at which a rate began to hold, in whole nanoseconds: a clock is never
// stepped, and reads the same whoever looks at it and however often.
#pragma once
#include <cstdint>
#include <vector>

#include "ksim/base/time.h"

namespace ksim::sim {

// How fast a clock runs: an exact fraction of whole numbers from 1 to 10000.
struct ClockRate {
  ClockRate() = default;
  ClockRate(std::int64_t n, std::int64_t d) : num(n), den(d) {}
  std::int64_t num = 1, den = 1;

  // How far the clock goes in so much true time, rounded down; Duration::Max at most.
  Duration Passed(Duration elapsed) const;
  // The shortest true time in which the clock goes so far: rounded up; Duration::Max at most.
  Duration Until(Duration passed) const;
};

// The oscillator of one process, from the first rate on that a fault gives it. Of several rates the
// one that began last holds; when it ends, the one before it holds again.
class TurnedClock {
 public:
  using RateId = std::uint64_t;

  RateId Begin(ClockRate rate, VirtualTime now);
  // The rate must not have ended before.
  void End(RateId id, VirtualTime now);

  // The monotonic clock: it goes on from where it stands when a rate begins or ends.
  VirtualTime Steady(VirtualTime now) const;
  // How far the rates that have not ended have put the wall clock ahead; negative: behind.
  Duration Ahead(VirtualTime now) const;
  // The first moment at which the monotonic clock shows `steady` or more.
  VirtualTime WhenSteady(VirtualTime steady) const;

 private:
  struct Rate {
    RateId id = 0;
    ClockRate rate;
    Duration gained;  // while it held, until since_
  };
  Duration GainedSince(VirtualTime now) const;
  void Settle(VirtualTime now);

  std::vector<Rate> rates_;  // the last holds
  RateId last_id_ = 0;
  VirtualTime since_;   // since when the present rate holds
  VirtualTime steady_;  // what the monotonic clock showed then
};

}  // namespace ksim::sim
