// The ReplicaSet controller's event handlers, in all versions unless a test says otherwise.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "ksim/client/core/payloads.h"
#include "tests/whole/actors/actor_world.h"

namespace ksim {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class ReplicaSetHandlers : public testing::TestWithParam<api::Compat> {
 protected:
  ReplicaSetHandlers() : w(GetParam()) { w.StartReplicaSets(); }
  std::int64_t ExpectedCreations(const std::string& key = kWeb) {
    const auto record = w.replicasets().expectations().Get(key);
    return record ? record->add : 0;
  }
  ActorWorld w;
};

INSTANTIATE_TEST_SUITE_P(Compat, ReplicaSetHandlers, testing::ValuesIn(kCompats),
                         [](const auto& info) { return std::to_string(int(info.param)); });

// CTRL-RS-01
TEST_P(ReplicaSetHandlers, EveryUpdateOfAReplicaSetIsASync) {
  w.Create("replicasets", ReplicaSetJson("web", 0));
  w.Settle();
  EXPECT_GE(w.Reconciles(kWeb), 2u) << "its own status write leads to another";
  for (const char* change :
       {R"({"metadata":{"labels":{"a":"b"}}})", R"({"spec":{"replicas":0}})"}) {
    w.Patch("replicasets", "web", change);
    w.Settle();
    EXPECT_EQ(w.Reconciles(kWeb), std::string_view(change).find("spec") == 2 ? 0u : 1u);
  }
  w.Patch("replicasets", "web", R"({"status":{"observedGeneration":7}})", "status");
  w.Settle();
  EXPECT_GE(w.Reconciles(kWeb), 1u);
}

// CTRL-RS-02
TEST_P(ReplicaSetHandlers, AnUpdateToAnotherUidDropsTheExpectationsOfTheOldOne) {
  w.Freeze("pods");
  w.Create("replicasets", ReplicaSetJson("web", 1));
  w.Settle();
  const std::string first = w.TheOnlyPod();
  EXPECT_EQ(ExpectedCreations(), 1);
  w.Freeze("replicasets");
  w.Delete("replicasets", "web");
  w.Create("replicasets", ReplicaSetJson("web", 1));
  w.Forget();
  w.Relist("replicasets");
  w.Freeze("replicasets", false);
  EXPECT_THAT(w.HandlerCalls("replicasets"), testing::Contains("update web"));
  EXPECT_THAT(w.PodNames(), SizeIs(2)) << "nobody waits for the pod of the old one";
}

// CTRL-RS-03
TEST_P(ReplicaSetHandlers, ADeletedReplicaSetLeavesNoExpectations) {
  w.Freeze("pods");
  w.Create("replicasets", ReplicaSetJson("web", 1));
  w.Settle();
  w.Writes();
  w.Delete("replicasets", "web");
  w.Settle();
  EXPECT_FALSE(w.replicasets().expectations().Get(kWeb).has_value());
  EXPECT_THAT(w.Writes(), IsEmpty());
  w.Create("replicasets", ReplicaSetJson("web", 1));
  w.Settle();
  EXPECT_THAT(w.PodNames(), SizeIs(2));
}

// CTRL-RS-04
TEST_P(ReplicaSetHandlers, APodFirstSeenWhileItIsBeingDeletedIsNoCreation) {
  w.AddNode("n1");
  w.Freeze("pods");
  w.Create("replicasets", ReplicaSetJson("web", 1));
  w.Settle();
  const std::string pod = w.TheOnlyPod();
  w.Bind(pod, "n1");
  w.Delete("pods", pod, Grace(600));
  w.Relist("pods");
  w.Freeze("pods", false);
  EXPECT_EQ(ExpectedCreations(), 1);
  w.Forget();
  w.Advance(Minutes(4));
  EXPECT_THAT(w.Writes(), IsEmpty());
}

// CTRL-RS-05
TEST_P(ReplicaSetHandlers, AnOwnedPodIsACreationObservedAndOneOfAnotherOwnerNothing) {
  w.Create("replicasets", ReplicaSetJson("web", 1));
  w.Settle();
  EXPECT_EQ(ExpectedCreations(), 0) << "the record is there, and met";
  const std::string uid(w.Get("replicasets", "web").uid());
  w.Forget();
  const auto owner = [](const std::string& kind, const std::string& name, const std::string& u) {
    return R"({"apiVersion":"apps/v1","kind":")" + kind + R"(","name":")" + name + R"(","uid":")" +
           u + R"(","controller":true})";
  };
  struct Case {
    std::string pod, owner;
    bool sync;
  };
  for (const Case& c : std::vector<Case>{{"other-kind", owner("StatefulSet", "web", uid), false},
                                         {"other-uid", owner("ReplicaSet", "web", "old"), false},
                                         {"unknown", owner("ReplicaSet", "nope", uid), false},
                                         {"owned", owner("ReplicaSet", "web", uid), true}}) {
    w.Create("pods", PodJson(c.pod, R"({"x":"y"})", c.owner));
    w.Advance(Milliseconds(200));
    EXPECT_EQ(w.Reconciles(kWeb) > 0, c.sync) << c.pod;
  }
}

