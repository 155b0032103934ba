#include "ksim/controllers/nodelifecycle/node_health.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ksim/api/conditions.h"
#include "ksim/value/json.h"
#include "ksim/value/timestamp.h"

namespace ksim::controllers {
namespace {

constexpr Duration kGrace = Seconds(40);

ClockReading At(std::int64_t seconds) {
  const VirtualTime t = VirtualTime() + Seconds(seconds);
  return ClockReading(t, t);
}

// A node created at `created`, with a Ready condition unless `status` is "".
api::Object Node(std::string_view status, std::int64_t heartbeat, std::int64_t created = 0) {
  const auto time = [](std::int64_t s) {
    return value::FormatTimestamp(VirtualTime() + Seconds(s));
  };
  const std::string ready =
      status.empty() ? ""
                     : fmt::format(R"({{"type":"Ready","status":"{}","reason":"KubeletReady",
                             "lastHeartbeatTime":"{}","lastTransitionTime":"{}"}})",
                                   status, time(heartbeat), time(created));
  const auto tree =
      value::ParseJson(fmt::format(R"({{"apiVersion":"v1","kind":"Node","metadata":{{"name":"n",
        "creationTimestamp":"{}"}},"status":{{"conditions":[{}]}}}})",
                                   time(created), ready));
  return api::Object::FromTree(*tree);
}

api::Object Lease(std::int64_t renewed) {
  const auto tree = value::ParseJson(fmt::format(
      R"({{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{{"name":"n"}},
        "spec":{{"renewTime":"{}"}}}})",
      value::FormatMicroTime(VirtualTime() + Seconds(renewed))));
  return api::Object::FromTree(*tree);
}

std::string Reason(const HealthVerdict& verdict, std::string_view type) {
  const value::Value* c = api::FindCondition(verdict.update->status().Get("conditions"), type);
  return c == nullptr ? "" : std::string(c->Get("reason").AsString());
}

// CTRL-NL-02, CTRL-NL-03
TEST(NodeHealth, ANodeIsSilentWhenTheGraceHasPassed) {
  NodeHealth health(kGrace);
  EXPECT_FALSE(health.Assess(Node("True", 0), {}, At(100)).update) << "the first look";
  EXPECT_FALSE(health.Assess(Node("True", 0), {}, At(139)).update) << "not yet";
  const HealthVerdict verdict = health.Assess(Node("True", 0), {}, At(140));
  ASSERT_TRUE(verdict.update);
  EXPECT_EQ(verdict.observed, "True");
  EXPECT_EQ(verdict.current, "Unknown");
  EXPECT_EQ(Reason(verdict, "Ready"), "NodeStatusUnknown");
  EXPECT_EQ(Reason(verdict, "MemoryPressure"), "NodeStatusNeverUpdated");
  EXPECT_EQ(Reason(verdict, "PIDPressure"), "NodeStatusNeverUpdated");
  EXPECT_EQ(Reason(verdict, "NetworkUnavailable"), "");
}

// CTRL-NL-02: heartbeats and leases count when they are seen, whatever their times say.
TEST(NodeHealth, SignsOfLifeCountFromWhenTheyAreSeen) {
  NodeHealth health(kGrace);
  health.Assess(Node("True", 0), Lease(0), At(100));
  health.Assess(Node("True", 0), Lease(5), At(130));
  EXPECT_FALSE(health.Assess(Node("True", 0), Lease(5), At(169)).update);
  EXPECT_FALSE(health.Assess(Node("True", 7), Lease(5), At(170)).update);
  EXPECT_FALSE(health.Assess(Node("True", 7), Lease(5), At(175)).update);
  EXPECT_FALSE(health.Assess(Node("True", 7), Lease(5), At(214)).update)
      << "the look after a heartbeat took the old lease for a sign";
  EXPECT_TRUE(health.Assess(Node("True", 7), Lease(5), At(215)).update);
}

TEST(NodeHealth, AnOlderLeaseIsNoSign) {
  NodeHealth health(kGrace);
  health.Assess(Node("True", 0), Lease(50), At(100));
  health.Assess(Node("True", 0), Lease(40), At(130));
  EXPECT_TRUE(health.Assess(Node("True", 0), Lease(40), At(141)).update);
}

// CTRL-NL-01, CTRL-NL-03
TEST(NodeHealth, ANodeThatNeverReportedHasAMinuteFromItsCreation) {
  NodeHealth health(kGrace);
  const HealthVerdict early = health.Assess(Node("", 0, 100), {}, At(159));
  EXPECT_EQ(early.current, "");
  EXPECT_EQ(early.observed, "Unknown");
  const HealthVerdict late = health.Assess(Node("", 0, 100), {}, At(160));
  ASSERT_TRUE(late.update);
  EXPECT_EQ(Reason(late, "Ready"), "NodeStatusNeverUpdated");
  const value::Value* ready = api::FindCondition(late.update->status().Get("conditions"), "Ready");
  EXPECT_EQ(ready->Get("message").AsString(), "Kubelet never posted node status.");
  EXPECT_EQ(ready->Get("lastHeartbeatTime").AsString(), "2025-01-01T00:01:40Z");
}

TEST(NodeHealth, AnUnknownNodeIsNotWrittenAgain) {
  NodeHealth health(kGrace);
  health.Assess(Node("True", 0), {}, At(100));
  const HealthVerdict verdict = health.Assess(Node("True", 0), {}, At(141));
  health.Written(*verdict.update, {});
  EXPECT_EQ(health.ReadyStatus("n"), "Unknown");
  EXPECT_FALSE(health.Assess(*verdict.update, {}, At(146)).update);
}

// CTRL-NL-13
TEST(NodeHealth, ARestartGivesTheWholeGraceAgain) {
  NodeHealth health(kGrace);
  health.Assess(Node("True", 0), {}, At(100));
  health.Restart("n", At(135));
  EXPECT_FALSE(health.Assess(Node("True", 0), {}, At(174)).update);
  EXPECT_TRUE(health.Assess(Node("True", 0), {}, At(175)).update);
}

}  // namespace
}  // namespace ksim::controllers
