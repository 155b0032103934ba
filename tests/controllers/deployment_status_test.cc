// The status of a Deployment and the progress of its rollout.
#include "ksim/controllers/deployment/deployment_status.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ksim/controllers/deployment/progress.h"
#include "ksim/value/json.h"

namespace ksim::controllers::deployment {
namespace {

using value::Value;

VirtualTime At(std::int64_t seconds) { return VirtualTime(Seconds(seconds).ns()); }

std::string Time(int seconds) {
  return fmt::format("2025-01-01T00:{:02}:{:02}Z", seconds / 60, seconds % 60);
}

std::string Progressing(const char* status, std::string_view reason, int updated) {
  return fmt::format(
      R"({{"type":"Progressing","status":"{}","reason":"{}","message":"m","lastUpdateTime":"{}",
         "lastTransitionTime":"{}"}})",
      status, reason, Time(updated), Time(0));
}

struct Counts {
  int replicas, updated, ready, available;
};
api::Object DeploymentOf(int wanted, Counts c, const std::string& conditions = "",
                         int deadline = 60) {
  return api::Object::FromTree(*value::ParseJson(fmt::format(
      R"({{"metadata":{{"name":"d","namespace":"default","generation":2}},"spec":{{"replicas":{},
        "progressDeadlineSeconds":{},"strategy":{{"type":"RollingUpdate","rollingUpdate":{{
        "maxSurge":0,"maxUnavailable":1}}}}}},"status":{{"observedGeneration":2,"replicas":{},
        "updatedReplicas":{},"readyReplicas":{},"availableReplicas":{},"conditions":[{}]}}}})",
      wanted, deadline, c.replicas, c.updated, c.ready, c.available, conditions)));
}
api::Object SetOf(const std::string& name, int size, Counts c, const std::string& more = "") {
  return api::Object::FromTree(*value::ParseJson(fmt::format(
      R"({{"metadata":{{"name":"{0}","uid":"{0}"}},"spec":{{"replicas":{1}}},"status":{{
        "observedGeneration":1,"replicas":{2},"readyReplicas":{3},"availableReplicas":{4}{5}}}}})",
      name, size, c.replicas, c.ready, c.available, more)));
}
NewAndOld Sets(api::Object latest, ReplicaSetList old = {}) {
  NewAndOld sets;
  sets.latest = std::move(latest);
  sets.old = std::move(old);
  return sets;
}
std::string Reason(const DeploymentStatus& s, const char* type) {
  const Value* c = s.Condition(type);
  return c == nullptr
             ? ""
             : fmt::format("{} {}", c->Get("status").AsString(), c->Get("reason").AsString());
}
const Profile& NewestProfile() { return controllers::ProfileOf(api::Compat::k1_36); }

// CTRL-D-14
TEST(DeploymentStatus, SumsUpItsSetsAndTellsWhetherEnoughAreAvailable) {
  const api::Object d = DeploymentOf(3, {0, 0, 0, 0});
  const NewAndOld sets = Sets(SetOf("v2", 2, {2, 0, 1, 1}, R"(,"terminatingReplicas":1)"),
                              {SetOf("v1", 1, {2, 0, 2, 1}, R"(,"terminatingReplicas":2)")});
  DeploymentStatus s = CalculateDeploymentStatus(d, sets, NewestProfile(), At(5));
  EXPECT_EQ(s.observed_generation, 2);
  EXPECT_EQ(s.replicas, 4);
  EXPECT_EQ(s.updated, 2);
  EXPECT_EQ(s.ready, 3);
  EXPECT_EQ(s.available, 2);
  EXPECT_EQ(s.unavailable, 1);
  EXPECT_EQ(s.terminating, 3);
  EXPECT_EQ(Reason(s, "Available"), "True MinimumReplicasAvailable");
  EXPECT_EQ(s.Condition("Available")->Get("message").AsString(),
            "Deployment has minimum availability.");
  s = CalculateDeploymentStatus(d, sets, controllers::ProfileOf(api::Compat::k1_30), At(5));
  EXPECT_EQ(s.terminating, std::nullopt);
  s = CalculateDeploymentStatus(d, Sets({}, sets.old), NewestProfile(), At(5));
  EXPECT_EQ(s.updated, 0);
  EXPECT_EQ(Reason(s, "Available"), "False MinimumReplicasUnavailable");
  // A set that has just become smaller has more available pods than it wants.
  s = CalculateDeploymentStatus(d, Sets(SetOf("v2", 1, {3, 0, 3, 3})), NewestProfile(), At(5));
  EXPECT_EQ(s.unavailable, 0) << "never less";
}

