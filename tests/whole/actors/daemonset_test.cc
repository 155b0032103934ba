// The DaemonSet controller against real API servers, in all versions: where its pods run, what a
// sync does, and what it hears of. daemonset_rollout_test.cc has its updates and its history.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "ksim/api/pod.h"
#include "ksim/client/core/payloads.h"
#include "tests/whole/actors/daemonset_world.h"

namespace ksim {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

INSTANTIATE_TEST_SUITE_P(Compat, DaemonSets, testing::ValuesIn(kCompats),
                         [](const auto& info) { return std::to_string(int(info.param)); });

std::size_t DaemonWrites(const std::vector<std::string>& lines, const std::string& line) {
  return static_cast<std::size_t>(std::count(lines.begin(), lines.end(), line));
}

// CTRL-DS-07, CTRL-DS-09, CTRL-DS-20
TEST_P(DaemonSets, EachNodeGetsAPodThatIsForIt) {
  AddNodes(3);
  w.Create("daemonsets", DaemonSetJson());
  Start();
  for (const char* node : {"n1", "n2", "n3"}) {
    const std::vector<api::Object> pods = PodsFor(node);
    ASSERT_THAT(pods, SizeIs(1));
    EXPECT_TRUE(pods[0].node_name().empty()) << "the scheduler binds it";
    EXPECT_THAT(pods[0].name(), StartsWith("agent-"));
    EXPECT_EQ(pods[0].controller()->kind, "DaemonSet");
    EXPECT_EQ(pods[0].Label("pod-template-generation"), "1");
    EXPECT_FALSE(HashOf(pods[0]).empty());
    EXPECT_EQ(pods[0].spec().Get("tolerations").size(), 6u);
  }
  EXPECT_EQ(Status("desiredNumberScheduled"), 3);
  EXPECT_EQ(Status("currentNumberScheduled"), 3);
  EXPECT_EQ(Status("updatedNumberScheduled"), 3);
  EXPECT_EQ(Status("numberReady"), 0);
  EXPECT_EQ(Status("numberUnavailable"), 3);
  RunPods();
  EXPECT_EQ(Status("numberReady"), 3);
  EXPECT_EQ(Status("numberAvailable"), 3);
  EXPECT_EQ(Status("numberUnavailable"), 0);
  EXPECT_EQ(Status("observedGeneration"), 1);
}

// CTRL-DS-07: the scheduler puts each on its node, and on no other that has room.
TEST_P(DaemonSets, TheSchedulerPutsEachOnItsNode) {
  AddNodes(3);
  w.Create("daemonsets", DaemonSetJson());
  Start();
  w.StartScheduler();
  for (const char* node : {"n1", "n2", "n3"}) {
    ASSERT_THAT(PodsFor(node), SizeIs(1));
    EXPECT_EQ(PodsFor(node)[0].node_name(), node);
  }
}

// CTRL-DS-04, CTRL-DS-05
TEST_P(DaemonSets, ANewNodeGetsAPodAndATaintedOneDoesNot) {
  AddNodes(1);
  w.Create("daemonsets", DaemonSetJson());
  Start();
  w.Create("nodes", R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"tainted"},
      "spec":{"taints":[{"key":"k","effect":"NoSchedule"}]}})");
  w.AddNode("n2");
  w.Settle();
  EXPECT_THAT(PodsFor("n2"), SizeIs(1));
  EXPECT_THAT(PodsFor("tainted"), IsEmpty());
  EXPECT_EQ(Status("desiredNumberScheduled"), 2);
  w.Forget();
  w.Patch("nodes", "tainted", R"({"metadata":{"annotations":{"a":"b"}}})");
  w.Settle();
  EXPECT_EQ(w.Reconciles(kAgent), 0u) << "neither labels nor taints";
  w.Patch("nodes", "tainted", R"({"spec":{"taints":null}})");
  w.Settle();
  EXPECT_THAT(PodsFor("tainted"), SizeIs(1));
}

// CTRL-DS-04: a label that the DaemonSet does not ask for concerns it only where it counts pods on
// wrong nodes.
TEST_P(DaemonSets, OtherLabelsOfNodesDoNotConcernIt) {
  AddNodes(2);
  w.Create("daemonsets", DaemonSetJson());
  Start();
  RunPods();
  w.Forget();
  w.Patch("nodes", "n1", R"({"metadata":{"labels":{"color":"red"}}})");
  w.Settle();
  EXPECT_EQ(w.Reconciles(kAgent), 0u);
}

