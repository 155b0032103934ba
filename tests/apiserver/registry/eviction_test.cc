// POST pods/eviction in all versions: its reads, the mark, the deletion and the refusals.
#include <gtest/gtest.h>

#include "ksim/api/conditions.h"
#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

using api::Compat;
using value::Path;
using value::Value;

class Eviction : public ::testing::TestWithParam<Compat> {
 protected:
  Eviction() : world(WorldOptions(GetParam())) {}
  // A pod on a node in this phase.
  static void MakePod(World& w, std::string_view phase) {
    ASSERT_EQ(w.Create("pods", "default", Pod("default", "p")).code, 201);
    ASSERT_EQ(w.Bind("default", "p", "n1").code, 201);
    w.Patch("pods", "default", "p", api::PatchType::kMerge,
            R"({"status":{"phase":")" + std::string(phase) + R"("}})", "status");
    w.Advance(Seconds(1));
  }
  static api::Request Evict(const World& w, std::string_view options = "{}",
                            std::string_view name = "p") {
    api::Request r = w.Request(api::Verb::kCreate, "pods", "default", "p");
    r.subresource = "eviction";
    r.body = Json(R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":")" +
                  std::string(name) + R"("},"deleteOptions":)" + std::string(options) + "}");
    return r;
  }
  api::Object ThePod() { return world.Get("pods", "default", "p").object; }
  World world;
};
INSTANTIATE_TEST_SUITE_P(Profiles, Eviction,
                         ::testing::Values(Compat::k1_25, Compat::k1_30, Compat::k1_36));

// CTRL-PDB-03: the eviction writes the condition DisruptionTarget from 1.26 on.
TEST_P(Eviction, MarksAndDeletes) {
  MakePod(world, "Running");
  EXPECT_EQ(world.Do(Evict(world)).code, 201);
  const api::Object pod = ThePod();
  EXPECT_TRUE(pod.deleting());
  const Value* mark = api::FindCondition(pod.status().Get("conditions"), "DisruptionTarget");
  ASSERT_EQ(mark != nullptr, GetParam() > Compat::k1_25);
  if (mark == nullptr) return;
  EXPECT_EQ(mark->Get("reason").AsString(), "EvictionByEvictionAPI");
  EXPECT_EQ(mark->Get("message").AsString(), "Eviction API: evicting");
}

// CTRL-PDB-03: no budget guards a pending pod. A pod that changed since it was read may be ready
// already, so the server reads it again half a second later; it deletes the others at once.
TEST_P(Eviction, APendingPodThatChangesMeanwhileIsReadAgain) {
  for (const char* phase : {"Pending", "Running"}) {
    int again = 0;
    for (int i = 0; i < 30; ++i) {
      World w{WorldOptions(GetParam())};
      MakePod(w, phase);
      const VirtualTime before = w.sim.now();
      const auto answer = w.Start(Evict(w));
      w.Advance(Microseconds(100 * i));
      api::Request patch = w.Request(api::Verb::kPatch, "pods", "default", "p");
      patch.patch_type = api::PatchType::kMerge;
      patch.body = Json(R"({"metadata":{"labels":{"a":"b"}}})");
      w.Do(patch);
      w.RunUntil([&] { return World::Answered(answer); });
      EXPECT_EQ(answer->code, 201) << answer->status.message;
      const Duration took = w.sim.now() - before;
      EXPECT_LT(took, Milliseconds(600));
      if (took >= Milliseconds(500)) ++again;
      EXPECT_TRUE(w.Get("pods", "default", "p").object.deleting());
    }
    EXPECT_EQ(again > 0, std::string_view(phase) == "Pending") << phase;
  }
}

// CTRL-PDB-03: a client may ask for a dry run in the body alone, as kubectl drain does.
TEST_P(Eviction, ADryRunInTheBodyCounts) {
  MakePod(world, "Running");
  const std::int64_t before = world.revision();
  EXPECT_EQ(world.Do(Evict(world, R"({"dryRun":["All"]})")).code, 201);
  EXPECT_EQ(world.revision(), before);
}

// CTRL-PDB-03
TEST_P(Eviction, RefusesWhatADeleteWouldRefuse) {
  MakePod(world, "Running");
  const std::string uid(ThePod().uid());
  api::Response r = world.Do(Evict(world, R"({"propagationPolicy":"Sideways"})"));
  EXPECT_EQ(r.code, 422);
  EXPECT_FALSE(ThePod().deleting());
  r = world.Do(Evict(world, R"({"preconditions":{"uid":"other"}})"));
  EXPECT_EQ(r.code, 409);
  EXPECT_EQ(r.status.message,
            "Operation cannot be fulfilled on Pod \"p\": the UID in the precondition (other) does "
            "not match the UID in record (" +
                uid + "). The object might have been deleted and then recreated");
  EXPECT_EQ(world.Do(Evict(world, "{}", "q")).code, 400);
  EXPECT_EQ(world.Do(Evict(world, "{}", "")).code, 400) << "a name that is missing is another one";
  EXPECT_FALSE(ThePod().deleting());
}

