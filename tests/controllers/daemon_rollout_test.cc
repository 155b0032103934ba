#include "ksim/controllers/daemonset/daemon_rollout.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ksim/controllers/daemonset/daemonset_status.h"
#include "ksim/value/json.h"
#include "ksim/value/timestamp.h"

namespace ksim::controllers {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr api::Compat kRolloutCompats[] = {api::Compat::k1_25, api::Compat::k1_30,
                                           api::Compat::k1_36};
constexpr VirtualTime kRolloutNow = VirtualTime() + Hours(1);

api::Object RolloutObject(const std::string& json) {
  return api::Object::FromTree(*value::ParseJson(json));
}

// An update of five nodes' pods to the template "new".
struct TestRollout {
  explicit TestRollout(const std::string& rolling, int nodes = 5, int min_ready = 0) {
    in.daemon_set = RolloutObject(fmt::format(
        R"({{"metadata":{{"name":"foo","namespace":"default"}},"spec":{{"minReadySeconds":{},
            "updateStrategy":{{"type":"RollingUpdate","rollingUpdate":{}}},
            "template":{{"metadata":{{"labels":{{"a":"b"}}}},"spec":{{}}}}}}}})",
        min_ready, rolling));
    for (int i = 0; i < nodes; ++i)
      in.nodes.push_back(RolloutObject(fmt::format(R"({{"metadata":{{"name":"node-{}"}}}})", i)));
    in.hash = "new";
    in.now = kRolloutNow;
    in.profile = &ProfileOf(api::Compat::k1_36);
    in.pod_in_cache = [](std::string_view name) {
      return RolloutObject(fmt::format(R"({{"metadata":{{"name":"{}"}}}})", name));
    };
  }
  // `state`: ready, unready, going, or the seconds for which it has been ready.
  TestRollout& Pod(int node, const std::string& hash, const std::string& state) {
    const bool ready = state != "unready";
    const Duration since =
        ready && state[0] >= '0' && state[0] <= '9' ? Seconds(std::stoi(state)) : Seconds(600);
    const std::string name = fmt::format("{}-{}", hash, node);
    in.pods[fmt::format("node-{}", node)].push_back(RolloutObject(fmt::format(
        R"({{"metadata":{{"name":"{}","labels":{{"controller-revision-hash":"{}"}}{}}},
            "spec":{{"nodeName":"node-{}"}},"status":{{"phase":"Running","conditions":[
            {{"type":"Ready","status":"{}","lastTransitionTime":"{}"}}]}}}})",
        name, hash, state == "going" ? R"(,"deletionTimestamp":"2025-01-01T00:00:00Z")" : "", node,
        ready ? "True" : "False", value::FormatTimestamp(kRolloutNow - since))));
    return *this;
  }
  DaemonChanges Plan() const {
    RolloutInput input = in;
    input.node_in_cache = [this](std::string_view name) {
      for (const api::Object& node : in.nodes)
        if (node.name() == name) return node;
      return api::Object();
    };
    return PlanRollingUpdate(std::move(input));
  }
  RolloutInput in;
};

TestRollout AllOld(const std::string& rolling, const std::string& state = "ready") {
  TestRollout update(rolling);
  for (int i = 0; i < 5; ++i) update.Pod(i, "old", state);
  return update;
}

// CTRL-DS-13, CTRL-DS-14: the table of update_test.go TestGetUnavailableNumbers.
TEST(DaemonRollout, CountsAreNumbersOrPercentages) {
  const auto set = [](const std::string& rolling) { return TestRollout(rolling).in.daemon_set; };
  EXPECT_EQ(UnavailableCount(set(R"({"maxUnavailable":1})"), 2), 1);
  EXPECT_EQ(UnavailableCount(set(R"({"maxUnavailable":"50%"})"), 2), 1);
  EXPECT_EQ(UnavailableCount(set(R"({"maxUnavailable":"50%"})"), 3), 2) << "rounded up";
  EXPECT_EQ(UnavailableCount(set(R"({"maxUnavailable":"x"})"), 3), std::nullopt);
  EXPECT_EQ(SurgeCount(set(R"({"maxSurge":"50%"})"), 2), 1);
  EXPECT_EQ(SurgeCount(set(R"({"maxSurge":"100%"})"), 2), 2);
  EXPECT_EQ(SurgeCount(set("{}"), 2), 0);
  EXPECT_TRUE(AllowsSurge(set(R"({"maxSurge":"1%"})")));
  EXPECT_FALSE(AllowsSurge(set(R"({"maxSurge":0})")));
  const api::Object on_delete = RolloutObject(
      R"({"spec":{"updateStrategy":{"type":"OnDelete","rollingUpdate":{"maxSurge":3}}}})");
  EXPECT_EQ(SurgeCount(on_delete, 2), 0);
  EXPECT_EQ(UnavailableCount(on_delete, 2), 0);
}

