#include "ksim/client/workqueue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "ksim/client/workqueue/rate_limiters.h"
#include "tests/client/world.h"

namespace ksim::client {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A worker that notes the time of each key and holds it for `work`.
struct Taker {
  Taker(World& w, WorkQueue& q) : world(w), queue(q) {}
  sim::Task<void> Run() {
    for (;;) {
      std::optional<std::string> key = co_await queue.Get();
      if (!key) break;
      taken.push_back(*key);
      times.push_back(world.sim.now().ns() / 1'000'000);
      causes.push_back(world.sim.context().cause);
      background = background || world.sim.context().background;
      if (work > Duration()) co_await world.sim.Sleep(work);
      queue.Done(*key);
    }
    stopped = true;
  }
  sim::Task<void> Drain() {
    co_await queue.ShutDownWithDrain();
    drained = true;
  }
  World& world;
  WorkQueue& queue;
  Duration work;
  std::vector<std::string> taken;
  std::vector<std::int64_t> times;
  std::vector<std::uint64_t> causes;
  bool background = false, stopped = false, drained = false;
};

struct WorkQueueFixture {
  WorkQueueFixture()
      : queue(world.process, DefaultControllerRateLimiter(world.process)), taker(world, queue) {}
  ~WorkQueueFixture() { world.sim.Shutdown(); }
  World world;
  WorkQueue queue;
  Taker taker;
};

// CLIENT-82
TEST(WorkQueue, AddWhileWaitingIsIgnoredAndKeepsItsPlace) {
  WorkQueueFixture f;
  for (const char* key : {"a", "b", "a", "c", "b"}) f.queue.Add(key);
  EXPECT_EQ(f.queue.size(), 3u);
  f.world.Run(f.taker.Run());
  f.world.Settle();
  EXPECT_THAT(f.taker.taken, ElementsAre("a", "b", "c"));
  EXPECT_TRUE(f.queue.idle());
}

TEST(WorkQueue, NoRunWaitsForWhatWaitsInTheBackground) {
  WorkQueueFixture f;
  f.world.Run(f.taker.Run());
  f.queue.AddAfterInBackground("a", Seconds(30));
  f.queue.AddAfterInBackground("b", Seconds(90));
  sim::Simulation::Limits limits;
  EXPECT_EQ(f.world.sim.RunUntilQuiet(Seconds(2), limits), sim::Simulation::Stop::kQuiescent);
  EXPECT_LT(f.world.sim.now().ns(), Seconds(10).ns());
  EXPECT_THAT(f.taker.taken, IsEmpty());
  // It comes at its time all the same, as work; and what AddAfter waits for is waited for.
  f.queue.AddAfter("b", Seconds(60));
  EXPECT_EQ(f.world.sim.RunUntilQuiet(Seconds(2), limits), sim::Simulation::Stop::kQuiescent);
  EXPECT_THAT(f.taker.taken, ElementsAre("a", "b"));
  EXPECT_GE(f.world.sim.now().ns(), Seconds(60).ns());
  EXPECT_LT(f.world.sim.now().ns(), Seconds(80).ns());
  EXPECT_FALSE(f.taker.background);
  EXPECT_TRUE(f.queue.idle());
}

// FUZZ-07: a key that has failed for ever is tried again in the background; when somebody asks for
// one more try, the run goes on until then, and no longer.
TEST(WorkQueue, ALongRetryIsWaitedForWhenSomebodyAsks) {
  WorkQueueFixture f;
  f.world.Run(f.taker.Run());
  for (int i = 0; i < 17; ++i) f.queue.AddRateLimited("a");
  f.world.Settle();
  sim::Simulation::Limits limits;
  f.taker.taken.clear();
  f.queue.AddRateLimited("a");  // 5 ms * 2^17
  f.queue.AddAfterInBackground("b", Seconds(600));
  EXPECT_EQ(f.world.sim.RunUntilQuiet(Seconds(2), limits), sim::Simulation::Stop::kQuiescent);
  EXPECT_THAT(f.taker.taken, IsEmpty());
  EXPECT_FALSE(f.world.sim.long_waits().BecomeWork(f.world.sim.now() + Seconds(500)));
  EXPECT_TRUE(f.world.sim.long_waits().BecomeWork(f.world.sim.now() + Seconds(1000)));
  EXPECT_EQ(f.world.sim.RunUntilQuiet(Seconds(2), limits), sim::Simulation::Stop::kQuiescent);
  EXPECT_THAT(f.taker.taken, ElementsAre("b", "a"));
  EXPECT_FALSE(f.world.sim.long_waits().BecomeWork(VirtualTime::Max()));
}

// CLIENT-83, CLIENT-84
TEST(WorkQueue, AddsWhileProcessingGiveOneMoreProcessingAtTheTail) {
  WorkQueueFixture f;
  f.taker.work = Milliseconds(10);
  Taker second(f.world, f.queue);
  second.work = Milliseconds(10);
  f.queue.Add("a");
  f.world.Run(f.taker.Run());
  f.world.Run(second.Run());
  f.world.Advance(Milliseconds(5));
  f.queue.Add("a");
  f.queue.Add("a");
  f.queue.Add("b");
  EXPECT_EQ(f.queue.size(), 1u);  // b only: a is being processed
  f.world.Settle();
  EXPECT_THAT(f.taker.taken, ElementsAre("a", "a"));
  EXPECT_THAT(f.taker.times, ElementsAre(0, 10));
  EXPECT_THAT(second.taken, ElementsAre("b"));
}

// CLIENT-85
TEST(WorkQueue, ShutDownHandsOutWhatIsQueuedAndWhatWasDirty) {
  WorkQueueFixture f;
  f.taker.work = Milliseconds(10);
  f.queue.Add("a");
  f.queue.Add("b");
  f.world.Run(f.taker.Run());
  f.world.Advance(Milliseconds(5));
  f.queue.Add("a");
  f.queue.ShutDown();
  f.queue.Add("c");
  f.world.Settle();
  EXPECT_THAT(f.taker.taken, ElementsAre("a", "b", "a"));
  EXPECT_TRUE(f.taker.stopped);
}

// CLIENT-86
TEST(WorkQueue, DrainWaitsForDoneAndASecondShutDownEndsTheWait) {
  WorkQueueFixture f;
  f.taker.work = Milliseconds(10);
  f.queue.Add("a");
  f.world.Run(f.taker.Run());
  f.world.Advance(Milliseconds(5));
  f.world.Run(f.taker.Drain());
  f.world.Advance(Milliseconds(4));
  EXPECT_FALSE(f.taker.drained);
  f.world.Advance(Milliseconds(1));
  EXPECT_TRUE(f.taker.drained);

  WorkQueueFixture g;
  g.taker.work = Hours(1);
  g.queue.Add("a");
  g.world.Run(g.taker.Run());
  g.world.Run(g.taker.Drain());
  g.world.Advance(Milliseconds(5));
  EXPECT_FALSE(g.taker.drained);
  g.queue.ShutDown();
  g.world.Advance(Milliseconds(1));
  EXPECT_TRUE(g.taker.drained);
}

// CLIENT-87, CLIENT-04
TEST(WorkQueue, EarlierOfTwoDelaysCountsAndTiesKeepOrder) {
  WorkQueueFixture f;
  f.world.Run(f.taker.Run());
  f.queue.AddAfter("late", Milliseconds(50));
  f.queue.AddAfter("late", Milliseconds(20));
  f.queue.AddAfter("late", Milliseconds(80));
  f.queue.AddAfter("z", Milliseconds(20));
  f.queue.AddAfter("a", Milliseconds(20));
  f.queue.AddAfter("now", Duration());
  f.world.Settle();
  EXPECT_THAT(f.taker.taken, ElementsAre("now", "late", "z", "a"));
  EXPECT_THAT(f.taker.times, ElementsAre(0, 20, 20, 20));
}

// CLIENT-88
TEST(WorkQueue, DirectAddDoesNotCancelTheDelay) {
  WorkQueueFixture f;
  f.world.Run(f.taker.Run());
  f.queue.AddAfter("a", Milliseconds(20));
  f.queue.Add("a");
  f.world.Settle();
  EXPECT_THAT(f.taker.times, ElementsAre(0, 20));
}

// CLIENT-89
TEST(WorkQueue, DelaysAreLostOnShutDown) {
  WorkQueueFixture f;
  f.world.Run(f.taker.Run());
  f.queue.AddAfter("a", Milliseconds(20));
  f.world.Advance(Milliseconds(1));
  f.queue.ShutDown();
  f.queue.AddAfter("b", Milliseconds(20));
  f.world.Settle();
  EXPECT_THAT(f.taker.taken, IsEmpty());
  EXPECT_TRUE(f.queue.idle());
}

TEST(WorkQueue, DelayIsWorkUntilItFiresEvenFromABackgroundStep) {
  WorkQueueFixture f;
  f.world.Run(f.taker.Run());
  f.world.Settle();
  f.world.sim.context().background = true;
  f.queue.AddAfter("a", Milliseconds(20));
  f.queue.Add("b");
  f.world.sim.context().background = false;
  EXPECT_GE(f.world.sim.pending_work(), 1u);
  f.world.Settle();
  EXPECT_THAT(f.taker.taken, ElementsAre("b", "a"));
  EXPECT_FALSE(f.taker.background);
}

TEST(WorkQueue, DelaysOfADeadProcessKeepNothingBusy) {
  WorkQueueFixture f;
  f.queue.AddAfter("a", Hours(1));
  f.world.Advance(Milliseconds(1));
  EXPECT_EQ(f.world.sim.pending_work(), 1u);
  f.world.process.Kill();
  EXPECT_EQ(f.world.sim.pending_work(), 0u);
}

TEST(WorkQueue, TakerGetsTheCauseOfTheFirstAdd) {
  WorkQueueFixture f;
  for (std::uint64_t cause : {11, 12, 13}) {
    f.world.sim.context().cause = cause;
    f.queue.Add("a");
  }
  f.world.sim.context().cause = 0;
  f.world.Run(f.taker.Run());
  f.world.Settle();
  EXPECT_THAT(f.taker.causes, ElementsAre(11));
}

// CLIENT-90
TEST(WorkQueue, RateLimitedAddCountsAtTheCallAndForgetOnlyClearsTheCount) {
  WorkQueueFixture f;
  f.world.Run(f.taker.Run());
  f.queue.AddRateLimited("a");
  f.queue.AddRateLimited("a");
  EXPECT_EQ(f.queue.NumRequeues("a"), 2);
  f.queue.Forget("a");
  EXPECT_EQ(f.queue.NumRequeues("a"), 0);
  f.world.Settle();
  EXPECT_THAT(f.taker.times, ElementsAre(5));
}

// CLIENT-91
TEST(RateLimiter, ItemDelaysDoubleFrom5MillisecondsTo1000Seconds) {
  ItemExponentialFailureRateLimiter limiter(Milliseconds(5), Seconds(1000));
  for (int n = 1; n <= 18; ++n) {
    EXPECT_EQ(limiter.When("a"), Milliseconds(5) * (std::int64_t{1} << (n - 1))) << n;
  }
  for (int n = 19; n <= 100; ++n) EXPECT_EQ(limiter.When("a"), Seconds(1000)) << n;
  EXPECT_EQ(limiter.When("b"), Milliseconds(5));
  limiter.Forget("a");
  EXPECT_EQ(limiter.When("a"), Milliseconds(5));
}

// CLIENT-92, CLIENT-04
TEST(RateLimiter, BucketGivesABurstOf100ThenTenASecondOnTheVirtualClock) {
  World world;
  BucketRateLimiter limiter(world.process, 10, 100);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(limiter.When("k"), Duration());
  for (int j = 1; j <= 20; ++j) EXPECT_EQ(limiter.When("k"), Milliseconds(100) * j);
  limiter.Forget("k");
  EXPECT_EQ(limiter.When("other"), Milliseconds(2100));
  world.Advance(Seconds(1));
  EXPECT_EQ(limiter.When("k"), Milliseconds(1200));
}

// CLIENT-93
TEST(RateLimiter, DefaultChargesBothLimitersOnEachCall) {
  World world;
  const std::unique_ptr<RateLimiter> limiter = DefaultControllerRateLimiter(world.process);
  for (int i = 0; i < 100; ++i) limiter->When("k" + std::to_string(i));
  EXPECT_EQ(limiter->When("new"), Milliseconds(100));
  EXPECT_EQ(limiter->NumRequeues("new"), 1);
  limiter->Forget("new");
  EXPECT_EQ(limiter->NumRequeues("new"), 0);
}

// CLIENT-94
TEST(RateLimiter, FastSlowAndMaxWait) {
  ItemFastSlowRateLimiter fast_slow(Milliseconds(5), Seconds(10), 3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(fast_slow.When("a"), Milliseconds(5));
  EXPECT_EQ(fast_slow.When("a"), Seconds(10));
  WithMaxWaitRateLimiter capped(
      std::make_unique<ItemExponentialFailureRateLimiter>(Milliseconds(5), Seconds(1000)),
      Milliseconds(17));
  std::vector<std::int64_t> waits;
  for (int i = 0; i < 4; ++i) waits.push_back(capped.When("a").ns() / 1'000'000);
  EXPECT_THAT(waits, ElementsAre(5, 10, 17, 17));
  EXPECT_EQ(capped.NumRequeues("a"), 4);
}

// The slow oracle: a queue by its three laws.
struct QueueModel {
  std::vector<std::string> fifo;
  std::set<std::string> dirty, processing;
  void Add(const std::string& k) {
    if (!dirty.insert(k).second || processing.contains(k)) return;
    fifo.push_back(k);
  }
  std::string Get() {
    std::string k = fifo.front();
    fifo.erase(fifo.begin());
    dirty.erase(k);
    processing.insert(k);
    return k;
  }
  void Done(const std::string& k) {
    processing.erase(k);
    if (dirty.contains(k)) fifo.push_back(k);
  }
};

// A worker that takes one key on request; it never blocks, since the test asks only when a key is
// ready.
struct OneTaker {
  explicit OneTaker(WorkQueue& q) : queue(q) {}
  sim::Task<void> Take() {
    std::optional<std::string> key = co_await queue.Get();
    got = *key;
  }
  WorkQueue& queue;
  std::string got;
};

// CLIENT-82, CLIENT-83, CLIENT-84
TEST(WorkQueue, BehavesAsItsModelUnderRandomScripts) {
  for (int seed = 0; seed < 20; ++seed) {
    WorkQueueFixture f;
    OneTaker taker(f.queue);
    QueueModel model;
    std::mt19937 random(seed);
    std::vector<std::string> held;
    for (int step = 0; step < 500; ++step) {
      const std::string key(1, static_cast<char>('a' + random() % 6));
      const unsigned what = random() % 4;
      if (what <= 1) {
        f.queue.Add(key);
        model.Add(key);
      } else if (what == 2 && !model.fifo.empty()) {
        f.world.Run(taker.Take());
        f.world.Settle();
        ASSERT_EQ(taker.got, model.Get());
        held.push_back(taker.got);
      } else if (what == 3 && !held.empty()) {
        const std::size_t i = random() % held.size();
        f.queue.Done(held[i]);
        model.Done(held[i]);
        held.erase(held.begin() + static_cast<std::ptrdiff_t>(i));
      }
      ASSERT_EQ(f.queue.size(), model.fifo.size());
    }
  }
}

}  // namespace
}  // namespace ksim::client