// CTRL-RS-06
TEST_P(ReplicaSetHandlers, AnOrphanSyncsEveryReplicaSetThatSelectsItAndLowersNothing) {
  w.Create("replicasets", ReplicaSetJson("web", 0));
  w.Create("replicasets", ReplicaSetJson("api", 0));
  w.Settle();
  w.Freeze("pods");
  w.Create("pods", PodJson("orphan"));
  w.Patch("replicasets", "web", R"({"spec":{"replicas":1}})");
  w.Settle();
  EXPECT_EQ(ExpectedCreations(), 1);
  w.Forget();
  w.Freeze("pods", false);
  w.api.RunUntil([&] { return w.HandlerCalls("pods").size() == 1; });
  EXPECT_THAT(w.HandlerCalls("pods"), ElementsAre("add orphan"));
  EXPECT_EQ(ExpectedCreations(), 1);
  w.Settle();
  EXPECT_EQ(w.Reconciles("default/api"), 0u);
}

// CTRL-RS-07
TEST_P(ReplicaSetHandlers, AnUpdateWithoutAChangeIsIgnored) {
  w.Create("replicasets", ReplicaSetJson("web", 1));
  w.Settle();
  w.Freeze("pods");
  w.Create("pods", PodJson("elsewhere", R"({"x":"y"})"));
  w.Forget();
  w.Relist("pods");
  EXPECT_THAT(w.HandlerCalls("pods"), testing::Contains(testing::StartsWith("update web-")));
  EXPECT_EQ(w.Reconciles(kWeb), 0u);
}

// CTRL-RS-08
TEST_P(ReplicaSetHandlers, APodThatBeginsToBeDeletedCountsAsDeletedOnce) {
  w.AddNode("n1");
  w.Create("replicasets", ReplicaSetJson("web", 2));
  w.Settle();
  for (const std::string& pod : w.PodNames()) w.Bind(pod, "n1");
  w.Settle();
  w.Patch("replicasets", "web", R"({"spec":{"replicas":1}})");
  w.Settle();
  const auto record = w.replicasets().expectations().Get(kWeb);
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(record->del, 0);
  EXPECT_THAT(w.PodNames(), SizeIs(2)) << "it has 30 s to end";
  for (const std::string& pod : w.PodNames())
    if (w.Get("pods", pod).deleting()) w.Delete("pods", pod, Grace(0));
  w.Settle();
  EXPECT_EQ(w.replicasets().expectations().Get(kWeb)->del, 0) << "the DELETE does not count again";
  EXPECT_THAT(w.PodNames(), SizeIs(1));
}

// CTRL-RS-09, CTRL-RS-13
TEST_P(ReplicaSetHandlers, APodThatChangesHandsSyncsTheOldOwnerAndTheNewOne) {
  w.Create("replicasets", ReplicaSetJson("web", 1));
  w.Create("replicasets", ReplicaSetJson("api", 0));
  w.Settle();
  const std::string pod = w.TheOnlyPod();
  w.Writes();
  w.Patch("pods", pod, R"({"metadata":{"labels":{"app":"api"}}})");
  w.Advance(Seconds(5));
  const std::vector<std::string> writes = w.Writes();
  // The first ReplicaSet releases the pod and replaces it; the second adopts it and then has one
  // too many.
  EXPECT_THAT(writes, testing::Contains("create pods"));
  EXPECT_EQ(std::count(writes.begin(), writes.end(), "patch pods/" + pod), 2);
  EXPECT_THAT(writes, testing::Contains("delete pods/" + pod));
  EXPECT_EQ(w.Get("replicasets", "web").status().Get("replicas").AsInt(), 1);
}