// CTRL-DS-13: TestDaemonSetUpdatesPods, TestDaemonSetUpdatesWhenNewPodIsNotReady.
TEST(DaemonRollout, ReplacesAsManyAsMayBeMissing) {
  EXPECT_THAT(AllOld(R"({"maxUnavailable":2})").Plan().pods_to_delete,
              ElementsAre("old-0", "old-1"));
  EXPECT_THAT(AllOld(R"({"maxUnavailable":"30%"})").Plan().pods_to_delete,
              ElementsAre("old-0", "old-1"));
  // A node without a pod, one with a pod on its way out, and a new pod that is not available count.
  TestRollout some(R"({"maxUnavailable":4})");
  some.Pod(1, "old", "going").Pod(2, "new", "unready").Pod(3, "old", "ready").Pod(4, "old", "1");
  EXPECT_THAT(some.Plan().pods_to_delete, ElementsAre("old-3"));
  EXPECT_THAT(some.Plan().nodes_needing_pods, IsEmpty());
  // Two of a kind on one node are for the next sync.
  TestRollout twice(R"({"maxUnavailable":1})", 2);
  twice.Pod(0, "new", "ready").Pod(0, "new", "ready").Pod(1, "old", "ready");
  EXPECT_THAT(twice.Plan().pods_to_delete, IsEmpty());
}

// CTRL-DS-13: old pods that are not available go at once, and count from 1.30 on
// (TestDaemonSetUpdatesAllOldPodsNotReady, TestDaemonSetUpdatesSaveOldHealthyPods).
TEST(DaemonRollout, ReplacesWhatIsNotAvailableAtOnce) {
  EXPECT_THAT(AllOld(R"({"maxUnavailable":3})", "unready").Plan().pods_to_delete,
              ElementsAre("old-0", "old-1", "old-2", "old-3", "old-4"));
  for (const api::Compat compat : kRolloutCompats) {
    TestRollout some(R"({"maxUnavailable":2})");
    some.in.profile = &ProfileOf(compat);
    some.Pod(0, "old", "ready").Pod(1, "old", "unready").Pod(2, "old", "unready");
    some.Pod(3, "old", "ready").Pod(4, "old", "ready");
    const std::vector<std::string> gone = some.Plan().pods_to_delete;
    if (compat == api::Compat::k1_25)
      EXPECT_THAT(gone, ElementsAre("old-1", "old-2", "old-0", "old-3"));
    else
      EXPECT_THAT(gone, ElementsAre("old-1", "old-2"));
  }
}

// CTRL-DS-13: minReadySeconds.
TEST(DaemonRollout, ANewPodHasToBeReadyLongEnough) {
  TestRollout waiting(R"({"maxUnavailable":1})", 2, 15);
  waiting.Pod(0, "new", "10").Pod(1, "old", "ready");
  EXPECT_THAT(waiting.Plan().pods_to_delete, IsEmpty());
  TestRollout ready(R"({"maxUnavailable":1})", 2, 15);
  ready.Pod(0, "new", "16").Pod(1, "old", "ready");
  EXPECT_THAT(ready.Plan().pods_to_delete, ElementsAre("old-1"));
}

// CTRL-DS-13: neither number may be 0; who has both gets one node at a time.
TEST(DaemonRollout, AnImpossibleStrategyReplacesOne) {
  EXPECT_THAT(AllOld(R"({"maxUnavailable":0,"maxSurge":0})").Plan().pods_to_delete,
              ElementsAre("old-0"));
  EXPECT_EQ(AllOld(R"({"maxUnavailable":"a"})").Plan().error,
            "couldn't get unavailable numbers: invalid value for MaxUnavailable");
}

