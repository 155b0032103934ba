// The status of a PodDisruptionBudget, from the pods that it selects. The numbers are those of
// upstream's own tables (disruption_test.go).
#include "ksim/controllers/disruption/budget_status.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ksim/api/conditions.h"
#include "ksim/value/json.h"
#include "ksim/value/timestamp.h"

namespace ksim::controllers {
namespace {

using value::Value;

const VirtualTime kBudgetNow = VirtualTime() + Hours(1);

Value Json(const std::string& text) { return *value::ParseJson(text); }

api::Object Budget(const std::string& spec, const std::string& status = "{}") {
  return api::Object::FromTree(
      Json(R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"b",
           "namespace":"default","generation":1},"spec":)" +
           spec + R"(,"status":)" + status + "}"),
      7);
}

api::Object PodNamed(const std::string& name, bool ready, const std::string& more = "") {
  return api::Object::FromTree(
      Json(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
           R"(","namespace":"default")" + more +
           R"(},"status":{"phase":"Running","conditions":[{"type":"Ready","status":")" +
           (ready ? "True" : "False") + R"("}]}})"));
}

// The condition DisruptionAllowed; null if it is not there.
Value Allowed(const api::Object& budget) {
  const Value* found = api::FindCondition(budget.status().Get("conditions"), "DisruptionAllowed");
  return found == nullptr ? Value() : *found;
}
std::string ReasonOf(const api::Object& budget) {
  return std::string(Allowed(budget).Get("reason").AsString());
}

std::string Before(Duration age) { return value::FormatTimestamp(kBudgetNow - age); }

// CTRL-PDB-01: TestPercentageMaxUnavailable..., TestIntegerMaxUnavailable...: rounded up.
TEST(BudgetStatus, DesiredHealthy) {
  struct Case {
    const char* spec;
    std::int64_t expected, desired;
  };
  const Case cases[] = {
      {R"({"minAvailable":3})", 4, 3},         {R"({"minAvailable":"28%"})", 10, 3},
      {R"({"minAvailable":"67%"})", 3, 3},     {R"({"minAvailable":"0%"})", 5, 0},
      {R"({"minAvailable":"100%"})", 7, 7},    {R"({"maxUnavailable":1})", 10, 9},
      {R"({"maxUnavailable":"30%"})", 10, 7},  {R"({"maxUnavailable":"33%"})", 10, 6},
      {R"({"maxUnavailable":"100%"})", 10, 0}, {R"({"maxUnavailable":10})", 3, 0},
      {R"({"maxUnavailable":"1%"})", 50, 49},  {R"({"maxUnavailable":"90%"})", 1, 0},
  };
  for (const Case& c : cases) {
    const BudgetCounts counts = CountsOf(Budget(c.spec), c.expected);
    EXPECT_EQ(counts.expected, c.expected) << c.spec;
    EXPECT_EQ(counts.desired_healthy, c.desired) << c.spec;
  }
  EXPECT_EQ(CountsOf(Budget("{}"), 3).expected, 0) << "neither is given";
  EXPECT_FALSE(CountsByScale(Budget(R"({"minAvailable":3})")));
  EXPECT_TRUE(CountsByScale(Budget(R"({"minAvailable":"3%"})")));
  EXPECT_TRUE(CountsByScale(Budget(R"({"maxUnavailable":3})")));
}

// CTRL-PDB-02
TEST(BudgetStatus, HealthyIsReadyAndNotAboutToGo) {
  const std::vector<api::Object> pods = {
      PodNamed("ready", true), PodNamed("unready", false), PodNamed("disrupted", true),
      PodNamed("stale", true),
      PodNamed("deleted", true, R"(,"deletionTimestamp":"2024-01-01T00:00:00Z")")};
  const Value disrupted = Json(R"({"disrupted":")" + Before(Minutes(1)) + R"(","stale":")" +
                               Before(Minutes(2)) + R"("})");
  EXPECT_EQ(CountHealthy(pods, disrupted, kBudgetNow), 2) << "ready and stale";
}

// CTRL-PDB-02: TestUpdateDisruptedPods.
TEST(BudgetStatus, DisruptedPodsAreThoseStillToBeDeleted) {
  const api::Object budget =
      Budget("{}", R"({"disruptedPods":{"p1":")" + Before(Duration()) + R"(","p2":")" +
                       Before(Minutes(3)) + R"(","p3":")" + Before(Seconds(30)) +
                       R"(","notthere":")" + Before(Duration()) + R"("}})");
  const std::vector<api::Object> pods = {
      PodNamed("p1", true, R"(,"deletionTimestamp":"2024-01-01T00:00:00Z")"), PodNamed("p2", true),
      PodNamed("p3", true)};
  const DisruptedPods found = FindDisruptedPods(budget, pods, kBudgetNow);
  EXPECT_EQ(found.times.size(), 1U);
  EXPECT_TRUE(found.times.Has("p3"));
  EXPECT_EQ(found.recheck, kBudgetNow + Seconds(90));
  ASSERT_EQ(found.never_deleted.size(), 1U);
  EXPECT_EQ(found.never_deleted[0].name(), "p2");
}

// CTRL-PDB-02
TEST(BudgetStatus, WritesWhatChanges) {
  const api::Object budget = Budget(R"({"minAvailable":2})");
  const BudgetCounts counts = CountsOf(budget, 3);
  const api::Object written = WithBudgetStatus(budget, counts, 3, Value::EmptyObject(), kBudgetNow);
  const Value& status = written.status();
  EXPECT_EQ(status.Get("disruptionsAllowed").AsInt(), 1);
  EXPECT_EQ(status.Get("currentHealthy").AsInt(), 3);
  EXPECT_EQ(status.Get("desiredHealthy").AsInt(), 2);
  EXPECT_EQ(status.Get("expectedPods").AsInt(), 3);
  EXPECT_EQ(status.Get("observedGeneration").AsInt(), 1);
  EXPECT_EQ(ReasonOf(written), "SufficientPods");
  const api::Object again = WithBudgetStatus(written, counts, 3, Value::EmptyObject(), kBudgetNow);
  EXPECT_EQ(again.tree(), written.tree());
  const api::Object fewer = WithBudgetStatus(written, counts, 2, Value::EmptyObject(), kBudgetNow);
  EXPECT_EQ(fewer.status().Get("disruptionsAllowed").AsInt(), 0);
  EXPECT_EQ(ReasonOf(fewer), "InsufficientPods");
}

// CTRL-PDB-02: a budget that selects nothing allows nothing.
TEST(BudgetStatus, NothingExpectedAllowsNothing) {
  const api::Object budget = Budget(R"({"minAvailable":0})");
  const api::Object written =
      WithBudgetStatus(budget, CountsOf(budget, 0), 1, Value::EmptyObject(), kBudgetNow);
  EXPECT_EQ(written.status().Get("disruptionsAllowed").AsInt(), 0);
}

// CTRL-PDB-05
TEST(BudgetStatus, AFailedSyncAllowsNothing) {
  const api::Object budget =
      Budget(R"({"maxUnavailable":1})", R"({"disruptionsAllowed":1,"observedGeneration":1})");
  const api::Object failed =
      WithFailedSync(budget, "found no controllers for pod \"p\"", kBudgetNow);
  EXPECT_EQ(failed.status().Get("disruptionsAllowed").AsInt(), 0);
  EXPECT_EQ(ReasonOf(failed), "SyncFailed");
  EXPECT_EQ(Allowed(failed).Get("message").AsString(), "found no controllers for pod \"p\"");
  EXPECT_EQ(failed.resource_version(), 7);
}

}  // namespace
}  // namespace ksim::controllers
