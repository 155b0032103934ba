// CLIENT-135: the cases of controller-runtime pkg/controller/priorityqueue/priorityqueue_test.go.
#include "ksim/client/priority_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ksim/client/controller_builder.h"
#include "tests/client/world.h"

namespace ksim::client {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class PriorityQueueTest : public testing::Test {
 protected:
  // Takes all ready keys as "key priority" and calls Done for none.
  std::vector<std::string> TakeAll() {
    taken_.clear();
    world.Run(TakeReady());
    world.Advance(Microseconds(1));
    queue.Add("end", -1000);
    world.Advance(Microseconds(1));
    queue.Done("end");
    return taken_;
  }
  World world;
  PriorityQueue queue{world.process};

 private:
  sim::Task<void> TakeReady() {
    for (;;) {
      const std::optional<QueuedRequest> next = co_await queue.Take();
      if (!next || next->key == "end") co_return;
      taken_.push_back(next->key + " " + std::to_string(next->priority));
    }
  }
  std::vector<std::string> taken_;
};

// CLIENT-135
TEST_F(PriorityQueueTest, HandsOutTheUrgentFirstAndEqualsInOrder) {
  queue.Add("a", 0);
  queue.Add("b", 5);
  queue.Add("c", 0);
  queue.Add("d", PriorityQueue::kLowPriority);
  queue.Add("e", 5);
  EXPECT_THAT(TakeAll(), ElementsAre("b 5", "e 5", "a 0", "c 0", "d -100"));
}

// CLIENT-135
TEST_F(PriorityQueueTest, ARaiseGoesBehindThoseOfItsNewLevelALowerOneDoesNothing) {
  queue.Add("a", 0);
  queue.Add("b", 5);
  queue.Add("c", 0);
  queue.Add("a", 5);
  queue.Add("b", -7);
  queue.Add("c", 0);
  EXPECT_EQ(queue.size(), 3u);
  EXPECT_THAT(TakeAll(), ElementsAre("b 5", "a 5", "c 0"));
}

// CLIENT-135
TEST_F(PriorityQueueTest, OfTwoTimesTheEarlierCountsAndAnAddMakesItReady) {
  queue.AddAfter("a", 0, Seconds(10));
  queue.AddAfter("a", 0, Seconds(5));
  queue.AddAfter("a", 0, Seconds(20));
  queue.AddAfter("b", 0, Seconds(30));
  EXPECT_THAT(TakeAll(), IsEmpty());
  world.Advance(Seconds(5));
  EXPECT_THAT(TakeAll(), ElementsAre("a 0"));
  queue.Done("a");
  queue.Add("b", 0);
  EXPECT_THAT(TakeAll(), ElementsAre("b 0"));
  queue.Done("b");
  world.Advance(Minutes(1));
  EXPECT_THAT(TakeAll(), IsEmpty()) << "one processing, not two (unlike CLIENT-88)";
}

// CLIENT-135
TEST_F(PriorityQueueTest, DelayedKeysComeAfterThoseThatWereReadyBefore) {
  queue.AddAfter("late", 0, Seconds(1));
  queue.Add("first", 0);
  world.Advance(Seconds(2));
  queue.Add("last", 0);
  EXPECT_THAT(TakeAll(), ElementsAre("first 0", "late 0", "last 0"));
}

// CLIENT-135
TEST_F(PriorityQueueTest, AnAddKeepsTheOrderThatTheDelayedOneHad) {
  queue.AddAfter("delayed", 0, Seconds(9));
  queue.Add("other", 0);
  queue.Add("delayed", 0);
  EXPECT_THAT(TakeAll(), ElementsAre("delayed 0", "other 0"));
}

// CLIENT-135, CLIENT-84
TEST_F(PriorityQueueTest, AKeyUnderWorkWaitsForItsDone) {
  queue.Add("a", 0);
  EXPECT_THAT(TakeAll(), ElementsAre("a 0"));
  queue.Add("a", 9);
  queue.Add("b", 0);
  EXPECT_THAT(TakeAll(), ElementsAre("b 0"));
  queue.Done("a");
  EXPECT_THAT(TakeAll(), ElementsAre("a 9"));
}

// CLIENT-135
TEST_F(PriorityQueueTest, ShutDownDropsWhatIsQueued) {
  queue.Add("a", 0);
  queue.AddAfter("b", 0, Seconds(1));
  queue.ShutDown();
  EXPECT_THAT(TakeAll(), IsEmpty());
}

// CLIENT-134: the queue has no bucket for all keys together, so even the thousandth failing key
// waits 5 ms.
TEST_F(PriorityQueueTest, OnlyEachKeysOwnFailuresDelayIt) {
  for (int i = 0; i < 1000; ++i) queue.AddRateLimited("k" + std::to_string(i), 0);
  world.Advance(Milliseconds(6));
  EXPECT_EQ(TakeAll().size(), 1000u);
  for (int i = 0; i < 3; ++i) queue.AddRateLimited("k0", 0);
  queue.Done("k0");
  world.Advance(Milliseconds(9));
  EXPECT_THAT(TakeAll(), IsEmpty()) << "the second failure: 10 ms, and the earliest of all counts";
  world.Advance(Milliseconds(2));
  EXPECT_THAT(TakeAll(), ElementsAre("k0 0"));
  queue.Done("k0");
  queue.Forget("k0");
  queue.AddRateLimited("k0", 0);
  world.Advance(Milliseconds(6));
  EXPECT_THAT(TakeAll(), ElementsAre("k0 0"));
}

// A reconciler that takes a second for each key.
class SlowReconciler : public Reconciler {
 public:
  explicit SlowReconciler(World& world) : world_(world) {}
  sim::Task<ReconcileResult> Reconcile(std::string key) override {
    keys.push_back(key);
    co_await world_.sim.Sleep(Seconds(1), sim::TimerKind::kWork, "reconcile");
    if (key != fails) co_return ReconcileResult::Done();
    fails.clear();
    ReconcileResult result = ReconcileResult::Error("once");
    if (urgent) result = std::move(result).WithPriority(7);
    co_return result;
  }
  std::vector<std::string> keys;
  std::string fails;
  bool urgent = false;

