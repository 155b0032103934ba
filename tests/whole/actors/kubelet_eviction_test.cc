// A kubelet on a machine under memory, disk or pid pressure, or without a pod network.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ksim/api/conditions.h"
#include "ksim/api/node.h"
#include "ksim/kubelet/eviction.h"
#include "ksim/kubelet/runtime/payloads.h"
#include "ksim/store/events.h"
#include "tests/whole/actors/actor_world.h"

namespace ksim {
namespace {

using kubelet::Trouble;
using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kRequests =
    R"("resources":{"requests":{"cpu":"10m","memory":"10Mi","ephemeral-storage":"10Mi"}},)";

// Bound to n1.
std::string Pod(std::string_view name, std::string_view resources = "",
                std::string_view more_spec = "") {
  return fmt::format(R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{}"}},"spec":{{
    "nodeName":"n1"{},"containers":[{{{}"name":"c","image":"i:1"}}]}}}})",
                     name, more_spec, resources);
}

struct KubeletEvictions : testing::TestWithParam<api::Compat> {
  KubeletEvictions() : w(GetParam()) {
    w.StartKubelet("n1");
    w.Advance(Seconds(3));
  }
  bool v125() const { return GetParam() == api::Compat::k1_25; }
  void Run(std::string_view name, std::string_view resources = "", std::string_view spec = "") {
    w.Create("pods", Pod(name, resources, spec));
    w.Advance(Seconds(10));
    ASSERT_EQ(Phase(name), "Running");
  }
  std::string Phase(std::string_view name) {
    return std::string(w.Get("pods", name).status().Get("phase").AsString());
  }
  std::string Reason(std::string_view name) {
    return std::string(w.Get("pods", name).status().Get("reason").AsString());
  }
  std::string Condition(Trouble t) {
    return std::string(api::ConditionStatus(w.Get("nodes", "n1").status().Get("conditions"),
                                            kubelet::ConditionOf(t)));
  }
  bool Tainted(std::string_view key) {
    return api::NodeView(w.Get("nodes", "n1")).HasTaint(key, "NoSchedule");
  }
  ActorWorld w;
};

INSTANTIATE_TEST_SUITE_P(Compat, KubeletEvictions, testing::ValuesIn(kCompats),
                         [](const auto& info) { return std::to_string(int(info.param)); });

// KUBELET-31
TEST_P(KubeletEvictions, FailThePodAndKeepItsObject) {
  Run("p");
  w.EventTexts();
  w.machine().Set(Trouble::kMemory, true);
  w.Advance(Minutes(1));
  const api::Object pod = w.Get("pods", "p");
  ASSERT_FALSE(pod.empty());
  EXPECT_FALSE(pod.deleting());
  EXPECT_EQ(Phase("p"), "Failed");
  EXPECT_EQ(Reason("p"), "Evicted");
  const std::string message =
      v125() ? "The node was low on resource: memory. "
             : "The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. ";
  EXPECT_EQ(pod.status().Get("message").AsString(), message);
  const value::Value* disrupted =
      api::FindCondition(pod.status().Get("conditions"), "DisruptionTarget");
  ASSERT_EQ(disrupted == nullptr, v125());
  if (disrupted != nullptr) {
    EXPECT_EQ(disrupted->Get("status").AsString(), "True");
    EXPECT_EQ(disrupted->Get("reason").AsString(), "TerminationByKubelet");
    EXPECT_EQ(disrupted->Get("message").AsString(), message);
    EXPECT_FALSE(disrupted->Get("lastTransitionTime").is_null());
  }
  const std::vector<std::string> events = w.EventTexts();
  EXPECT_THAT(events, Contains(StartsWith("Warning Evicted The node was low on resource: memory")));
  EXPECT_THAT(events, Contains("Warning EvictionThresholdMet Attempting to reclaim memory"));
  EXPECT_THAT(events, Contains("Normal NodeHasInsufficientMemory Node n1 status is now: "
                               "NodeHasInsufficientMemory"));
}

