#include "ksim/scheduler/queue.h"

#include <gtest/gtest.h>

#include "ksim/sim/simulation.h"
#include "tests/scheduler/fixtures.h"

namespace ksim::scheduler {
namespace {

// Pops every pod and notes the time; a pod listed in `fails` goes back to the queue as rejected.
struct QueueTest : testing::Test {
  explicit QueueTest(api::Compat c = api::Compat::k1_36)
      : sim(sim::SimulationOptions()), process(sim.AddProcess("kube-scheduler")), compat(c) {
    process.OnStart([this] {
      queue = std::make_unique<SchedulingQueue>(
          process, ProfileOf(compat),
          [this](const QueuedPod&, const ClusterEvent& event, const api::Object&,
                 const api::Object&) { return (event.bits & helpful) != 0; });
      queue->Start();
    });
    process.Start();
  }
  ~QueueTest() override {
    process.Kill();
    sim.RunUntil(sim.now());
  }

  sim::Task<void> Take(int count) {
    for (int i = 0; i < count; ++i) {
      QueuedPod pod = co_await queue->Pop();
      popped.push_back(fmt::format("{}@{}", pod.pod.name(), process.Now().ns() / 1'000'000));
      in_hand_uid = pod.uid();
      in_hand = std::move(pod);
    }
  }
  void Pop(int count) { process.Spawn(Take(count)); }
  void Advance(Duration d) { sim.RunUntil(sim.now() + d); }
  void Reject() {
    in_hand.rejected_by = {"NodeResourcesFit"};
    queue->AddUnschedulable(std::move(in_hand), /*error=*/false);
  }
  void Fail() { queue->AddUnschedulable(std::move(in_hand), /*error=*/true); }