// CTRL-RS-09: the pod's labels are those of neither ReplicaSet, so that nothing else syncs them:
// the new owner lets go of it, the old one replaces it.
TEST_P(ReplicaSetHandlers, APodThatIsTakenAwaySyncsItsOldOwner) {
  w.Create("replicasets", ReplicaSetJson("web", 1));
  w.Create("replicasets", ReplicaSetJson("api", 0));
  w.Settle();
  const std::string pod = w.TheOnlyPod();
  w.Writes();
  w.Patch("pods", pod,
          R"({"metadata":{"labels":{"app":"none"},"ownerReferences":[{"$patch":"replace"},
            {"apiVersion":"apps/v1","kind":"ReplicaSet","name":"api","uid":")" +
              std::string(w.Get("replicasets", "api").uid()) + R"(","controller":true}]}})");
  w.Settle();
  const std::vector<std::string> writes = w.Writes();
  EXPECT_THAT(writes, testing::Contains("create pods")) << "web, the old owner";
  EXPECT_THAT(writes, testing::Contains("patch pods/" + pod)) << "api, the new owner";
}

// CTRL-RS-09: an orphan that has ended is adopted by nobody.
TEST_P(ReplicaSetHandlers, AnOrphansUpdateCountsOnlyWithOtherLabels) {
  w.Create("pods", PodJson("orphan"));
  w.Patch("pods", "orphan", R"({"status":{"phase":"Succeeded"}})", "status");
  w.Create("replicasets", ReplicaSetJson("web", 1));
  w.Settle();
  w.Forget();
  w.Patch("pods", "orphan", R"({"metadata":{"annotations":{"a":"b"}}})");
  w.Settle();
  EXPECT_THAT(w.HandlerCalls("pods"), testing::Contains("update orphan"));
  EXPECT_EQ(w.Reconciles(kWeb), 0u);
  w.Patch("pods", "orphan", R"({"metadata":{"labels":{"a":"b"}}})");
  w.Settle();
  EXPECT_EQ(w.Reconciles(kWeb), 1u);
}

// CTRL-RS-10: no event marks the moment at which a pod becomes available. The second pod is not
// ready, so before 1.36 no sync schedules another one.
TEST_P(ReplicaSetHandlers, APodThatBecameReadyIsLookedAtAgainWhenItIsAvailable) {
  w.Create("replicasets", ReplicaSetJson("web", 2, R"(,"minReadySeconds":40)"));
  w.Settle();
  w.Forget();
  w.MakeReady(w.PodNames().front());
  w.Advance(Seconds(20));
  const std::vector<VirtualTime> at_once = w.ReconcileTimes(kWeb);
  ASSERT_FALSE(at_once.empty());
  w.Advance(Seconds(40));
  const Duration expected = GetParam() == api::Compat::k1_36 ? Seconds(40) : Seconds(41);
  // The delay counts from the handler's call, a little before the first sync.
  bool again = false;
  for (const VirtualTime t : w.ReconcileTimes(kWeb)) {
    const Duration after = t - at_once.front();
    again = again || (after > expected - Milliseconds(100) && after <= expected);
  }
  EXPECT_TRUE(again);
  EXPECT_EQ(w.Get("replicasets", "web").status().Get("availableReplicas").AsInt(), 1);
}

// CTRL-C-02: five workers run, and never two of them on one key.
TEST_P(ReplicaSetHandlers, FiveWorkersNeverShareAKey) {
  w.Forget();
  for (int i = 0; i < 12; ++i)
    w.Create("replicasets", ReplicaSetJson("web-" + std::to_string(i), 3));
  w.Advance(Seconds(30));
  std::set<std::string> under_way;
  std::size_t most = 0;
  for (std::size_t i = w.from(); i < w.events().size(); ++i) {
    if (w.events()[i].kind != sim::EventKind::kReconcile) continue;
    const auto& r = w.events()[i].payload.As<client::ReconcilePayload>();
    if (r.state == "begin") {
      EXPECT_TRUE(under_way.insert(r.key.str()).second) << r.key << " by two workers";
    } else {
      under_way.erase(r.key.str());
    }
    most = std::max(most, under_way.size());
  }
  EXPECT_EQ(most, 5u);
}

// CTRL-RS-11, CTRL-C-12
TEST_P(ReplicaSetHandlers, ADeletedPodOfTheReplicaSetIsReplacedAnyOtherIgnored) {
  w.Create("replicasets", ReplicaSetJson("web", 1));
  w.Create("pods", PodJson("stranger", R"({"x":"y"})"));
  w.Settle();
  w.Forget();
  w.Delete("pods", "stranger", Grace(0));
  w.Settle();
  EXPECT_EQ(w.Reconciles(kWeb), 0u);
  w.Delete("pods", w.TheOnlyPod(), Grace(0));
  w.Settle();
  EXPECT_THAT(w.PodNames(), SizeIs(1));
}