// CTRL-DS-05, CTRL-DS-09, CTRL-DS-20: a pod stays where it could not be made, and goes where it may
// not stay.
TEST_P(DaemonSets, PodsLeaveNodesThatEvictThem) {
  AddNodes(2);
  w.Create("daemonsets", DaemonSetJson(",\"updateStrategy\":{\"type\":\"OnDelete\"}"));
  Start();
  RunPods();
  w.Patch("nodes", "n1", R"({"spec":{"taints":[{"key":"k","effect":"NoSchedule"}]}})");
  w.Patch("daemonsets", "agent", R"({"metadata":{"labels":{"x":"y"}}})");
  w.Settle();
  ASSERT_THAT(PodsFor("n1"), SizeIs(1));
  EXPECT_FALSE(PodsFor("n1")[0].deleting());
  EXPECT_EQ(Status("desiredNumberScheduled"), 1);
  EXPECT_EQ(Status("numberMisscheduled"), 1);
  w.Patch("nodes", "n1", R"({"spec":{"taints":[{"key":"k","effect":"NoExecute"}]}})");
  w.Settle();
  EXPECT_TRUE(PodsFor("n1")[0].deleting());
  EXPECT_FALSE(PodsFor("n2")[0].deleting());
}

// CTRL-DS-04: from 1.36 on a node that becomes right again makes the count of wrong ones anew.
TEST_P(DaemonSets, TheCountOfMisscheduledPodsFollowsTheNode) {
  AddNodes(1);
  w.Create("daemonsets", DaemonSetJson());
  Start();
  RunPods();
  w.Patch("nodes", "n1", R"({"spec":{"taints":[{"key":"k","effect":"NoSchedule"}]}})");
  w.Patch("daemonsets", "agent", R"({"metadata":{"labels":{"x":"y"}}})");
  w.Settle();
  EXPECT_EQ(Status("numberMisscheduled"), 1);
  w.Patch("nodes", "n1", R"({"spec":{"taints":null}})");
  w.Settle();
  EXPECT_EQ(Status("numberMisscheduled"), 0);
}

// CTRL-DS-09: of several pods on a node the oldest that is bound stays.
TEST_P(DaemonSets, AnExcessPodGoes) {
  AddNodes(1);
  w.Create("daemonsets", DaemonSetJson());
  Start();
  RunPods();
  const std::string kept = w.TheOnlyPod();
  w.Advance(Seconds(2));
  w.Create("pods", PodJson("a-second", R"({"app":"agent"})", "", R"(,"nodeName":"n1")"));
  w.Settle();
  EXPECT_TRUE(w.Get("pods", "a-second").deleting());
  EXPECT_FALSE(w.Get("pods", kept).deleting());
}

// CTRL-DS-09: without surge the next pod comes when the last one is gone.
TEST_P(DaemonSets, ADeletedPodIsReplacedWhenItIsGone) {
  AddNodes(1);
  w.Create("daemonsets", DaemonSetJson());
  Start();
  RunPods();
  w.Delete("pods", w.TheOnlyPod());
  w.Settle();
  ASSERT_THAT(PodsFor("n1"), SizeIs(1));
  EXPECT_TRUE(PodsFor("n1")[0].deleting());
  EndPods();
  ASSERT_THAT(PodsFor("n1"), SizeIs(1));
  EXPECT_FALSE(PodsFor("n1")[0].deleting());
}

// CTRL-DS-09: an unscheduled pod whose node is gone has nobody else who would delete it.
TEST_P(DaemonSets, APodWithoutItsNodeGoes) {
  AddNodes(2);
  w.Create("daemonsets", DaemonSetJson());
  Start();
  const std::string bound(PodsFor("n1")[0].name());
  w.Bind(bound, "n1");
  w.Delete("nodes", "n1");
  w.Delete("nodes", "n2");
  w.Patch("daemonsets", "agent", R"({"metadata":{"labels":{"x":"y"}}})");
  w.Settle();
  EXPECT_THAT(w.PodNames(), ElementsAre(bound));
}

