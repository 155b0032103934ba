#include "ksim/client/core/backoff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ksim/api/core/retry_deadline.h"
#include "ksim/client/core/token_bucket.h"
#include "tests/client/world.h"

namespace ksim::client {
namespace {

using testing::ElementsAre;

std::vector<std::int64_t> Steps(World& world, Backoff backoff, int n) {
  JitterSource jitter(world.env, "test/backoff");
  std::vector<std::int64_t> out;
  for (int i = 0; i < n; ++i) out.push_back(backoff.Step(jitter).ns() / 1'000'000);
  return out;
}

// CLIENT-99
TEST(Backoff, Step) {
  World world;
  world.env.jitter = false;
  EXPECT_THAT(Steps(world, Backoff(Milliseconds(10), 0, 0, 3), 4), ElementsAre(10, 10, 10, 10));
  EXPECT_THAT(Steps(world, Backoff(Milliseconds(10), 200, 0, 3), 6),
              ElementsAre(10, 20, 40, 80, 80, 80));
  // Beyond the cap the duration is the cap and no step is left.
  EXPECT_THAT(Steps(world, Backoff(Milliseconds(10), 300, 0, 9, Milliseconds(50)), 5),
              ElementsAre(10, 30, 50, 50, 50));
}

// CLIENT-99, CLIENT-02
TEST(Backoff, JitterIsAddedAlsoWhenNoStepIsLeft) {
  World world;
  JitterSource jitter(world.env, "test/jitter");
  Backoff backoff(Milliseconds(100), 0, 50, 0);
  bool moved = false;
  for (int i = 0; i < 100; ++i) {
    const Duration d = backoff.Step(jitter);
    EXPECT_GE(d, Milliseconds(100));
    EXPECT_LT(d, Milliseconds(150));
    moved = moved || d != Milliseconds(100);
  }
  EXPECT_TRUE(moved);
}

std::vector<std::int64_t> Sleeps(World& world, Backoff backoff) {
  JitterSource jitter(world.env, "test/poll");
  ExponentialPoll poll(backoff, jitter);
  std::vector<std::int64_t> out;
  while (const std::optional<Duration> d = poll.NextSleep()) out.push_back(d->ns() / 1'000'000);
  return out;
}

// CLIENT-100
TEST(ExponentialPoll, SleepsOnceLessThanItTriesAndNeverTheCappedValue) {
  World world;
  world.env.jitter = false;
  EXPECT_THAT(Sleeps(world, Backoff(Milliseconds(10), 200, 0, 4)), ElementsAre(10, 20, 40));
  EXPECT_THAT(Sleeps(world, Backoff(Milliseconds(10), 200, 0, 9, Milliseconds(35))),
              ElementsAre(10, 20));
  EXPECT_THAT(Sleeps(world, Backoff(Milliseconds(10), 200, 0, 1)), ElementsAre());
}

// A write whose results come from a script.
struct Attempt {
  Attempt() = default;
  sim::Task<api::Result<int>> operator()() {
    ++tries;
    if (tries > conflicts) co_return result;
    co_return api::Conflict(api::GroupResource("", "pods"), "a", "modified");
  }
  int conflicts = 0;
  int tries = 0;
  api::Result<int> result = 1;
};

struct Retrier {
  Retrier(World& w, Attempt& a) : world(w), attempt(a), jitter(w.env, "retry/test") {}
  sim::Task<void> Run(Backoff backoff) {
    api::Result<int> r = co_await RetryOnConflict<int>(world.sim, backoff, jitter, attempt);
    ok = r.ok();
    conflict = !r.ok() && api::IsConflict(r.status());
    at = world.sim.now();
  }
  World& world;
  Attempt& attempt;
  JitterSource jitter;
  bool ok = false, conflict = false;
  VirtualTime at;
};

// CLIENT-101
TEST(RetryOnConflict, RetriesConflictsOnlyAndGivesTheLastBack) {
  struct Case {
    int conflicts;
    api::Result<int> result;
    Backoff backoff;
    int tries;
    bool ok, conflict;
    std::int64_t least_ms, most_ms;
  };
  const std::vector<Case> cases = {
      {0, 1, DefaultRetry(), 1, true, false, 0, 0},
      {2, 1, DefaultRetry(), 3, true, false, 20, 22},
      {9, 1, DefaultRetry(), 5, false, true, 40, 44},
      {1, api::InternalError("x"), DefaultRetry(), 2, false, false, 10, 11},
      {9, 1, DefaultBackoff(), 4, false, true, 310, 341},
      // CLIENT-100: 10 and 20 ms; the next would be 40, beyond the cap, so no try follows.
      {9, 1, Backoff(Milliseconds(10), 200, 0, 9, Milliseconds(35)), 2, false, true, 30, 30},
  };
  for (const Case& c : cases) {
    World world;
    Attempt attempt;
    attempt.conflicts = c.conflicts;
    attempt.result = c.result;
    Retrier retrier(world, attempt);
    world.Run(retrier.Run(c.backoff));
    world.Settle();
    EXPECT_EQ(attempt.tries, c.tries);
    EXPECT_EQ(retrier.ok, c.ok);
    EXPECT_EQ(retrier.conflict, c.conflict);
    EXPECT_GE(retrier.at, VirtualTime() + Milliseconds(c.least_ms));
    EXPECT_LE(retrier.at, VirtualTime() + Milliseconds(c.most_ms));
    world.sim.Shutdown();
  }
}

// CLIENT-24, CLIENT-02
TEST(ReflectorBackoff, DelaysAreDrawnFromBToTwiceBAndMayBe0) {
  World world;
  ReflectorBackoff backoff(world.env, "reflector/x/y/backoff", false);
  for (const std::int64_t base : {800, 1600, 3200, 6400, 12800, 25600, 30000, 30000, 30000}) {
    const Duration delay = backoff.Next();
    EXPECT_GE(delay, Milliseconds(base));
    EXPECT_LT(delay, Milliseconds(2 * base));
  }
  world.env.jitter = false;
  EXPECT_EQ(backoff.Next(), Seconds(30));
}

// CLIENT-25
TEST(ReflectorBackoff, ResetDependsOnTheVersion) {
  for (const bool head : {false, true}) {
    World world;
    world.env.jitter = false;
    ReflectorBackoff backoff(world.env, "reflector/x/y/backoff", head);
    for (int i = 0; i < 6; ++i) {
      backoff.Next();
      world.Advance(Seconds(21));
    }
    // 126 s since it was made, 21 s since the previous delay.
    EXPECT_EQ(backoff.Next(), head ? Milliseconds(800) : Seconds(30));
    world.Advance(Seconds(121));
    EXPECT_EQ(backoff.Next(), Milliseconds(800));
  }
}

// CLIENT-23
TEST(RetryWithDeadline, WindowRestartsAfterAMinuteOfQuiet) {
  api::RetryWithDeadline retry(Seconds(10), Minutes(1));
  const VirtualTime start(0);
  retry.After(start);
  EXPECT_TRUE(retry.ShouldRetry(start + Seconds(10)));
  EXPECT_FALSE(retry.ShouldRetry(start + Seconds(11)));
  retry.After(start + Seconds(80));
  EXPECT_TRUE(retry.ShouldRetry(start + Seconds(90)));
  api::RetryWithDeadline never(Duration(), Minutes(1));
  never.After(start);
  EXPECT_FALSE(never.ShouldRetry(start));
}

TEST(TokenBucket, TryAcceptTakesOnlyWhatIsThere) {
  TokenBucket bucket(Seconds(300), 2);
  VirtualTime now(0);
  EXPECT_TRUE(bucket.TryAccept(now));
  EXPECT_TRUE(bucket.TryAccept(now));
  EXPECT_FALSE(bucket.TryAccept(now));
  EXPECT_FALSE(bucket.TryAccept(now + Seconds(299)));
  EXPECT_TRUE(bucket.TryAccept(now + Seconds(300)));
  EXPECT_FALSE(bucket.TryAccept(now + Seconds(300)));
}

// The slow oracle counts tokens in nanosecond steps, in 1/interval parts.
TEST(TokenBucket, EqualsABucketCountedStepByStep) {
  const std::int64_t interval = 7, burst = 3;
  TokenBucket bucket(Nanoseconds(interval), burst);
  std::int64_t parts = burst * interval;  // tokens * interval
  std::int64_t last = 0;
  std::uint64_t random = 1;
  for (std::int64_t now = 0; now < 3000;) {
    random = random * 6364136223846793005ULL + 1442695040888963407ULL;
    now += static_cast<std::int64_t>(random >> 60);
    parts = std::min(burst * interval, parts + (now - last));
    last = now;
    parts -= interval;
    const std::int64_t wait = parts >= 0 ? 0 : -parts;
    ASSERT_EQ(bucket.Reserve(VirtualTime(now)).ns(), wait) << now;
  }
}

}  // namespace
}  // namespace ksim::client