// CTRL-RS-11: even if a ReplicaSet selects it. A pod that has ended is not adopted.
TEST_P(ReplicaSetHandlers, ADeletedOrphanIsIgnored) {
  w.Create("pods", PodJson("orphan"));
  w.Patch("pods", "orphan", R"({"status":{"phase":"Succeeded"}})", "status");
  w.Create("replicasets", ReplicaSetJson("web", 1));
  w.Settle();
  ASSERT_FALSE(w.Get("pods", "orphan").controller().has_value());
  w.Forget();
  w.Delete("pods", "orphan", Grace(0));
  w.Settle();
  EXPECT_THAT(w.HandlerCalls("pods"), testing::Contains("delete orphan"));
  EXPECT_EQ(w.Reconciles(kWeb), 0u);
}

// CTRL-RS-11: pods without a node go at once. The controller expects one deletion, by the pod's
// key; that of a pod that somebody else has deleted comes first and does not count.
TEST_P(ReplicaSetHandlers, ADeletionIsObservedByThePodsKey) {
  w.Create("replicasets", ReplicaSetJson("web", 3));
  w.Settle();
  const std::vector<std::string> pods = w.PodNames();
  for (std::size_t i = 0; i < 2; ++i) w.MakeReady(pods[i]);  // the third will be its victim
  w.Settle();
  w.Freeze("pods");
  w.Delete("pods", pods[0], Grace(0));
  w.Patch("replicasets", "web", R"({"spec":{"replicas":2}})");
  w.Settle();
  const auto expected = [this] { return w.replicasets().expectations().Get(kWeb)->del; };
  EXPECT_EQ(expected(), 1);
  EXPECT_THAT(w.PodNames(), ElementsAre(pods[1]));
  w.Forget();
  w.Freeze("pods", false);
  const auto told = [&](const std::string& pod) {
    const std::vector<std::string> calls = w.HandlerCalls("pods");
    return std::count(calls.begin(), calls.end(), "delete " + pod) > 0;
  };
  w.api.RunUntil([&] { return told(pods[0]); });
  EXPECT_EQ(expected(), told(pods[2]) ? 0 : 1) << "another pod";
  w.api.RunUntil([&] { return told(pods[2]); });
  EXPECT_EQ(expected(), 0);
}

// CTRL-RS-11: the controller missed a deletion; the tombstone names the pod's owner.
TEST_P(ReplicaSetHandlers, ATombstoneCountsAsTheDelete) {
  w.Create("replicasets", ReplicaSetJson("web", 1));
  w.Settle();
  w.Freeze("pods");
  w.Delete("pods", w.TheOnlyPod(), Grace(0));
  w.Forget();
  w.Relist("pods");
  w.Freeze("pods", false);
  EXPECT_THAT(w.HandlerCalls("pods"), testing::Contains(testing::EndsWith(" tombstone")));
  EXPECT_THAT(w.PodNames(), SizeIs(1));
}

// CTRL-RS-11: the pod had changed hands before it went, which the controller missed too.
TEST_P(ReplicaSetHandlers, AStaleTombstoneCountsForTheOwnerThatItNames) {
  w.Create("replicasets", ReplicaSetJson("web", 1));
  w.Create("replicasets", ReplicaSetJson("api", 0));
  w.Settle();
  const std::string pod = w.TheOnlyPod();
  w.Freeze("pods");
  w.Patch("pods", pod,
          R"({"metadata":{"labels":{"app":"api"},"ownerReferences":[{"$patch":"replace"},
            {"apiVersion":"apps/v1","kind":"ReplicaSet","name":"api","uid":")" +
              std::string(w.Get("replicasets", "api").uid()) + R"(","controller":true}]}})");
  w.Delete("pods", pod, Grace(0));
  w.Forget();
  w.Relist("pods");
  w.Freeze("pods", false);
  w.Settle();
  EXPECT_THAT(w.HandlerCalls("pods"), testing::Contains("delete " + pod + " tombstone"));
  EXPECT_EQ(w.Reconciles("default/api"), 0u);
  EXPECT_THAT(w.PodNames(), SizeIs(1)) << "its old owner has replaced it";
}

}  // namespace
}  // namespace ksim
