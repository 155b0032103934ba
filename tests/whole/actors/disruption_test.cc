// The disruption controller against real API servers, in all versions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ksim/api/conditions.h"
#include "ksim/controllers/disruption/disruption_controller.h"
#include "ksim/value/timestamp.h"
#include "tests/whole/actors/actor_world.h"

namespace ksim {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::Not;

class Disruption : public testing::TestWithParam<api::Compat> {
 protected:
  Disruption() : w(GetParam()) {
    w.StartController("disruption", [](controllers::ControllerContext context) {
      return std::make_unique<controllers::DisruptionController>(std::move(context));
    });
  }
  void MakeBudget(std::string_view spec, std::string_view name = "b") {
    w.Create("poddisruptionbudgets",
             R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":")" +
                 std::string(name) + R"("},"spec":{"selector":{"matchLabels":{"app":"web"}},)" +
                 std::string(spec) + "}}");
    w.Settle();
  }
  void MakePods(int n, std::string_view owner = {}) {
    for (int i = 1; i <= n; ++i) {
      const std::string name = "p" + std::to_string(i);
      w.Create("pods", PodJson(name, R"({"app":"web"})", owner));
      w.Bind(name, "n1");
      w.MakeReady(name);
    }
    w.Settle();
  }
  std::int64_t Status(std::string_view field) {
    return w.Get("poddisruptionbudgets", "b").status().Get(field).AsInt();
  }
  api::Response Evict(std::string_view pod) {
    api::Request r = w.api.Request(api::Verb::kCreate, "pods", "default", pod);
    r.subresource = "eviction";
    r.body = apiserver::Json(R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":")" +
                             std::string(pod) + R"("}})");
    return w.Do(std::move(r));
  }
  std::string OwnerOf(std::string_view kind, std::string_view name, std::string_view uid) {
    return R"({"apiVersion":"apps/v1","kind":")" + std::string(kind) + R"(","name":")" +
           std::string(name) + R"(","uid":")" + std::string(uid) + R"(","controller":true})";
  }
  ActorWorld w;
};

INSTANTIATE_TEST_SUITE_P(Compat, Disruption, testing::ValuesIn(kCompats),
                         [](const auto& info) { return std::to_string(int(info.param)); });

// CTRL-PDB-01, CTRL-PDB-02: with a number, the pods that are there are those expected.
TEST_P(Disruption, FollowsThePods) {
  MakeBudget(R"("minAvailable":2)");
  EXPECT_THAT(w.EventTexts(), Contains("Normal NoPods No matching pods found"));
  EXPECT_EQ(Status("disruptionsAllowed"), 0);
  MakePods(3);
  EXPECT_EQ(Status("expectedPods"), 3);
  EXPECT_EQ(Status("disruptionsAllowed"), 1);
  w.MakeReady("p1", false);
  w.Settle();
  EXPECT_EQ(Status("currentHealthy"), 2);
  EXPECT_EQ(Status("disruptionsAllowed"), 0);
  w.Delete("pods", "p1", Grace(0));
  w.Settle();
  EXPECT_EQ(Status("expectedPods"), 2);
}

// CTRL-PDB-01: with maxUnavailable, the scale of the pods' controllers counts.
TEST_P(Disruption, ExpectsWhatTheControllersWant) {
  w.Create("replicasets", ReplicaSetJson("web", 5));
  const std::string uid(w.Get("replicasets", "web").uid());
  MakePods(4, OwnerOf("ReplicaSet", "web", uid));
  MakeBudget(R"("maxUnavailable":"30%")");
  EXPECT_EQ(Status("expectedPods"), 5);
  EXPECT_EQ(Status("desiredHealthy"), 3);
  EXPECT_EQ(Status("disruptionsAllowed"), 1);
}