 private:
  World& world_;
};

// The order in which a controller reconciles its keys: new events overtake the initial list, and a
// failed key keeps its priority unless the result sets another.
std::vector<std::string> OrderOf(api::Compat compat, bool urgent) {
  World world(compat);
  for (const char* name : {"a", "b", "c"}) world.server.Put(name);
  InformerFactory factory(*world.connection, ClientOptions(), Duration());
  SlowReconciler reconciler(world);
  reconciler.fails = "default/a";
  reconciler.urgent = urgent;
  const auto built =
      ControllerBuilder(*world.connection, factory, "slow").For(world.pods()).Build(reconciler);
  factory.Start();
  while (reconciler.keys.empty()) world.Advance(Milliseconds(10));
  world.server.Put("z");
  world.Advance(Minutes(1));
  world.sim.Shutdown();
  return reconciler.keys;
}

// CLIENT-134, CLIENT-136
TEST(ControllerQueue, NewEventsOvertakeTheInitialListIn136) {
  EXPECT_THAT(OrderOf(api::Compat::k1_30, false),
              ElementsAre("default/a", "default/b", "default/c", "default/z", "default/a"));
  EXPECT_THAT(OrderOf(api::Compat::k1_36, false),
              ElementsAre("default/a", "default/z", "default/b", "default/c", "default/a"));
  EXPECT_THAT(OrderOf(api::Compat::k1_36, true),
              ElementsAre("default/a", "default/z", "default/a", "default/b", "default/c"));
}

}  // namespace
}  // namespace ksim::client