// --- budgets -----------------------------------------------------------------------------------

class GuardedEviction : public Eviction {
 protected:
  // A running pod p with the label app=a.
  void MakeGuarded(bool ready) {
    Value pod = Pod("default", "p").Set(Path{"metadata", "labels"}, Json(R"({"app":"a"})"));
    ASSERT_EQ(world.Create("pods", "default", pod).code, 201);
    ASSERT_EQ(world.Bind("default", "p", "n1").code, 201);
    world.Patch("pods", "default", "p", api::PatchType::kMerge,
                R"({"status":{"phase":"Running","conditions":[{"type":"Ready","status":")" +
                    std::string(ready ? "True" : "False") + R"("}]}})",
                "status");
  }
  // A budget for app=a as its controller has left it.
  void MakeBudget(std::string_view name, std::string_view status, std::string_view spec = "{}") {
    Value budget = Json(R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":
        {"namespace":"default"},"spec":{"selector":{"matchLabels":{"app":"a"}}}})");
    budget = budget.Set(Path{"metadata", "name"}, Value::Of(name));
    const Value more = Json(spec);
    for (const Value::Member& m : more.members())
      budget = budget.Set(Path{"spec", m.name.text()}, m.value);
    ASSERT_EQ(world.Create("poddisruptionbudgets", "default", budget).code, 201);
    const api::Response written =
        world.Patch("poddisruptionbudgets", "default", name, api::PatchType::kMerge,
                    R"({"status":)" + std::string(status) + "}", "status");
    ASSERT_EQ(written.code, 200) << written.status.message;
    world.Advance(Seconds(1));
  }
  Value BudgetStatus() { return world.Get("poddisruptionbudgets", "default", "b").object.status(); }
  static std::string Cause(const api::Response& r) {
    return r.status.details->causes.at(0).message;
  }
};
INSTANTIATE_TEST_SUITE_P(Profiles, GuardedEviction,
                         ::testing::Values(Compat::k1_25, Compat::k1_30, Compat::k1_36));

// CTRL-PDB-03: an eviction takes one disruption, and names the pod; the last one turns the
// condition.
TEST_P(GuardedEviction, TakesADisruption) {
  MakeGuarded(true);
  MakeBudget("b", R"({"observedGeneration":1,"disruptionsAllowed":1,"currentHealthy":3,
      "desiredHealthy":2,"expectedPods":3})");
  EXPECT_EQ(world.Do(Evict(world)).code, 201);
  EXPECT_TRUE(ThePod().deleting());
  const Value status = BudgetStatus();
  EXPECT_EQ(status.Get("disruptionsAllowed").AsInt(), 0);
  EXPECT_TRUE(status.Get("disruptedPods").Has("p"));
  const Value* condition = api::FindCondition(status.Get("conditions"), "DisruptionAllowed");
  ASSERT_NE(condition, nullptr);
  EXPECT_EQ(condition->Get("status").AsString(), "False");
  EXPECT_EQ(condition->Get("reason").AsString(), "InsufficientPods");
  EXPECT_EQ(condition->Get("message").AsString(), "");
  EXPECT_EQ(condition->Get("observedGeneration").AsInt(), 1);
}

// CTRL-PDB-03
TEST_P(GuardedEviction, ADryRunTakesNone) {
  MakeGuarded(true);
  MakeBudget("b", R"({"observedGeneration":1,"disruptionsAllowed":1,"currentHealthy":3,
      "desiredHealthy":2,"expectedPods":3})");
  const std::int64_t before = world.revision();
  EXPECT_EQ(world.Do(Evict(world, R"({"dryRun":["All"]})")).code, 201);
  EXPECT_EQ(world.revision(), before);
}

// CTRL-PDB-03: each refusal with its code, its cause and its retry-after.
TEST_P(GuardedEviction, ABudgetWithoutDisruptionsRefuses) {
  MakeGuarded(true);
  MakeBudget("b", R"({"observedGeneration":1,"disruptionsAllowed":0,"currentHealthy":2,
      "desiredHealthy":2,"expectedPods":3})");
  const api::Response r = world.Do(Evict(world));
  EXPECT_EQ(r.code, 429);
  EXPECT_EQ(r.status.message, "Cannot evict pod as it would violate the pod's disruption budget.");
  EXPECT_EQ(r.status.details->retry_after_seconds, 0);
  EXPECT_EQ(r.status.details->causes.at(0).reason, "DisruptionBudget");
  EXPECT_EQ(Cause(r), "The disruption budget b needs 2 healthy pods and has 2 currently");
  EXPECT_FALSE(ThePod().deleting());
}

