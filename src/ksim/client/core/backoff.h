// Backoffs of apimachinery: wait.Backoff with its Step, the exponential poll, RetryOnConflict, and
// the manager that a reflector waits by. Jitter is a Draw.
//
// Source: apimachinery pkg/util/wait/backoff.go, client-go util/retry/util.go. CLIENT-24, 25,
// 99..101.
#pragma once
#include <cstdint>
#include <string_view>

#include "ksim/base/time.h"
#include "ksim/client/client.h"

namespace ksim::client {

// client-go tools/cache/shared_informer.go syncedPollPeriod: how often a wait for cache sync looks.
inline constexpr Duration kSyncedPollPeriod = Milliseconds(100);

// Where a kind of jitter is drawn: a site, and a count of its draws that outlives restarts.
class JitterSource {
 public:
  JitterSource(Environment& env, std::string_view site);
  // duration + uniform [0, duration * percent / 100); no draw for percent 0.
  Duration Jitter(Duration duration, std::int64_t percent);
  Duration Uniform(Duration min, Duration max);  // [min, max)
  std::uint32_t Pick(std::uint32_t n);           // [0, n)

 private:
  std::uint64_t NextKey() { return env_.NextOrdinal(counter_); }
  Environment& env_;
  sim::SiteId site_;
  std::uint64_t counter_;
};

// wait.Backoff. Factor and jitter in percent, so that nothing is a floating-point number.
struct Backoff {
  Backoff() = default;
  Backoff(Duration d, std::int64_t f, std::int64_t j, int n, Duration c = {})
      : duration(d), factor_percent(f), jitter_percent(j), steps(n), cap(c) {}
  Duration duration;
  std::int64_t factor_percent = 0;  // 0 = constant
  std::int64_t jitter_percent = 0;
  int steps = 0;
  Duration cap;  // 0 = none
  // The next sleep. Then duration grows and steps falls; growing past the cap sets duration to it
  // and steps to 0; with no steps left nothing changes (CLIENT-99).
  Duration Step(JitterSource& jitter);
};

// retry.DefaultRetry: 5 tries, 10 ms, jitter 10 %. retry.DefaultBackoff: 4 tries, 10, 50, 250 ms.
Backoff DefaultRetry();
Backoff DefaultBackoff();

// A wait.ExponentialBackoff as a loop: call NextSleep after each try that did not end it.
//
//   ExponentialPoll poll(DefaultRetry(), jitter);
//   for (;;) {
//     api::Result<api::Object> r = co_await client.Update(...);
//     if (!ShouldRetryOnConflict(r)) ...
//     std::optional<Duration> sleep = poll.NextSleep();   // nullopt: tries are used up
//     ... sleep ...
//     if (!poll.TriesLeft()) ...                          // used up all the same
//   }
class ExponentialPoll {
 public:
  ExponentialPoll(Backoff backoff, JitterSource& jitter) : backoff_(backoff), jitter_(jitter) {}
  // nullopt when no try is left. CLIENT-100.
  std::optional<Duration> NextSleep();
  // Asked after the sleep: one whose successor would exceed the cap is the last thing there is.
  bool TriesLeft() const { return backoff_.steps > 0; }

 private:
  Backoff backoff_;
  JitterSource& jitter_;
};

// Runs `attempt(): Task<api::Result<T>>` until it gives something else than a conflict, or the
// tries are used up: then the last conflict is the result. `attempt` outlives the call. CLIENT-101.
template <class T, class F>
sim::Task<api::Result<T>> RetryOnConflict(sim::Simulation& sim, Backoff backoff,
                                          JitterSource& jitter, F& attempt) {
  ExponentialPoll poll(backoff, jitter);
  for (;;) {
    api::Result<T> result = co_await attempt();
    if (result.ok() || !api::IsConflict(result.status())) co_return std::move(result);
    const std::optional<Duration> sleep = poll.NextSleep();
    if (!sleep) co_return std::move(result);
    co_await sim.Sleep(*sleep, sim::TimerKind::kWork, "retry on conflict");
    if (!poll.TriesLeft()) co_return std::move(result);
  }
}

// The delays of a reflector: 0.8 s doubling to 30 s, each drawn from [b, 2b). The base returns to
// 0.8 s when 2 min have passed since the previous delay was asked for (1.25, 1.30) or since the
// last reset (1.36), or since the manager was made.
class ReflectorBackoff {
 public:
  ReflectorBackoff(Environment& env, std::string_view site, bool resets_from_reset);
  Duration Next();

 private:
  Environment& env_;
  JitterSource jitter_;
  bool resets_from_reset_;
  Duration base_;
  VirtualTime since_;
};

}  // namespace ksim::client
