#include "ksim/controllers/replicaset/replicaset_status.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ksim/value/json.h"

namespace ksim::controllers {
namespace {

api::Object Parse(const std::string& json) {
  return api::Object::FromTree(*value::ParseJson(json));
}

api::Object ReplicaSet(int replicas, int min_ready, const std::string& status = "{}") {
  return Parse(fmt::format(
      R"({{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{{"name":"web","generation":3}},
          "spec":{{"replicas":{},"minReadySeconds":{},
                   "template":{{"metadata":{{"labels":{{"app":"x","tier":"y"}}}}}}}},
          "status":{}}})",
      replicas, min_ready, status));
}

// Ready since `ready_at` seconds after the start; negative = not ready.
api::Object Pod(int ready_at, bool all_labels = true) {
  return Parse(fmt::format(
      R"({{"metadata":{{"name":"p","labels":{{"app":"x"{}}}}},"status":{{"phase":"Running",
          "conditions":[{{"type":"Ready","status":"{}",
                          "lastTransitionTime":"2025-01-01T00:00:{:02}Z"}}]}}}})",
      all_labels ? R"(,"tier":"y")" : "", ready_at >= 0 ? "True" : "False",
      ready_at >= 0 ? ready_at : 0));
}

StatusInput Input(std::vector<api::Object> active, std::int64_t now_seconds, api::Compat compat) {
  StatusInput in;
  in.active = std::move(active);
  in.now = VirtualTime(Seconds(now_seconds).ns());
  in.profile = &ProfileOf(compat);
  return in;
}

// CTRL-RS-28
TEST(ReplicaSetStatus, CountsLabelledReadyAndAvailable) {
  const auto s = CalculateStatus(
      ReplicaSet(4, 10), Input({Pod(0), Pod(5), Pod(-1), Pod(1, false)}, 12, api::Compat::k1_30));
  EXPECT_EQ(s.replicas, 4);
  EXPECT_EQ(s.fully_labeled, 3);
  EXPECT_EQ(s.ready, 3);
  EXPECT_EQ(s.available, 2);  // since 0 s and 1 s; 5 + 10 > 12
}

// CTRL-RS-28: exactly minReadySeconds is enough from 1.34 on, not before.
TEST(ReplicaSetStatus, TheEdgeOfAvailabilityDependsOnTheProfile) {
  const std::pair<api::Compat, int> table[] = {
      {api::Compat::k1_25, 0}, {api::Compat::k1_30, 0}, {api::Compat::k1_36, 1}};
  for (const auto& [compat, available] : table) {
    EXPECT_EQ(CalculateStatus(ReplicaSet(1, 10), Input({Pod(0)}, 10, compat)).available, available);
    EXPECT_EQ(CalculateStatus(ReplicaSet(1, 10), Input({Pod(0)}, 11, compat)).available, 1);
    EXPECT_EQ(CalculateStatus(ReplicaSet(1, 0), Input({Pod(10)}, 10, compat)).available, 1);
  }
}

// CTRL-RS-29
TEST(ReplicaSetStatus, TerminatingReplicasExistOnlyIn136) {
  StatusInput in = Input({}, 0, api::Compat::k1_36);
  in.terminating = {Pod(0), Pod(0)};
  EXPECT_EQ(CalculateStatus(ReplicaSet(0, 0), in).terminating, 2);
  in.profile = &ProfileOf(api::Compat::k1_30);
  EXPECT_FALSE(CalculateStatus(ReplicaSet(0, 0), in).terminating.has_value());
}

// CTRL-RS-29: absent to 0 is a change, so the first sync after an upgrade writes.
TEST(ReplicaSetStatus, AbsentAndZeroTerminatingDiffer) {
  ReplicaSetStatus absent, zero;
  zero.terminating = 0;
  EXPECT_FALSE(absent.SameCounts(zero));
}

// CTRL-RS-30
TEST(ReplicaSetStatus, AFailureIsAddedOnceAndRemovedWhenItIsOver) {
  StatusInput in = Input({}, 7, api::Compat::k1_30);
  in.manage_error = api::Unmapped(500, "quota");
  ReplicaSetStatus s = CalculateStatus(ReplicaSet(1, 0), in);
  EXPECT_EQ(value::ToJson(s.conditions),
            R"([{"lastTransitionTime":"2025-01-01T00:00:07Z","message":"quota",)"
            R"("reason":"FailedCreate","status":"True","type":"ReplicaFailure"}])");

  const api::Object failed = ReplicaSet(1, 0, value::ToJson(s.ToTree()));
  in.manage_error = api::Unmapped(500, "another");
  EXPECT_EQ(CalculateStatus(failed, in).conditions, s.conditions);
  in.manage_error.reset();
  EXPECT_TRUE(CalculateStatus(failed, in).conditions.empty());
}

// CTRL-RS-30
TEST(ReplicaSetStatus, AFailureWithTooManyPodsIsFailedDelete) {
  StatusInput in = Input({Pod(0), Pod(0)}, 0, api::Compat::k1_30);
  in.manage_error = api::Unmapped(500, "no");
  const ReplicaSetStatus s = CalculateStatus(ReplicaSet(1, 0), in);
  EXPECT_EQ(s.conditions.at(0).Get("reason").AsString(), "FailedDelete");
}

TEST(ReplicaSetStatus, EncodesAsGoDoes) {
  ReplicaSetStatus s;
  EXPECT_EQ(value::ToJson(s.ToTree()), R"({"replicas":0})");
  s.replicas = s.ready = 2;
  s.observed_generation = 1;
  s.terminating = 0;
  EXPECT_EQ(value::ToJson(s.ToTree()),
            R"({"observedGeneration":1,"readyReplicas":2,"replicas":2,"terminatingReplicas":0})");
  const ReplicaSetStatus back = ReplicaSetStatus::From(ReplicaSet(2, 0, value::ToJson(s.ToTree())));
  EXPECT_TRUE(back.SameCounts(s));
  EXPECT_EQ(back.observed_generation, 1);
}

}  // namespace
}  // namespace ksim::controllers