// CTRL-PDB-01: a Deployment above a ReplicaSet counts in its place.
TEST_P(Disruption, ADeploymentCountsInPlaceOfItsReplicaSet) {
  w.Create("deployments",
           R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{
             "replicas":8,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{
             "labels":{"app":"web"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}})");
  const std::string above(w.Get("deployments", "d").uid());
  w.Create("replicasets", ReplicaSetJson("web", 3));
  w.Patch("replicasets", "web",
          R"({"metadata":{"ownerReferences":[)" + OwnerOf("Deployment", "d", above) + "]}}");
  const std::string uid(w.Get("replicasets", "web").uid());
  MakePods(3, OwnerOf("ReplicaSet", "web", uid));
  MakeBudget(R"("maxUnavailable":1)");
  EXPECT_EQ(Status("expectedPods"), 8);
  EXPECT_EQ(Status("desiredHealthy"), 7);
}

// CTRL-PDB-01, CTRL-PDB-05
TEST_P(Disruption, APodWhoseControllerIsNotThereFailsTheSync) {
  MakePods(1, OwnerOf("ReplicaSet", "gone", "no-such-uid"));
  w.Forget();
  MakeBudget(R"("maxUnavailable":1)");
  EXPECT_THAT(w.EventTexts(),
              Contains("Warning CalculateExpectedPodCountFailed Failed to calculate the number of "
                       "expected pods: found no controllers for pod \"p1\""));
  const api::Object budget = w.Get("poddisruptionbudgets", "b");
  const value::Value* condition =
      api::FindCondition(budget.status().Get("conditions"), "DisruptionAllowed");
  ASSERT_NE(condition, nullptr);
  EXPECT_EQ(condition->Get("reason").AsString(), "SyncFailed");
  EXPECT_EQ(condition->Get("message").AsString(), "found no controllers for pod \"p1\"");
}

// CTRL-PDB-01
TEST_P(Disruption, AKindWithoutScalesFailsTheSync) {
  w.Create("configmaps", R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}})");
  const std::string uid(w.Get("configmaps", "c").uid());
  MakePods(1, R"({"apiVersion":"v1","kind":"ConfigMap","name":"c","uid":")" + uid +
                  R"(","controller":true})");
  w.Forget();
  MakeBudget(R"("maxUnavailable":1)");
  EXPECT_THAT(w.EventTexts(),
              Contains("Warning CalculateExpectedPodCountFailed Failed to calculate "
                       "the number of expected pods: configmaps does not implement "
                       "the scale subresource"));
}

// CTRL-PDB-01
TEST_P(Disruption, PodsOfNobodyAreTold) {
  MakePods(2);
  w.Forget();
  MakeBudget(R"("maxUnavailable":1)");
  EXPECT_THAT(w.EventTexts(),
              Contains(testing::HasSubstr(
                  "UnmanagedPods Pods selected by this PodDisruptionBudget (selector: "
                  "&LabelSelector{MatchLabels:map[string]string{app: "
                  "web,},MatchExpressions:[]LabelSelectorRequirement{},}) were found")));
  EXPECT_EQ(Status("expectedPods"), 0);
  EXPECT_EQ(Status("disruptionsAllowed"), 0);
}

// CTRL-PDB-02, CTRL-PDB-03: evictions take from the budget until its controller gives again.
TEST_P(Disruption, EvictionsGoOnAsPodsComeBack) {
  MakeBudget(R"("minAvailable":2)");
  MakePods(3);
  EXPECT_EQ(Evict("p1").code, 201);
  EXPECT_EQ(Evict("p2").code, 429);
  w.Settle();
  EXPECT_EQ(Evict("p2").code, 429) << "two are left";
  w.Create("pods", PodJson("p4"));
  w.Bind("p4", "n1");
  w.MakeReady("p4");
  w.Settle();
  EXPECT_EQ(Evict("p2").code, 201);
}

// CTRL-PDB-02: a pod that was to be deleted and was not counts again after two minutes.
TEST_P(Disruption, ADisruptionThatNeverCameIsGivenUp) {
  MakeBudget(R"("minAvailable":1)");
  MakePods(2);
  const std::string now = value::FormatTimestamp(w.api.sim.now());
  w.Patch("poddisruptionbudgets", "b", R"({"status":{"disruptedPods":{"p1":")" + now + R"("}}})",
          "status");
  w.Settle();
  EXPECT_EQ(Status("currentHealthy"), 1);
  w.Forget();
  w.Advance(Minutes(2));
  EXPECT_EQ(Status("currentHealthy"), 2);
  EXPECT_FALSE(w.Get("poddisruptionbudgets", "b").status().Has("disruptedPods"));
  EXPECT_THAT(w.EventTexts(), Contains("Warning NotDeleted Pod was expected by PDB default/default "
                                       "to be deleted but it wasn't"));
}

// CTRL-PDB-06
TEST_P(Disruption, AStaleMarkIsTakenBack) {
  MakePods(1);
  w.Patch("pods", "p1",
          R"({"status":{"conditions":[{"type":"DisruptionTarget","status":"True",
             "reason":"EvictionByEvictionAPI","lastTransitionTime":")" +
              value::FormatTimestamp(w.api.sim.now()) + R"("}]}})",
          "status");
  w.Settle();
  w.Writes();
  w.Advance(Seconds(110));
  EXPECT_THAT(w.Writes(), IsEmpty());
  w.Advance(Seconds(10));
  if (GetParam() == api::Compat::k1_25)
    EXPECT_THAT(w.Writes(), IsEmpty());
  else
    EXPECT_THAT(w.Writes(), Contains("update pods/p1/status"));
}

// CTRL-PDB-02
TEST_P(Disruption, OnlyChangesAreWritten) {
  MakeBudget(R"("minAvailable":1)");
  MakePods(2);
  w.Settle();
  w.Writes();
  w.Patch("pods", "p1", R"({"metadata":{"annotations":{"a":"b"}}})");
  w.Settle();
  EXPECT_THAT(w.Writes(), Not(Contains("update poddisruptionbudgets/b/status")));
}

}  // namespace
}  // namespace ksim
