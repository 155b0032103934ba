// Rules of the controllers of nodes that need no server: taints, labels, tolerations, the order in
// which pods are collected, ticks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ksim/api/conditions.h"
#include "ksim/api/views/zone.h"
#include "ksim/controllers/common/node_writes.h"
#include "ksim/controllers/common/ticks.h"
#include "ksim/controllers/nodelifecycle/node_lifecycle_controller.h"
#include "ksim/controllers/podgc/podgc_controller.h"
#include "ksim/controllers/tainteviction/taint_eviction.h"
#include "ksim/value/json.h"

namespace ksim::controllers {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using value::Value;

Value Json(std::string_view text) { return *value::ParseJson(text); }
api::Object Object(std::string_view text) { return api::Object::FromTree(Json(text)); }

std::vector<std::string> Keys(const Taints& taints) {
  std::vector<std::string> keys;
  for (const Value& taint : taints) {
    EXPECT_EQ(taint.Get("effect").AsString(), "NoSchedule");
    keys.emplace_back(taint.Get("key").AsString());
  }
  return keys;
}

// CTRL-NL-07
TEST(NodeRules, ConditionsAskForTaints) {
  EXPECT_THAT(
      Keys(TaintsOfConditions(Object(R"({"spec":{"unschedulable":true},"status":{
      "conditions":[{"type":"MemoryPressure","status":"True"},
      {"type":"DiskPressure","status":"True"},
      {"type":"PIDPressure","status":"True"},{"type":"NetworkUnavailable","status":"True"},
      {"type":"Ready","status":"False"}]}})"))),
      ElementsAre("node.kubernetes.io/memory-pressure", "node.kubernetes.io/disk-pressure",
                  "node.kubernetes.io/pid-pressure", "node.kubernetes.io/network-unavailable",
                  "node.kubernetes.io/not-ready", "node.kubernetes.io/unschedulable"));
  EXPECT_THAT(Keys(TaintsOfConditions(Object(R"({"status":{"conditions":[
      {"type":"MemoryPressure","status":"Unknown"},{"type":"Ready","status":"Unknown"}]}})"))),
              ElementsAre("node.kubernetes.io/unreachable"));
  EXPECT_THAT(Keys(TaintsOfConditions(
                  Object(R"({"status":{"conditions":[{"type":"Ready","status":"True"}]}})"))),
              IsEmpty());
}

// CTRL-NL-08
TEST(NodeRules, OldLabelsFollowTheNewOnes) {
  const auto wanted = [](std::string_view labels) {
    return LabelsToReconcile(Object(R"({"metadata":{"labels":)" + std::string(labels) + "}}"));
  };
  EXPECT_THAT(wanted(R"({"kubernetes.io/os":"linux","beta.kubernetes.io/os":"linux"})"), IsEmpty());
  EXPECT_THAT(wanted(R"({"kubernetes.io/os":"linux","beta.kubernetes.io/os":"windows"})"),
              ElementsAre(testing::Pair("beta.kubernetes.io/os", "linux")));
  EXPECT_THAT(wanted(R"({"kubernetes.io/arch":"amd64"})"),
              ElementsAre(testing::Pair("beta.kubernetes.io/arch", "amd64")));
  EXPECT_THAT(wanted(R"({"beta.kubernetes.io/os":"linux"})"), IsEmpty());
}

// CTRL-NL-12
TEST(NodeRules, AZoneIsRegionAndZone) {
  EXPECT_EQ(ZoneKey(Object(R"({"metadata":{"labels":{"a":"b"}}})")), "");
  const std::string key = ZoneKey(Object(
      R"({"metadata":{"labels":{"topology.kubernetes.io/region":"r",
                           "topology.kubernetes.io/zone":"z"}}})"));
  EXPECT_EQ(key, std::string("r:\0:z", 5));
  EXPECT_EQ(ZoneKey(Object(R"({"metadata":{"labels":{"topology.kubernetes.io/zone":"z",
      "failure-domain.beta.kubernetes.io/zone":"old"}}})")),
            std::string(":\0:old", 6));
}

TEST(NodeRules, TaintsAreKnownByKeyAndEffect) {
  const Value taints = Json(R"([{"key":"k","effect":"NoSchedule","value":"1"},
                                {"key":"k","effect":"NoExecute"}])");
  const Value other = Json(R"({"key":"k","effect":"NoSchedule","value":"2"})");
  EXPECT_TRUE(TaintExists(taints, other));
  EXPECT_EQ(WithTaint(taints, other).at(0).Get("value").AsString(), "2");
  EXPECT_EQ(WithTaint(taints, other).size(), 2u);
  EXPECT_EQ(WithoutTaint(taints, other).size(), 1u);
  EXPECT_EQ(WithTaint(taints, MakeTaint("l", "NoExecute")).size(), 3u);
  EXPECT_TRUE(TaintKeyExists(taints, "k"));
  EXPECT_FALSE(TaintKeyExists(taints, "l"));
}