// KUBELET-31, KUBELET-26: an evicted pod is not Failed and has no reason while its container still
// runs.
TEST_P(KubeletEvictions, SayItWhenTheContainersHaveStopped) {
  Run("p");
  w.machine().Set(Trouble::kDisk, true);
  w.Advance(Minutes(1));
  ASSERT_EQ(Phase("p"), "Failed");
  int versions = 0;
  for (const sim::Event& e : w.events()) {
    if (e.kind != sim::EventKind::kCommit) continue;
    const auto& commit = e.payload.As<store::CommitPayload>();
    if (!commit.key().ends_with("/pods/default/p")) continue;
    const value::Value& status = commit.kv.value().Get("status");
    const bool over = status.Get("phase").AsString() == "Failed";
    EXPECT_EQ(status.Has("reason"), over);
    EXPECT_EQ(api::FindCondition(status.Get("conditions"), "DisruptionTarget") != nullptr,
              over && !v125());
    const value::Value& container = status.Get("containerStatuses").at(0);
    EXPECT_TRUE(!over || container.Get("state").Has("terminated"));
    ++versions;
  }
  EXPECT_GT(versions, 3);
}

// KUBELET-31: the kubelet evicts pods without requests first, one at a time, and never critical
// pods.
TEST_P(KubeletEvictions, TakeOnePodAfterTheOtherAndNoneThatIsCritical) {
  Run("modest", kRequests);
  Run("a-greedy");
  Run("z-greedy");
  Run("critical", "", R"(,"priorityClassName":"system-node-critical")");
  w.Forget();
  w.machine().Set(Trouble::kMemory, true);
  w.Advance(Minutes(3));
  std::vector<std::string> killed;
  for (std::size_t i = w.from(); i < w.events().size(); ++i) {
    const sim::Event& e = w.events()[i];
    if (e.kind != sim::EventKind::kRuntime) continue;
    const auto& p = e.payload.As<kubelet::RuntimePayload>();
    if (p.action == "kill") killed.push_back(p.pod);
  }
  EXPECT_EQ(killed, (std::vector<std::string>{"a-greedy", "z-greedy", "modest"}));
  EXPECT_EQ(Phase("critical"), "Running");
}

// KUBELET-31: the evictions stop as soon as the pressure ends.
TEST_P(KubeletEvictions, StopWhenThereIsEnough) {
  Run("a");
  Run("b");
  w.machine().Set(Trouble::kMemory, true);
  for (int i = 0; i < 60 && Phase("a") == "Running"; ++i) w.Advance(Milliseconds(500));
  w.machine().Set(Trouble::kMemory, false);
  w.Advance(Minutes(2));
  EXPECT_EQ(Phase("a"), "Failed");
  EXPECT_EQ(Phase("b"), "Running");
}

// KUBELET-31, KUBELET-08: the pressure condition stays for five minutes after the kubelet last saw
// the pressure.
TEST_P(KubeletEvictions, RefusePodsUnderPressure) {
  struct Row {
    Trouble trouble;
    const char* resources;
    const char* spec;
    bool refused;
  };
  const char* tolerates = R"(,"tolerations":[{"key":"node.kubernetes.io/memory-pressure",
      "operator":"Exists","effect":"NoSchedule"}])";
  const char* critical = R"(,"priorityClassName":"system-node-critical")";
  const Row rows[] = {
      {Trouble::kMemory, "", "", true},         {Trouble::kMemory, kRequests, "", false},
      {Trouble::kMemory, "", tolerates, false}, {Trouble::kMemory, "", critical, false},
      {Trouble::kDisk, "", "", true},           {Trouble::kDisk, kRequests, "", true},
      {Trouble::kDisk, "", tolerates, true},    {Trouble::kDisk, "", critical, false},
      {Trouble::kPids, kRequests, "", true}};
  int n = 0;
  for (const Row& row : rows) {
    SCOPED_TRACE(n++);
    ActorWorld world(GetParam());
    world.StartKubelet("n1");
    world.machine().Set(row.trouble, true);
    world.Advance(Seconds(15));
    world.machine().Set(row.trouble, false);
    world.Create("pods", Pod("p", row.resources, row.spec));
    world.Advance(Seconds(15));
    const value::Value status = world.Get("pods", "p").status();
    EXPECT_EQ(status.Get("phase").AsString(), row.refused ? "Failed" : "Running");
    if (!row.refused) continue;
    EXPECT_EQ(status.Get("reason").AsString(), "Evicted");
    EXPECT_EQ(status.Get("message").AsString(), fmt::format("{}The node had condition: [{}]. ",
                                                            v125() ? "Pod " : "Pod was rejected: ",
                                                            kubelet::ConditionOf(row.trouble)));
    world.Advance(Minutes(5));
    world.Create("pods", Pod("q", row.resources, row.spec));
    world.Advance(Seconds(15));
    EXPECT_EQ(world.Get("pods", "q").status().Get("phase").AsString(), "Running");
  }
}

