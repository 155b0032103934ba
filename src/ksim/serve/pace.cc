#include "ksim/serve/pace.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>

#include "absl/status/status.h"

namespace ksim::serve {
namespace {

constexpr std::int64_t kFastest = 100'000;

}  // namespace

absl::StatusOr<Speed> ParseSpeed(std::string_view text) {
  Speed speed;
  if (text == "real") return speed;
  if (text == "max" || text == "step") {
    speed.kind = text == "max" ? Speed::Kind::kMax : Speed::Kind::kStep;
    return speed;
  }
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, speed.times);
  if (error != std::errc() || stopped != end || speed.times < 1 || speed.times > kFastest)
    return absl::InvalidArgumentError(fmt::format(
        "\"{}\" is no speed: real, max, step, or a whole number from 1 to {}", text, kFastest));
  return speed;
}

std::string ToString(const Speed& speed) {
  if (speed.kind == Speed::Kind::kMax) return "max";
  if (speed.kind == Speed::Kind::kStep) return "step";
  return speed.times == 1 ? "real" : fmt::format("{}", speed.times);
}

VirtualTime Pace::Allowed(Duration real) {
  if (speed_.kind == Speed::Kind::kMax) return VirtualTime::Max();
  if (speed_.kind == Speed::Kind::kStep) return allowed_;
  // Both move on together: the product of a long time and a high speed would pass 2^63.
  allowed_ = allowed_ + Nanoseconds((real - real_).ns() * speed_.times);
  real_ = real;
  return allowed_;
}

bool Pace::MayReach(VirtualTime t, Duration real, Duration* wait) {
  const VirtualTime allowed = Allowed(real);
  *wait = Duration();
  if (t <= allowed) return true;
  if (speed_.kind != Speed::Kind::kTimes) return false;
  *wait = Nanoseconds((t - allowed).ns() / speed_.times + 1);
  return true;
}

void Pace::Change(Speed speed, Duration real) {
  if (speed_.kind == Speed::Kind::kTimes) Allowed(real);
  real_ = real;
  speed_ = speed;
}

void Pace::NotBefore(VirtualTime now) { allowed_ = std::max(allowed_, now); }

}  // namespace ksim::serve