// CTRL-DS-14: TestDaemonSetUpdatesPodsWithMaxSurge.
TEST(DaemonRollout, SurgesOnAsManyNodesAsAllowed) {
  const std::string two = R"({"maxUnavailable":0,"maxSurge":2})";
  EXPECT_THAT(AllOld(two).Plan().nodes_needing_pods, ElementsAre("node-0", "node-1"));
  EXPECT_THAT(AllOld(two).Plan().pods_to_delete, IsEmpty());
  TestRollout wait = AllOld(two);
  wait.Pod(0, "new", "unready").Pod(1, "new", "unready");
  EXPECT_THAT(wait.Plan().nodes_needing_pods, IsEmpty());
  EXPECT_THAT(wait.Plan().pods_to_delete, IsEmpty());
  TestRollout next = AllOld(two);
  next.Pod(0, "new", "ready").Pod(1, "new", "unready");
  EXPECT_THAT(next.Plan().nodes_needing_pods, ElementsAre("node-2"));
  EXPECT_THAT(next.Plan().pods_to_delete, ElementsAre("old-0"));
}

// CTRL-DS-14: where the old pod is not available a new one comes whatever maxSurge is
// (TestDaemonSetUpdatesAllOldPodsNotReadyMaxSurge).
TEST(DaemonRollout, SurgesAtOnceWhereNothingIsAvailable) {
  EXPECT_THAT(AllOld(R"({"maxUnavailable":0,"maxSurge":1})", "unready").Plan().nodes_needing_pods,
              ElementsAre("node-0", "node-1", "node-2", "node-3", "node-4"));
}

// CTRL-DS-14: TestDaemonSetUpdatesPodsNotMatchTainstWithMaxSurge.
TEST(DaemonRollout, PodsOfLostNodesGoAsOthersComeUp) {
  TestRollout update(R"({"maxUnavailable":0,"maxSurge":1})", 2);
  update.in.nodes[0] = RolloutObject(
      R"({"metadata":{"name":"node-0"},"spec":{"taints":[{"key":"k","effect":"NoSchedule"}]}})");
  update.Pod(0, "old", "ready");
  EXPECT_THAT(update.Plan().pods_to_delete, IsEmpty()) << "node-1 has none yet";
  update.Pod(1, "new", "ready");
  EXPECT_THAT(update.Plan().pods_to_delete, ElementsAre("old-0"));
  update.in.pod_in_cache = [](std::string_view) { return api::Object(); };
  EXPECT_THAT(update.Plan().pods_to_delete, IsEmpty()) << "it is gone";
  // One that is not available goes at once.
  TestRollout unready(R"({"maxUnavailable":0,"maxSurge":1})", 2);
  unready.in.nodes[0] = update.in.nodes[0];
  unready.Pod(0, "old", "unready");
  EXPECT_THAT(unready.Plan().pods_to_delete, ElementsAre("old-0"));
}

// CTRL-DS-14
TEST(DaemonRollout, ANodeThatIsGoneFailsTheSurge) {
  TestRollout update(R"({"maxUnavailable":0,"maxSurge":1})", 1);
  update.Pod(0, "old", "ready").Pod(7, "old", "ready");
  const DaemonChanges changes = update.Plan();
  EXPECT_EQ(changes.error, "couldn't get node for nodeName \"node-7\": node \"node-7\" not found");
  EXPECT_THAT(changes.nodes_needing_pods, IsEmpty());
}

// CTRL-DS-20
TEST(DaemonRollout, TheStatusCountsNodes) {
  TestRollout update(R"({"maxUnavailable":1})", 5, 15);
  update.in.nodes[4] = RolloutObject(
      R"({"metadata":{"name":"node-4"},"spec":{"taints":[{"key":"k","effect":"NoSchedule"}]}})");
  update.Pod(0, "new", "16").Pod(1, "old", "10").Pod(2, "new", "unready").Pod(4, "old", "ready");
  const DaemonSetCounts counts =
      CountDaemonPods(update.in.daemon_set, update.in.nodes, update.in.pods, "new", kRolloutNow,
                      *update.in.profile);
  EXPECT_EQ(counts.desired, 4);
  EXPECT_EQ(counts.current, 3);
  EXPECT_EQ(counts.misscheduled, 1);
  EXPECT_EQ(counts.ready, 2);
  EXPECT_EQ(counts.available, 1);
  EXPECT_EQ(counts.unavailable(), 3);
  EXPECT_EQ(counts.updated, 2);
}

}  // namespace
}  // namespace ksim::controllers