// CTRL-NL-04
TEST(NodeRules, APodIsMarkedByItsReadyConditionAlone) {
  const VirtualTime now = VirtualTime() + Seconds(7);
  const Value status =
      NotReadyStatus(Object(R"({"status":{"conditions":[{"type":"Initialized","status":"True"},
          {"type":"Ready","status":"True","lastTransitionTime":"2025-01-01T00:00:01Z"}]}})"),
                     now);
  const Value* const ready = api::FindCondition(status.Get("conditions"), "Ready");
  ASSERT_NE(ready, nullptr);
  EXPECT_EQ(ready->Get("status").AsString(), "False");
  EXPECT_EQ(ready->Get("lastTransitionTime").AsString(), "2025-01-01T00:00:07Z");
  EXPECT_TRUE(NotReadyStatus(Object(R"({"status":{"conditions":[{"type":"Ready",
      "status":"False"}]}})"),
                             now)
                  .is_null());
  EXPECT_TRUE(NotReadyStatus(Object(R"({"status":{}})"), now).is_null());
}

// taint_eviction_test.go TestGetMinTolerationTime. CTRL-TE-01
TEST(NodeRules, TheShortestTolerationCounts) {
  const auto least = [](std::string_view list) {
    const Value tree = Json(list);
    return MinTolerationTime(Taints(tree.items().begin(), tree.items().end()));
  };
  EXPECT_EQ(least("[]"), Duration());
  EXPECT_EQ(least(R"([{}])"), std::nullopt);
  EXPECT_EQ(least(R"([{"tolerationSeconds":1},{}])"), Seconds(1));
  EXPECT_EQ(least(R"([{},{"tolerationSeconds":2}])"), Seconds(2));
  EXPECT_EQ(least(R"([{"tolerationSeconds":2},{"tolerationSeconds":1}])"), Seconds(1));
  EXPECT_EQ(least(R"([{"tolerationSeconds":2},{"tolerationSeconds":0}])"), Duration());
  EXPECT_EQ(least(R"([{"tolerationSeconds":2},{"tolerationSeconds":-1}])"), Duration());
}

// CTRL-TE-01: every taint needs a toleration, and the first that fits is the one used.
TEST(NodeRules, EachTaintUsesTheFirstTolerationThatFits) {
  const Value taints =
      Json(R"([{"key":"a","effect":"NoExecute"},{"key":"b","effect":"NoExecute"}])");
  EXPECT_FALSE(MatchingTolerations(taints, Json(R"([{"key":"a","operator":"Exists"}])")));
  const auto used =
      MatchingTolerations(taints, Json(R"([{"key":"a","operator":"Exists","tolerationSeconds":9},
                       {"operator":"Exists","tolerationSeconds":3},
                       {"key":"b","operator":"Exists","tolerationSeconds":1}])"));
  ASSERT_TRUE(used);
  ASSERT_EQ(used->size(), 2u);
  EXPECT_EQ(used->at(0).Get("tolerationSeconds").AsInt(), 9);
  EXPECT_EQ(used->at(1).Get("tolerationSeconds").AsInt(), 3);
}

// CTRL-PGC-02
TEST(NodeRules, EvictedPodsAreCollectedFirstThenTheOldest) {
  const auto pod = [](std::string_view name, std::string_view created, bool evicted) {
    return Object(R"({"metadata":{"name":")" + std::string(name) + R"(","creationTimestamp":")" +
                  std::string(created) + R"("},"status":{"phase":"Failed")" +
                  (evicted ? R"(,"reason":"Evicted")" : "") + "}}");
  };
  const auto order = [&](api::Compat compat) {
    std::vector<api::Object> pods = {
        pod("old", "2025-01-01T00:00:01Z", false), pod("b", "2025-01-01T00:00:02Z", false),
        pod("a", "2025-01-01T00:00:02Z", false), pod("evicted", "2025-01-01T00:00:03Z", true)};
    SortForCollection(pods, ProfileOf(compat));
    std::vector<std::string> names;
    for (const api::Object& p : pods) names.emplace_back(p.name());
    return names;
  };
  EXPECT_THAT(order(api::Compat::k1_25), ElementsAre("old", "a", "b", "evicted"));
  EXPECT_THAT(order(api::Compat::k1_30), ElementsAre("evicted", "old", "a", "b"));
  EXPECT_THAT(order(api::Compat::k1_36), ElementsAre("evicted", "old", "a", "b"));
}

TEST(NodeRules, TicksKeepTheirPhase) {
  Ticks ticks(Milliseconds(100));
  const VirtualTime start = VirtualTime() + Milliseconds(30);
  ticks.Ran(start);
  EXPECT_EQ(ticks.NextAt(start), start + Milliseconds(100));
  EXPECT_EQ(ticks.NextAt(start + Milliseconds(100)), start + Milliseconds(100));
  EXPECT_EQ(ticks.NextAt(start + Milliseconds(101)), start + Milliseconds(200));
  EXPECT_EQ(ticks.NextAt(VirtualTime()), start + Milliseconds(100));
}

}  // namespace
}  // namespace ksim::controllers
