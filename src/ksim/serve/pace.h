// Pace: how far the virtual clock may be at a moment of the real one. This is the only place in
// which a run meets a real clock, and it only says when events run, never what they do.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "ksim/base/time.h"

namespace ksim::serve {

struct Speed {
  enum class Kind : std::uint8_t {
    kTimes,  // `times` as fast as the real clock
    kMax,    // as fast as the work allows, while clients are quiet
    kStep    // not at all until told
  };
  Speed() = default;
  Kind kind = Kind::kTimes;
  std::int64_t times = 1;
};
// real, max, step, or a whole number from 1 to 100000. InvalidArgument for all else.
absl::StatusOr<Speed> ParseSpeed(std::string_view text);
std::string ToString(const Speed& speed);

class Pace {
 public:
  // The virtual clock is at `now` when the real one says `real`.
  Pace(Speed speed, VirtualTime now, Duration real) : speed_(speed), allowed_(now), real_(real) {}

  const Speed& speed() const { return speed_; }
  // How far the virtual clock may be when the real one says `real`. At kMax the end of time.
  VirtualTime Allowed(Duration real);
  // How much real time passes from `real` until the virtual clock may be at `t`; zero if it may be
  // now, nothing if it may not be until told.
  bool MayReach(VirtualTime t, Duration real, Duration* wait);
  // Lets the clock go on by `by`, at once (kStep).
  void Step(Duration by) { allowed_ = allowed_ + by; }
  // From now on another speed.
  void Change(Speed speed, Duration real);
  // The clock has gone further than it was allowed to, for a request had to be answered.
  void NotBefore(VirtualTime now);

 private:
  Speed speed_;
  VirtualTime allowed_;  // when the real clock said real_
  Duration real_;
};

}  // namespace ksim::serve