// CTRL-D-14: one that was synced and does not say spoils the sum; one that was not does not.
TEST(DeploymentStatus, TerminatingPodsAreCountedIfAllTell) {
  const api::Object silent = SetOf("v1", 1, {1, 0, 1, 1});
  const api::Object tells = SetOf("v2", 1, {1, 0, 1, 1}, R"(,"terminatingReplicas":1)");
  const api::Object fresh =
      api::Object::FromTree(*value::ParseJson(R"({"metadata":{"name":"v3"},"status":{}})"));
  EXPECT_EQ(SumOfTerminating({silent, tells}), std::nullopt);
  EXPECT_EQ(SumOfTerminating({fresh, tells}), 1);
  EXPECT_EQ(SumOfTerminating({}), 0);
}

// CTRL-D-17
TEST(DeploymentStatus, AConditionOfTheSameReasonStays) {
  DeploymentStatus s;
  s.SetCondition(MakeDeploymentCondition("A", "True", "R", "m", At(1)));
  s.SetCondition(MakeDeploymentCondition("B", "True", "R", "m", At(1)));
  s.SetCondition(MakeDeploymentCondition("A", "True", "R", "other", At(2)));
  EXPECT_EQ(s.Condition("A")->Get("message").AsString(), "m");
  s.SetCondition(MakeDeploymentCondition("A", "True", "R2", "m2", At(3)));
  EXPECT_EQ(s.Condition("A")->Get("lastUpdateTime").AsString(), Time(3));
  EXPECT_EQ(s.Condition("A")->Get("lastTransitionTime").AsString(), Time(1));
  EXPECT_EQ(s.conditions.at(1).Get("type").AsString(), "A");  // it went to the end
  s.SetCondition(MakeDeploymentCondition("A", "False", "R2", "m3", At(4)));
  EXPECT_EQ(s.Condition("A")->Get("lastTransitionTime").AsString(), Time(4));
}

// CTRL-D-15
TEST(DeploymentProgress, TellsHowTheRolloutGoes) {
  const api::Object v1 = SetOf("v1", 1, {1, 0, 1, 1});
  // More new pods than before.
  api::Object d = DeploymentOf(2, {2, 0, 2, 2}, Progressing("True", "NewReplicaSetCreated", 1));
  DeploymentStatus s =
      RolloutStatus(d, Sets(SetOf("v2", 1, {1, 0, 0, 0}), {v1}), NewestProfile(), At(9));
  EXPECT_EQ(Reason(s, kProgressing), "True ReplicaSetUpdated");
  EXPECT_EQ(s.Condition(kProgressing)->Get("message").AsString(),
            "ReplicaSet \"v2\" is progressing.");
  EXPECT_EQ(s.Condition(kProgressing)->Get("lastUpdateTime").AsString(), Time(9));
  EXPECT_EQ(s.Condition(kProgressing)->Get("lastTransitionTime").AsString(), Time(0));
  // A step more under the same reason moves the time of the update.
  d = DeploymentOf(2, {2, 1, 1, 1}, Progressing("True", "ReplicaSetUpdated", 9));
  s = RolloutStatus(d, Sets(SetOf("v2", 1, {1, 0, 1, 1}), {v1}), NewestProfile(), At(12));
  EXPECT_EQ(s.Condition(kProgressing)->Get("lastUpdateTime").AsString(), Time(12));
  // No step.
  d = DeploymentOf(2, {2, 1, 2, 2}, Progressing("True", "ReplicaSetUpdated", 9));
  s = RolloutStatus(d, Sets(SetOf("v2", 1, {1, 0, 1, 1}), {v1}), NewestProfile(), At(12));
  EXPECT_EQ(s.Condition(kProgressing)->Get("lastUpdateTime").AsString(), Time(9));
  // The end, and what comes after it is not examined.
  const NewAndOld all = Sets(SetOf("v2", 2, {2, 0, 2, 2}));
  s = RolloutStatus(d, all, NewestProfile(), At(15));
  EXPECT_EQ(Reason(s, kProgressing), "True NewReplicaSetAvailable");
  EXPECT_EQ(s.Condition(kProgressing)->Get("message").AsString(),
            "ReplicaSet \"v2\" has successfully progressed.");
  d = DeploymentOf(2, {2, 2, 2, 2}, Progressing("True", "NewReplicaSetAvailable", 15));
  s = RolloutStatus(d, Sets(SetOf("v2", 2, {2, 0, 1, 1})), NewestProfile(), At(500));
  EXPECT_EQ(Reason(s, kProgressing), "True NewReplicaSetAvailable");
}