// CTRL-DS-10: a failed pod goes at once, the next one on that node after a wait that doubles.
TEST_P(DaemonSets, FailedPodsAreReplacedWithDelays) {
  AddNodes(1);
  w.Create("daemonsets", DaemonSetJson());
  Start();
  std::vector<Duration> deletions;
  for (int i = 0; i < 5; ++i) {
    w.Forget();
    const std::string name = w.TheOnlyPod();
    if (w.NodeOf(name).empty()) w.Bind(name, "n1");
    const VirtualTime failed = w.api.sim.now();
    w.Patch("pods", name, R"({"status":{"phase":"Failed"}})", "status");
    // Nothing runs any more, so it is gone as soon as it is deleted.
    for (int tick = 0; tick < 400 && !w.Get("pods", name).empty(); ++tick)
      w.Advance(Milliseconds(50));
    ASSERT_TRUE(w.Get("pods", name).empty());
    deletions.push_back(w.api.sim.now() - failed);
    w.Advance(Milliseconds(200));
    EXPECT_THAT(w.EventTexts(),
                Contains("Warning FailedDaemonPod Found failed daemon pod default/" + name +
                         " on node n1, will try to kill it"));
  }
  EXPECT_LT(deletions[0], Milliseconds(200));
  EXPECT_GT(deletions[4], Seconds(6)) << "8 s after the one before";
  EXPECT_LT(deletions[4], Seconds(9));
}

// CTRL-DS-09: from 1.30 on a pod that has succeeded is deleted, so that another one comes.
TEST_P(DaemonSets, ASucceededPodIsReplaced) {
  AddNodes(1);
  w.Create("daemonsets", DaemonSetJson());
  Start();
  const std::string name = w.TheOnlyPod();
  w.Bind(name, "n1");
  w.Settle();
  w.Forget();
  w.Patch("pods", name, R"({"status":{"phase":"Succeeded"}})", "status");
  w.Settle();
  const std::string told = "Normal SucceededDaemonPod Found succeeded daemon pod default/" + name +
                           " on node n1, will try to delete it";
  if (GetParam() == api::Compat::k1_25) {
    EXPECT_THAT(w.EventTexts(), Not(Contains(told)));
    EXPECT_FALSE(w.Get("pods", name).deleting());
  } else {
    EXPECT_THAT(w.EventTexts(), Contains(told));
    EXPECT_TRUE(w.Get("pods", name).empty() || w.Get("pods", name).deleting());
  }
}

// CTRL-DS-11
TEST_P(DaemonSets, CreatesInBatchesThatDouble) {
  AddNodes(20);
  w.Create("daemonsets", DaemonSetJson());
  Start();
  std::map<VirtualTime, std::size_t> posts;
  for (const sim::Event& e : w.events()) {
    if (e.kind != sim::EventKind::kRequest) continue;
    const api::Request& r = e.payload.As<client::RequestPayload>().request;
    if (r.verb == api::Verb::kCreate && r.resource->resource == "pods") ++posts[e.time];
  }
  std::vector<std::size_t> batches;
  for (const auto& [time, n] : posts) batches.push_back(n);
  EXPECT_THAT(batches, ElementsAre(1, 2, 4, 8, 5));
  EXPECT_THAT(w.EventTexts(), Contains(StartsWith("Normal SuccessfulCreate Created pod: agent-")));
}

// CTRL-DS-11: the first batch with an error is the last, and the expectations of the rest go.
TEST_P(DaemonSets, ARefusedCreateIsToldAndTriedAgain) {
  AddNodes(4);
  w.Create("daemonsets", DaemonSetJson("", R"(,"priorityClassName":"nope")"));
  Start();
  const std::vector<std::string> texts = w.EventTexts();
  EXPECT_THAT(texts, Contains(StartsWith("Warning FailedCreate Error creating: ")));
  const auto record = controller->expectations().Get(kAgent);
  ASSERT_TRUE(record.has_value());
  EXPECT_LE(record->add, 0);
  EXPECT_EQ(Status("observedGeneration"), 1) << "the status is written all the same";
  w.Forget();
  w.Advance(Minutes(1));
  const std::vector<std::string> writes = w.Writes();
  EXPECT_GE(DaemonWrites(writes, "create pods"), 3u) << "one a try";
  EXPECT_LE(DaemonWrites(writes, "create pods"), 15u);
}