// CTRL-PDB-03: from 1.36 on the cause is what the condition says, where the numbers do not.
TEST_P(GuardedEviction, AFailedSyncIsTold) {
  MakeGuarded(true);
  MakeBudget("b", R"({"observedGeneration":1,"disruptionsAllowed":0,"currentHealthy":3,
      "desiredHealthy":2,"expectedPods":3,"conditions":[{"type":"DisruptionAllowed",
      "status":"False","reason":"SyncFailed","message":"found no controllers for pod \"p\"",
      "lastTransitionTime":"2024-01-01T00:00:00Z"}]})");
  const api::Response r = world.Do(Evict(world));
  EXPECT_EQ(r.code, 429);
  EXPECT_EQ(Cause(r), GetParam() == Compat::k1_36
                          ? "The disruption budget b does not allow evicting pods currently "
                            "because it failed sync: found no controllers for pod \"p\""
                          : "The disruption budget b needs 2 healthy pods and has 3 currently");
}

// CTRL-PDB-03
TEST_P(GuardedEviction, ABudgetThatItsControllerHasNotSeenRefusesForNow) {
  MakeGuarded(true);
  MakeBudget("b", R"({"disruptionsAllowed":1,"currentHealthy":3,"desiredHealthy":2,
      "expectedPods":3})");
  const api::Response r = world.Do(Evict(world));
  EXPECT_EQ(r.code, 429);
  EXPECT_EQ(r.status.details->retry_after_seconds, 10);
  EXPECT_EQ(Cause(r), "The disruption budget b is still being processed by the server.");
}

// CTRL-PDB-03
TEST_P(GuardedEviction, TwoBudgetsForOnePodAreTooMany) {
  MakeGuarded(true);
  MakeBudget("b", R"({"observedGeneration":1,"disruptionsAllowed":1})");
  MakeBudget("c", R"({"observedGeneration":1,"disruptionsAllowed":1})");
  const api::Response r = world.Do(Evict(world));
  EXPECT_EQ(r.code, 500);
  EXPECT_EQ(r.status.message,
            "This pod has more than one PodDisruptionBudget, which the eviction subresource does "
            "not support.");
}

// CTRL-PDB-04: a pod that is not ready is no disruption where enough others are healthy, or where
// the policy says so (from 1.27 on).
TEST_P(GuardedEviction, AnUnhealthyPodMayGo) {
  MakeGuarded(false);
  MakeBudget("b", R"({"observedGeneration":1,"disruptionsAllowed":0,"currentHealthy":2,
      "desiredHealthy":2,"expectedPods":3})");
  EXPECT_EQ(world.Do(Evict(world)).code, 201);
  EXPECT_TRUE(ThePod().deleting());
  EXPECT_FALSE(BudgetStatus().Has("disruptedPods")) << "nothing was taken";
}

// CTRL-PDB-04
TEST_P(GuardedEviction, AnUnhealthyPodStaysWhereTooFewAreHealthy) {
  MakeGuarded(false);
  MakeBudget("b", R"({"observedGeneration":1,"disruptionsAllowed":0,"currentHealthy":1,
      "desiredHealthy":2,"expectedPods":3})");
  EXPECT_EQ(world.Do(Evict(world)).code, 429);
}

// CTRL-PDB-04
TEST_P(GuardedEviction, AlwaysAllowLetsUnhealthyPodsGo) {
  MakeGuarded(false);
  MakeBudget("b", R"({"observedGeneration":1,"disruptionsAllowed":0,"currentHealthy":1,
      "desiredHealthy":2,"expectedPods":3})",
             R"({"unhealthyPodEvictionPolicy":"AlwaysAllow"})");
  EXPECT_EQ(world.Do(Evict(world)).code, GetParam() == Compat::k1_25 ? 429 : 201);
}

// CTRL-PDB-03: of two evictions at the same time one gets the last disruption.
TEST_P(GuardedEviction, TwoAtOnceTakeOne) {
  MakeGuarded(true);
  Value other = Pod("default", "q").Set(Path{"metadata", "labels"}, Json(R"({"app":"a"})"));
  ASSERT_EQ(world.Create("pods", "default", other).code, 201);
  ASSERT_EQ(world.Bind("default", "q", "n1").code, 201);
  world.Patch("pods", "default", "q", api::PatchType::kMerge,
              R"({"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}})",
              "status");
  MakeBudget("b", R"({"observedGeneration":1,"disruptionsAllowed":1,"currentHealthy":2,
      "desiredHealthy":1,"expectedPods":2})");
  api::Request second = Evict(world, "{}", "q");
  second.name = "q";
  const auto a = world.Start(Evict(world)), b = world.Start(std::move(second));
  world.RunUntil([&] { return World::Answered(a) && World::Answered(b); });
  EXPECT_EQ(a->code + b->code, 201 + 429);
  EXPECT_EQ(BudgetStatus().Get("disruptedPods").size(), 1U);
}

}  // namespace
}  // namespace ksim::apiserver
