#include "ksim/client/core/backoff.h"

#include <algorithm>
#include <optional>

namespace ksim::client {
namespace {

constexpr Duration kReflectorBase = Milliseconds(800);
constexpr Duration kReflectorCap = Seconds(30);
constexpr Duration kReflectorReset = Minutes(2);
constexpr int kDefaultRetrySteps = 5;
constexpr int kDefaultBackoffSteps = 4;

}  // namespace

JitterSource::JitterSource(Environment& env, std::string_view site)
    : env_(env), site_(env.sim.decisions().Site(site)), counter_(sim::KeyOf(site)) {}

Duration JitterSource::Jitter(Duration duration, std::int64_t percent) {
  // Divided first, so that 1000 s at 100 % stay exact and days do not overflow.
  const Duration span =
      Duration(duration.ns() / 100 * percent + duration.ns() % 100 * percent / 100);
  return span > Duration() ? Uniform(duration, duration + span) : duration;
}

Duration JitterSource::Uniform(Duration min, Duration max) {
  if (!env_.jitter) return min;
  return env_.sim.decisions().DrawDuration(site_, NextKey(), min, max);
}

std::uint32_t JitterSource::Pick(std::uint32_t n) {
  return env_.sim.decisions().Draw(site_, NextKey(), n);
}

Duration Backoff::Step(JitterSource& jitter) {
  const Duration now = duration;
  if (steps >= 1) {
    --steps;
    if (factor_percent != 0) {
      duration = Duration(duration.ns() * factor_percent / 100);
      if (cap > Duration() && duration > cap) {
        duration = cap;
        steps = 0;
      }
    }
  }
  return jitter.Jitter(now, jitter_percent);
}

Backoff DefaultRetry() { return Backoff(Milliseconds(10), 100, 10, kDefaultRetrySteps); }
Backoff DefaultBackoff() { return Backoff(Milliseconds(10), 500, 10, kDefaultBackoffSteps); }

std::optional<Duration> ExponentialPoll::NextSleep() {
  if (backoff_.steps <= 1) return std::nullopt;
  return backoff_.Step(jitter_);
}

ReflectorBackoff::ReflectorBackoff(Environment& env, std::string_view site, bool resets_from_reset)
    : env_(env),
      jitter_(env, site),
      resets_from_reset_(resets_from_reset),
      base_(kReflectorBase),
      since_(env.sim.SteadyNow()) {}

Duration ReflectorBackoff::Next() {
  const VirtualTime now = env_.sim.SteadyNow();
  const bool reset = now - since_ > kReflectorReset;
  if (reset) base_ = kReflectorBase;
  if (reset || !resets_from_reset_) since_ = now;
  const Duration delay = jitter_.Jitter(base_, 100);
  base_ = std::min(base_ * 2, kReflectorCap);
  return delay;
}

}  // namespace ksim::client