// CTRL-DS-08: while creations are not seen a sync makes none, and writes what it sees.
TEST_P(DaemonSets, WaitsForWhatItHasMade) {
  AddNodes(1);
  Start();
  w.Freeze("pods");
  w.Create("daemonsets", DaemonSetJson());
  w.Settle();
  w.Forget();
  w.Patch("daemonsets", "agent", R"({"spec":{"minReadySeconds":1}})");
  w.AddNode("n2");
  w.Settle();
  EXPECT_THAT(w.Writes(), Not(Contains("create pods")));
  if (GetParam() != api::Compat::k1_36) {
    EXPECT_EQ(Status("desiredNumberScheduled"), 2);
    EXPECT_LT(Status("observedGeneration"), 2) << "nobody has acted on it";
  }
  w.Freeze("pods", false);
  w.Advance(Seconds(30));
  EXPECT_THAT(PodsFor("n1"), SizeIs(1));
  EXPECT_THAT(PodsFor("n2"), SizeIs(1));
  EXPECT_EQ(Status("observedGeneration"), 2);
}

// CTRL-DS-08: nothing is done about a DaemonSet that is being deleted.
TEST_P(DaemonSets, ADeletedOneIsLeftAlone) {
  AddNodes(1);
  w.Create("daemonsets", DaemonSetJson());
  Start();
  api::DeleteOptions foreground;
  foreground.propagation_policy = "Foreground";
  w.Delete("daemonsets", "agent", foreground);
  w.Settle();
  w.Forget();
  w.AddNode("n2");
  w.Settle();
  EXPECT_THAT(w.Writes(), Not(Contains("create pods")));
}

// CTRL-DS-01: daemon_controller_test.go TestExpectationsOnRecreate.
TEST_P(DaemonSets, OneThatIsMadeAnewExpectsNothing) {
  AddNodes(1);
  Start();
  w.Freeze("pods");
  w.Create("daemonsets", DaemonSetJson());
  w.Settle();
  EXPECT_EQ(controller->expectations().Get(kAgent)->add, 1) << "it has not seen its pod";
  api::DeleteOptions orphan;
  orphan.propagation_policy = "Background";
  w.Delete("daemonsets", "agent", orphan);
  w.Settle();
  EXPECT_FALSE(controller->expectations().Get(kAgent).has_value());
  w.Forget();
  w.Create("daemonsets", DaemonSetJson());
  w.Settle();
  EXPECT_THAT(w.Writes(), Contains("create pods"));
}

// CTRL-DS-02: pods that somebody made for it are adopted, and released when they do not match.
TEST_P(DaemonSets, AdoptsAndReleases) {
  AddNodes(1);
  w.Create("pods", PodJson("orphan", R"({"app":"agent"})", "", R"(,"nodeName":"n1")"));
  w.Create("daemonsets", DaemonSetJson(",\"updateStrategy\":{\"type\":\"OnDelete\"}"));
  Start();
  ASSERT_TRUE(w.Get("pods", "orphan").controller().has_value());
  EXPECT_EQ(w.Get("pods", "orphan").controller()->name, "agent");
  EXPECT_THAT(w.PodNames(), ElementsAre("orphan"));
  w.Patch("pods", "orphan", R"({"metadata":{"labels":{"app":"other"}}})");
  w.Settle();
  EXPECT_FALSE(w.Get("pods", "orphan").controller().has_value());
  EXPECT_THAT(w.PodNames(), SizeIs(2));
}

// CTRL-DS-21: minReadySeconds makes a pod available later, and the controller looks then.
TEST_P(DaemonSets, APodBecomesAvailableLater) {
  AddNodes(1);
  w.Create("daemonsets", DaemonSetJson(",\"minReadySeconds\":10"));
  Start();
  RunPods();
  EXPECT_EQ(Status("numberReady"), 1);
  EXPECT_EQ(Status("numberAvailable"), 0);
  EXPECT_EQ(Status("numberUnavailable"), 1);
  w.Advance(Seconds(12));
  EXPECT_EQ(Status("numberAvailable"), 1);
  w.Forget();
  w.Advance(Minutes(5));
  EXPECT_EQ(w.Reconciles(kAgent), 0u);
}

// CTRL-DS-21: a conflict is answered by one read and one more write of the same counts.
TEST_P(DaemonSets, TheStatusIsWrittenOnceMore) {
  AddNodes(1);
  w.Create("daemonsets", DaemonSetJson());
  Start();
  w.Freeze("daemonsets");
  w.Patch("daemonsets", "agent", R"({"metadata":{"labels":{"x":"y"}}})");
  w.Forget();
  RunPods();
  const std::vector<std::string> asked = w.Requests({"daemonsets"});
  EXPECT_EQ(Status("numberReady"), 1);
  EXPECT_THAT(asked, Contains("get daemonsets/agent"));
  EXPECT_GE(DaemonWrites(asked, "update daemonsets/agent/status"), 2u);
}

}  // namespace
}  // namespace ksim