  sim::Simulation sim;
  sim::Process& process;
  api::Compat compat;
  std::unique_ptr<SchedulingQueue> queue;
  std::uint32_t helpful = ClusterEvent::kNodeAdd;
  std::vector<std::string> popped;
  QueuedPod in_hand;
  std::string in_hand_uid;
};

struct QueueTest130 : QueueTest {
  QueueTest130() : QueueTest(api::Compat::k1_30) {}
};

// SCHED-02: the names would order them the other way round.
TEST_F(QueueTest, HigherPriorityThenOlderFirst) {
  queue->Add(Pod("z-old"));
  Advance(Milliseconds(1));
  queue->Add(Pod("a-young"));
  queue->Add(Pod("urgent", "", R"("priority":10)"));
  queue->Add(Pod("minor", "", R"("priority":-1)"));
  Pop(4);
  Advance({});
  EXPECT_EQ(popped, (std::vector<std::string>{"urgent@1", "z-old@1", "a-young@1", "minor@1"}));
}

// SCHED-02: a pod that comes back queues anew, behind those that came while it was tried.
TEST_F(QueueTest, APodThatComesBackIsTheYoungest) {
  queue->Add(Pod("a"));
  Pop(1);
  Advance(Milliseconds(1));
  queue->Add(Pod("b"));
  Advance(Milliseconds(1));
  Reject();
  queue->Activate(in_hand_uid);
  EXPECT_EQ(queue->active(), 2u);
  Pop(2);
  Advance({});
  EXPECT_EQ(popped, (std::vector<std::string>{"a@0", "b@2", "a@2"}));
}

// SCHED-02: three places, and the pods being tried, which are in none of them.
TEST_F(QueueTest, APodWaitsInOneOfThreePlaces) {
  const auto places = [this] {
    return std::vector<std::size_t>{queue->active(), queue->backing_off(), queue->unschedulable()};
  };
  using Places = std::vector<std::size_t>;
  queue->Add(Pod("a"));
  queue->Add(Pod("b"));
  EXPECT_EQ(places(), (Places{2, 0, 0}));
  Pop(1);
  Advance({});
  EXPECT_EQ(places(), (Places{1, 0, 0})) << "a is being tried";
  Reject();
  EXPECT_EQ(places(), (Places{1, 0, 1})) << "no plugin can say better yet";
  Pop(1);
  Advance({});
  EXPECT_EQ(places(), (Places{0, 0, 1}));
  Fail();
  EXPECT_EQ(places(), (Places{0, 1, 1})) << "an error needs no event";
  queue->Activate(in_hand_uid);
  EXPECT_EQ(places(), (Places{1, 0, 1}));
}

// SCHED-02: the queue remembers an event for each pod that was being tried when it came, and for
// no other.
TEST_F(QueueTest, APodTriedAfterAnEventDoesNotHearOfIt) {
  queue->Add(Pod("a"));
  queue->Add(Pod("b"));
  Pop(1);
  Advance({});
  QueuedPod a = std::move(in_hand);
  queue->MoveOnEvent({ClusterEvent::kNodeAdd, "NodeAdd"}, {}, Node("n"));
  Pop(1);
  Advance({});
  Reject();
  EXPECT_EQ(queue->unschedulable(), 1u) << "b was not being tried yet";
  in_hand = std::move(a);
  Reject();
  EXPECT_EQ(queue->unschedulable(), 1u);
  EXPECT_EQ(queue->backing_off(), 1u) << "the event may help a";
}

// SCHED-03
TEST(SchedulingQueueBackoff, DoublesFromOneSecondToTen) {
  const int seconds[] = {1, 2, 4, 8, 10, 10};
  for (int n = 1; n <= 6; ++n) EXPECT_EQ(SchedulingQueue::BackoffOf(n), Seconds(seconds[n - 1]));
}

// SCHED-06
TEST_F(QueueTest, ARejectedPodWaitsForAnEventThatMayHelp) {
  queue->Add(Pod("a"));
  Pop(2);
  Advance({});
  Reject();
  EXPECT_EQ(queue->unschedulable(), 1u);
  queue->MoveOnEvent({ClusterEvent::kNodeDelete, "NodeDelete"}, {}, {});
  EXPECT_EQ(queue->unschedulable(), 1u);
  queue->MoveOnEvent({ClusterEvent::kNodeAdd, "NodeAdd"}, {}, Node("n"));
  EXPECT_EQ(queue->unschedulable(), 0u);
}

// SCHED-06: the queue does not miss events that come during the attempt.
TEST_F(QueueTest, AnEventDuringTheAttemptRequeues) {
  queue->Add(Pod("a"));
  Pop(1);
  Advance({});
  queue->MoveOnEvent({ClusterEvent::kNodeAdd, "NodeAdd"}, {}, Node("n"));
  Reject();
  EXPECT_EQ(queue->unschedulable(), 0u);
  EXPECT_EQ(queue->backing_off(), 1u);
}

// SCHED-06: without hints any move request during the attempt sends the pod to the back-off queue.
TEST_F(QueueTest130, AnyMoveDuringTheAttemptRequeues) {
  helpful = 0;
  queue->Add(Pod("a"));
  Pop(1);
  Advance({});
  queue->MoveOnEvent({ClusterEvent::kNodeDelete, "NodeDelete"}, {}, {});
  Reject();
  EXPECT_EQ(queue->unschedulable(), 0u);
}

// SCHED-05: an idle scheduler takes a rejected pod before its back-off is over, never an error.
TEST_F(QueueTest, PopsRejectedPodsFromBackoffWhenIdle) {
  queue->Add(Pod("a"));
  Pop(2);
  Advance(Milliseconds(100));
  queue->MoveOnEvent({ClusterEvent::kNodeAdd, "NodeAdd"}, {}, Node("n"));
  Reject();
  Advance(Milliseconds(1));
  EXPECT_EQ(popped, (std::vector<std::string>{"a@0", "a@100"}));
}

// SCHED-04: whole seconds; free at the first tick after the truncated expiry.
TEST_F(QueueTest, AnErrorWaitsForTheTickAfterItsExpiry) {
  queue->Add(Pod("a"));
  Pop(2);
  Advance(Milliseconds(300));
  Fail();  // expiry 1.3 s, truncated 1 s, free at 2 s
  Advance(Seconds(5));
  EXPECT_EQ(popped, (std::vector<std::string>{"a@0", "a@2000"}));
}

// SCHED-04: 1.30 flushes every second from its start, at the first tick not before the expiry.
TEST_F(QueueTest130, BackoffEndsAtTheNextTick) {
  queue->Add(Pod("a"));
  Pop(2);
  Advance(Milliseconds(300));
  Fail();  // expiry 1.3 s
  Advance(Seconds(5));
  EXPECT_EQ(popped, (std::vector<std::string>{"a@0", "a@2000"}));
}

// SCHED-08: strictly older than five minutes, looked at every 30 s.
TEST_F(QueueTest, LeftoversAreTriedAgain) {
  queue->Add(Pod("a"));
  Pop(2);
  Advance(Milliseconds(1));
  Reject();
  Advance(Minutes(5));
  EXPECT_EQ(popped.size(), 1u);
  Advance(Seconds(30));
  EXPECT_EQ(popped, (std::vector<std::string>{"a@0", "a@330000"}));
}

// SCHED-14
TEST_F(QueueTest, AGatedPodWaitsForItsGatesToGo) {
  const api::Object gated = Pod("a", "", R"("schedulingGates":[{"name":"g"}])");
  queue->Add(gated);
  Pop(1);
  Advance(Minutes(10));
  queue->MoveOnEvent({ClusterEvent::kWildcard, "any"}, {}, {});
  Advance({});
  EXPECT_TRUE(popped.empty());
  queue->Update(gated, Pod("a"));
  Advance({});
  EXPECT_EQ(popped.size(), 1u);
}

TEST_F(QueueTest, ADeletedPodIsGone) {
  queue->Add(Pod("a"));
  queue->Delete(Pod("a"));
  EXPECT_EQ(queue->active(), 0u);
}

}  // namespace
}  // namespace ksim::scheduler