// KUBELET-31: condition and taint come within a status period and go five minutes after the
// pressure ends.
TEST_P(KubeletEvictions, AreInTheNodesConditionsAndTaints) {
  const std::pair<Trouble, const char*> rows[] = {
      {Trouble::kMemory, "node.kubernetes.io/memory-pressure"},
      {Trouble::kDisk, "node.kubernetes.io/disk-pressure"},
      {Trouble::kPids, "node.kubernetes.io/pid-pressure"}};
  for (const auto& [trouble, taint] : rows) {
    SCOPED_TRACE(taint);
    w.machine().Set(trouble, true);
    w.Advance(Seconds(21));
    EXPECT_EQ(Condition(trouble), "True");
    EXPECT_TRUE(Tainted(taint));
    w.machine().Set(trouble, false);
    w.Advance(Minutes(4) + Seconds(45));
    EXPECT_EQ(Condition(trouble), "True");
    EXPECT_TRUE(Tainted(taint));
    w.Advance(Seconds(26));
    EXPECT_EQ(Condition(trouble), "False");
    EXPECT_FALSE(Tainted(taint));
  }
}

// KUBELET-07: the kubelet syncs a pod that waits for the network every 1 s times [1, 1.5), not
// every 10 s.
TEST_P(KubeletEvictions, WithoutANetworkPodsAreTriedAgainSoon) {
  w.EventTexts();
  w.machine().Set(Trouble::kNetwork, true);
  w.Create("pods", Pod("p"));
  w.Create("pods", Pod("host", "", R"(,"hostNetwork":true)"));
  w.Advance(Seconds(21));
  EXPECT_EQ(Phase("host"), "Running");
  EXPECT_EQ(Phase("p"), "Pending");
  EXPECT_EQ(Condition(Trouble::kNetwork), "False");
  EXPECT_TRUE(Tainted("node.kubernetes.io/not-ready"));
  EXPECT_THAT(w.EventTexts(),
              Contains(HasSubstr("Warning NetworkNotReady network is not ready: ")));
  w.machine().Set(Trouble::kNetwork, false);
  w.Forget();
  const VirtualTime back = w.api.sim.now();
  w.Advance(Seconds(12));
  EXPECT_EQ(Phase("p"), "Running");
  for (std::size_t i = w.from(); i < w.events().size(); ++i) {
    const sim::Event& e = w.events()[i];
    if (e.kind != sim::EventKind::kRuntime) continue;
    const auto& p = e.payload.As<kubelet::RuntimePayload>();
    EXPECT_TRUE(p.action != "sandbox" || e.time - back <= Milliseconds(1500) + Seconds(1));
  }
  EXPECT_EQ(Condition(Trouble::kNetwork), "True");
  EXPECT_FALSE(Tainted("node.kubernetes.io/not-ready"));
}

}  // namespace
}  // namespace ksim