// CTRL-D-15: complete means also that the status is of this generation.
TEST(DeploymentProgress, IsCompleteWhenOnlyNewPodsAreThereAndAllAreAvailable) {
  const api::Object d = DeploymentOf(2, {0, 0, 0, 0});
  const auto complete = [&](Counts c, std::int64_t observed = 2) {
    DeploymentStatus s;
    s.observed_generation = observed;
    s.replicas = c.replicas;
    s.updated = c.updated;
    s.available = c.available;
    return IsComplete(d, s);
  };
  EXPECT_TRUE(complete({2, 2, 2, 2}));
  EXPECT_FALSE(complete({3, 2, 2, 2}));
  EXPECT_FALSE(complete({2, 1, 2, 2}));
  EXPECT_FALSE(complete({2, 2, 2, 1}));
  EXPECT_FALSE(complete({2, 2, 2, 2}, 1));
}

// CTRL-D-16
TEST(DeploymentProgress, TimesOutAfterItsDeadlineAndNotAtIt) {
  const NewAndOld sets = Sets(SetOf("v2", 1, {1, 0, 0, 0}), {SetOf("v1", 1, {1, 0, 1, 1})});
  const auto after = [&](std::string_view reason, int seconds, int deadline = 60) {
    const api::Object d = DeploymentOf(2, {2, 1, 1, 1}, Progressing("True", reason, 0), deadline);
    return Reason(RolloutStatus(d, sets, NewestProfile(), At(seconds)), kProgressing);
  };
  EXPECT_EQ(after("ReplicaSetUpdated", 60), "True ReplicaSetUpdated");
  EXPECT_EQ(after("ReplicaSetUpdated", 61), "False ProgressDeadlineExceeded");
  EXPECT_EQ(after("NewReplicaSetAvailable", 61), "True NewReplicaSetAvailable");
  EXPECT_EQ(after("ReplicaSetUpdated", 61, 2147483647), "");
}

// CTRL-D-16: TestRequeueStuckDeployment.
TEST(DeploymentProgress, AStuckRolloutIsLookedAtWhenItsDeadlineIsOver) {
  const auto left = [](const std::string& conditions, Counts after, int now, int deadline = 60) {
    const api::Object d = DeploymentOf(4, {3, 2, 3, 3}, conditions, deadline);
    DeploymentStatus s;
    s.observed_generation = 2;
    s.replicas = after.replicas;
    s.updated = after.updated;
    s.available = after.available;
    return TimeToDeadline(d, s, At(now));
  };
  const Counts stuck{3, 2, 3, 3}, done{4, 4, 4, 4};
  EXPECT_EQ(left(Progressing("True", "ReplicaSetUpdated", 0), stuck, 27), Seconds(33));
  EXPECT_EQ(left(Progressing("True", "ReplicaSetUpdated", 0), stuck, 75), Seconds(-15));
  EXPECT_EQ(left("", stuck, 27), std::nullopt);
  EXPECT_EQ(left(Progressing("True", "ReplicaSetUpdated", 0), done, 27), std::nullopt);
  EXPECT_EQ(left(Progressing("False", "ProgressDeadlineExceeded", 0), stuck, 27), std::nullopt);
  EXPECT_EQ(left(Progressing("True", "ReplicaSetUpdated", 0), stuck, 27, 2147483647), std::nullopt);
}

// CTRL-D-15: the failure of a set becomes that of the Deployment; the new one's comes first.
TEST(DeploymentProgress, AFailureOfASetIsTold) {
  const auto failing = [](const std::string& name, const char* message) {
    return SetOf(name, 1, {0, 0, 0, 0},
                 fmt::format(R"(,"conditions":[{{"type":"ReplicaFailure","status":"True",
                     "reason":"FailedCreate","message":"{}","lastTransitionTime":"{}"}}])",
                             message, Time(3)));
  };
  const api::Object d = DeploymentOf(2, {0, 0, 0, 0});
  const api::Object well = SetOf("v2", 1, {1, 0, 0, 0});
  DeploymentStatus s = RolloutStatus(d, Sets(well, {failing("v1", "old")}), NewestProfile(), At(9));
  ASSERT_NE(s.Condition(kDeploymentReplicaFailure), nullptr);
  EXPECT_EQ(s.Condition(kDeploymentReplicaFailure)->Get("message").AsString(), "old");
  EXPECT_EQ(s.Condition(kDeploymentReplicaFailure)->Get("lastUpdateTime").AsString(), Time(3));
  s = RolloutStatus(d, Sets(failing("v2", "new"), {failing("v1", "old")}), NewestProfile(), At(9));
  EXPECT_EQ(s.Condition(kDeploymentReplicaFailure)->Get("message").AsString(), "new");
  s = RolloutStatus(WithStatus(d, s), Sets(well), NewestProfile(), At(9));
  EXPECT_EQ(s.Condition(kDeploymentReplicaFailure), nullptr);
}

}  // namespace
}  // namespace ksim::controllers::deployment
