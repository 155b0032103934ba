#include "ksim/sim/clock.h"

#include <algorithm>

#include "ksim/base/check.h"

namespace ksim::sim {
namespace {

// n * by / over, without overflow on the way. `by` and `over` are small, n is not negative.
std::int64_t Scaled(std::int64_t n, std::int64_t by, std::int64_t over, bool up) {
  const std::int64_t whole = n / over, rest = n % over * by;
  const std::int64_t part = rest / over + (up && rest % over != 0 ? 1 : 0);
  const std::int64_t most = Duration::Max().ns();
  return whole > (most - part) / by ? most : whole * by + part;
}

VirtualTime Later(VirtualTime t, Duration by) {
  return by > VirtualTime::Max() - t ? VirtualTime::Max() : t + by;
}

}  // namespace

Duration ClockRate::Passed(Duration elapsed) const {
  return elapsed <= Duration() ? Duration() : Duration(Scaled(elapsed.ns(), num, den, false));
}

Duration ClockRate::Until(Duration passed) const {
  return passed <= Duration() ? Duration() : Duration(Scaled(passed.ns(), den, num, true));
}

TurnedClock::RateId TurnedClock::Begin(ClockRate rate, VirtualTime now) {
  if (last_id_ == 0) since_ = steady_ = now;
  Settle(now);
  rates_.push_back({++last_id_, rate, Duration()});
  return last_id_;
}

void TurnedClock::End(RateId id, VirtualTime now) {
  Settle(now);
  const auto it =
      std::find_if(rates_.begin(), rates_.end(), [id](const Rate& r) { return r.id == id; });
  KSIM_CHECK(it != rates_.end()) << "a clock's rate ended twice";
  rates_.erase(it);
}

VirtualTime TurnedClock::Steady(VirtualTime now) const {
  const ClockRate rate = rates_.empty() ? ClockRate() : rates_.back().rate;
  return Later(steady_, rate.Passed(now - since_));
}

Duration TurnedClock::Ahead(VirtualTime now) const {
  Duration ahead = GainedSince(now);
  for (const Rate& r : rates_) ahead += r.gained;
  return ahead;
}

VirtualTime TurnedClock::WhenSteady(VirtualTime steady) const {
  const ClockRate rate = rates_.empty() ? ClockRate() : rates_.back().rate;
  return Later(since_, rate.Until(steady - steady_));
}

Duration TurnedClock::GainedSince(VirtualTime now) const {
  if (rates_.empty()) return Duration();
  return rates_.back().rate.Passed(now - since_) - (now - since_);
}

// A new span begins: what the present rate has gained is noted.
void TurnedClock::Settle(VirtualTime now) {
  if (!rates_.empty()) rates_.back().gained += GainedSince(now);
  steady_ = Steady(now);
  since_ = now;
}

}  // namespace ksim::sim
