// Old bugs of the ReplicaSet controller and of the scheduler: each variant runs one script with the
// bug and with its repair.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ksim/client/core/payloads.h"
#include "ksim/sim/probe.h"
#include "tests/whole/actors/actor_world.h"

namespace ksim {
namespace {

using testing::IsEmpty;

std::uint64_t Reached(std::string_view probe) {
  for (const sim::ProbeCount& p : sim::Probes())
    if (p.name == probe) return p.count;
  return 0;
}

api::DeleteOptions AtOnce() {
  api::DeleteOptions options;
  options.grace_period_seconds = 0;
  return options;
}

// A bound pod is deleted and created again while the scheduler's cache lags. The scheduler gets one
// update from the old pod to the new one.
std::string NodeOfTheSecondPod(std::string_view value) {
  sim::ResetProbes();
  ActorWorld w({api::Compat::k1_30, {{"scheduler.podUID", std::string(value)}}});
  w.AddNode("n1", "1");
  w.StartScheduler();
  w.Create("pods", PodJson("p"));
  w.Settle();
  EXPECT_EQ(w.Get("pods", "p").node_name(), "n1");
  w.Freeze("pods");
  w.Delete("pods", "p", AtOnce());
  w.Create("pods", PodJson("p"));
  w.Relist("pods");
  w.Freeze("pods", false);
  w.Advance(Minutes(1));
  return std::string(w.Get("pods", "p").node_name());
}

// bugs: kubernetes#106102
TEST(SchedulerPodUID, IgnoredTheOldPodHoldsItsNodeForEver) {
  EXPECT_EQ(NodeOfTheSecondPod("ignore"), "");
  EXPECT_EQ(Reached("variant/scheduler.podUID"), 1u);
  EXPECT_EQ(NodeOfTheSecondPod("check"), "n1");
  EXPECT_EQ(Reached("variant/scheduler.podUID"), 1u);
}

// A node is deleted while the scheduler's cache lags, and a new pod fits on that node alone.
std::string NodeAfterTheNodeHasGone(std::string_view value) {
  sim::ResetProbes();
  ActorWorld w({api::Compat::k1_30, {{"scheduler.ghostNode", std::string(value)}}});
  w.AddNode("n1");
  w.StartScheduler();
  w.Freeze("nodes");
  w.Delete("nodes", "n1");
  w.Relist("nodes");
  w.Freeze("nodes", false);
  w.Create("pods", PodJson("p"));
  w.Advance(Minutes(1));
  return std::string(w.Get("pods", "p").node_name());
}

// bugs: kubernetes#56261
TEST(SchedulerGhostNode, KeptAPodIsBoundToANodeThatIsNoMore) {
  EXPECT_EQ(NodeAfterTheNodeHasGone("keep"), "n1");
  EXPECT_EQ(Reached("variant/scheduler.ghostNode"), 1u);
  EXPECT_EQ(NodeAfterTheNodeHasGone("drop"), "");
}

// The controller does not see the pods that it created for 301 s; then the user touches the
// ReplicaSet.
std::size_t PodsAfterALateStream(api::Compat compat, std::string_view value) {
  sim::ResetProbes();
  ActorWorld w({compat, {{"rs.expectations", std::string(value)}}});
  w.StartReplicaSets();
  w.Freeze("pods");
  w.Create("replicasets", ReplicaSetJson("web", 2));
  w.Advance(Seconds(301));
  w.Patch("replicasets", "web", R"({"metadata":{"labels":{"touched":"yes"}}})");
  w.Advance(Seconds(30));
  return w.PodNames().size();
}

// bugs: kubernetes#129795
TEST(RsExpectations, RunOutAndThePodsAreMadeTwice) {
  for (const api::Compat compat : kCompats) {
    EXPECT_EQ(PodsAfterALateStream(compat, "expire"), 4u);
    EXPECT_GT(Reached("variant/rs.expectations"), 0u);
  }
}

TEST(RsExpectations, TheVersionOfItsOwnWritesHoldsTheControllerBack) {
  for (const api::Compat compat : kCompats) {
    EXPECT_EQ(PodsAfterALateStream(compat, "ownWriteRV"), 2u);
    EXPECT_GT(Reached("variant/rs.expectations"), 0u);
  }
}

TEST(RsExpectations, NeverRunningOutHoldsItBackToo) {
  EXPECT_EQ(PodsAfterALateStream(api::Compat::k1_30, "never"), 2u);
}

// The opposite case: the controller waits for a pod that was created and deleted unseen.
TEST(RsExpectations, NeverRunningOutWaitsForEverForAPodThatCameAndWentUnseen) {
  for (const auto& [value, pods] :
       {std::pair("never", 0u), std::pair("expire", 1u), std::pair("ownWriteRV", 1u)}) {
    ActorWorld w({api::Compat::k1_30, {{"rs.expectations", value}}});
    w.StartReplicaSets();
    w.Freeze("pods");
    w.Create("replicasets", ReplicaSetJson("web", 1));
    w.Settle();
    w.Delete("pods", w.TheOnlyPod(), AtOnce());
    w.Relist("pods");
    w.Freeze("pods", false);
    EXPECT_THAT(w.PodNames(), IsEmpty()) << value;
    w.Advance(Minutes(6));
    w.Patch("replicasets", "web", R"({"metadata":{"labels":{"touched":"yes"}}})");
    w.Advance(Seconds(30));
    EXPECT_EQ(w.PodNames().size(), pods) << value;
  }
}

// The feature gate of 1.36 (KEP-5647) is on by default there, and only there.
// CLIENT-110, CTRL-C-08
TEST(RsExpectations, IsTheGateOnlyIn136) {
  for (const api::Compat compat : kCompats) {
    ActorWorld w(compat);
    w.StartReplicaSets();
    w.Freeze("pods");
    w.Create("replicasets", ReplicaSetJson("web", 1));
    w.Advance(Seconds(10));
    std::size_t refused = 0;
    for (const sim::Event& e : w.events()) {
      if (e.kind != sim::EventKind::kReconcile) continue;
      const auto& reconcile = e.payload.As<client::ReconcilePayload>();
      refused += reconcile.result.starts_with("error: read version: ") &&
                 reconcile.result.ends_with(" for group resource pods");
    }
    EXPECT_EQ(refused > 2, compat == api::Compat::k1_36);
    w.Freeze("pods", false);
    w.Advance(Seconds(30));
    w.Forget();
    w.Advance(Seconds(60));
    EXPECT_EQ(w.Reconciles("default/web"), 0u);
    EXPECT_EQ(w.Get("replicasets", "web").status().Get("replicas").AsInt(), 1);
  }
}

}  // namespace
}  // namespace ksim
