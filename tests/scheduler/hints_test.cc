// The events that each plugin registers for, and those that its hint takes for helpful.
#include <gtest/gtest.h>

#include "ksim/scheduler/filters.h"
#include "ksim/scheduler/plugins/plugins.h"
#include "tests/scheduler/fixtures.h"

namespace ksim::scheduler {
namespace {

using E = ClusterEvent;

Plugins Defaults(api::Compat compat) {
  return DefaultPlugins(ProfileOf(compat),
                        [](const api::Object&) { return std::vector<value::LabelSelector>(); });
}

const Plugin& Named(const Plugins& plugins, std::string_view name) {
  for (const auto& plugin : plugins)
    if (plugin->name() == name) return *plugin;
  return *plugins.front();
}

// SCHED-09, SCHED-07
TEST(EventsToRegister, ChangeWithTheProfile) {
  constexpr std::uint32_t kAnyNode = E::kNodeAdd | E::kNodeUpdate;
  constexpr std::uint32_t kPod = E::kAssignedPodAdd | E::kAssignedPodDelete;
  constexpr std::uint32_t kTerms = kPod | E::kNodeAdd | E::kNodeUpdateLabel;
  struct Row {
    std::string_view plugin;
    std::uint32_t v25, v30, v36;
  };
  const Row rows[] = {
      {"NodeUnschedulable", E::kNodeAdd | E::kNodeUpdateTaint, kAnyNode,
       E::kNodeAdd | E::kNodeUpdateTaint | E::kTargetPodToleration},
      {"NodeName", kAnyNode, kAnyNode, E::kNodeAdd},
      {"TaintToleration", kAnyNode, kAnyNode,
       E::kNodeAdd | E::kNodeUpdateTaint | E::kTargetPodToleration},
      {"NodeAffinity", kAnyNode, kAnyNode, E::kNodeAdd | E::kNodeUpdateLabel},
      {"NodePorts", kAnyNode | E::kAssignedPodDelete, kAnyNode | E::kAssignedPodDelete,
       E::kNodeAdd | E::kAssignedPodDelete},
      {"NodeResourcesFit", kAnyNode | E::kAssignedPodDelete, kAnyNode | E::kAssignedPodDelete,
       E::kNodeAdd | E::kNodeUpdateAllocatable | E::kAssignedPodDelete},
      {"PodTopologySpread", kTerms | E::kNodeDelete | E::kAssignedPodUpdate,
       kTerms | E::kNodeDelete | E::kAssignedPodUpdate | E::kNodeUpdateTaint,
       kTerms | E::kNodeDelete | E::kNodeUpdateTaint | E::kAssignedPodLabel | E::kTargetPodLabel |
           E::kTargetPodToleration},
      {"InterPodAffinity", kTerms | E::kAssignedPodUpdate,
       kTerms | E::kAssignedPodUpdate | E::kNodeUpdateTaint,
       kTerms | E::kAssignedPodLabel | E::kTargetPodLabel},
  };
  const Plugins plugins = Defaults(api::Compat::k1_36);
  for (const Row& row : rows) {
    const Plugin& plugin = Named(plugins, row.plugin);
    EXPECT_EQ(plugin.EventsToRegister(ProfileOf(api::Compat::k1_25)), row.v25) << row.plugin;
    EXPECT_EQ(plugin.EventsToRegister(ProfileOf(api::Compat::k1_30)), row.v30) << row.plugin;
    EXPECT_EQ(plugin.EventsToRegister(ProfileOf(api::Compat::k1_36)), row.v36) << row.plugin;
  }
}

api::Object Placed(std::string_view name, std::string_view app = "x", std::string_view more = "") {
  return FromJson(fmt::format(
      R"({{"kind":"Pod","metadata":{{"name":"{0}","namespace":"default","uid":"uid-{0}",
          "labels":{{"app":"{1}"}}}},"spec":{{"nodeName":"n"{2}}}}})",
      name, app, more));
}

// SCHED-07
TEST(QueueingHints, AskWhetherTheRejectionMayBeOver) {
  const std::string spread =
      R"("topologySpreadConstraints":[{"topologyKey":"zone","maxSkew":1,
         "whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"app":"x"}}}])";
  const api::Object asks = Pod("p", R"("cpu":"2")");
  const api::Object even = Pod("p", "", spread);
  const api::Object tolerant = Pod("p", "",
                                   R"("tolerations":[{"key":"node.kubernetes.io/unschedulable",
                                      "operator":"Exists"}])");
  const auto node = [](std::string_view cpu, std::string_view pods = "10") {
    return Node("n", "", "", fmt::format(R"("cpu":"{}","memory":"8Gi","pods":"{}")", cpu, pods));
  };
  const api::Object bare = Node("n"), in_a = Node("n", R"("zone":"a")"),
                    in_b = Node("n", R"("zone":"b")");
  const api::Object tainted =
      Node("n", R"("zone":"a")", R"("taints":[{"key":"k","effect":"NoSchedule"}])");
  struct Row {
    const char* why;
    std::string_view plugin;
    const api::Object& pod;
    std::uint32_t event;
    api::Object before, after;
    bool helps;
  };
  const Row rows[] = {
      {"a pod left", "NodeResourcesFit", asks, E::kAssignedPodDelete, Placed("o"), {}, true},
      {"it held no place", "NodeResourcesFit", asks, E::kAssignedPodDelete, Pod("o"), {}, false},
      {"room", "NodeResourcesFit", asks, E::kNodeAdd, {}, node("2"), true},
      {"no room", "NodeResourcesFit", asks, E::kNodeAdd, {}, node("1"), false},
      {"more", "NodeResourcesFit", asks, E::kNodeUpdateAllocatable, node("2"), node("4"), true},
      {"less", "NodeResourcesFit", asks, E::kNodeUpdateAllocatable, node("4"), node("2"), false},
      {"more pods", "NodeResourcesFit", asks, E::kNodeUpdateAllocatable, node("4", "1"),
       node("2", "2"), true},
      {"a toleration", "NodeUnschedulable", asks, E::kTargetPodToleration, asks, tolerant, true},
      {"another", "NodeUnschedulable", asks, E::kTargetPodToleration, tolerant, asks, false},
      {"it matches", "PodTopologySpread", even, E::kAssignedPodAdd, {}, Placed("o"), true},
      {"it does not", "PodTopologySpread", even, E::kAssignedPodAdd, {}, Placed("o", "y"), false},
      {"it held no place", "PodTopologySpread", even, E::kAssignedPodDelete, Pod("o"), {}, false},
      {"it left", "PodTopologySpread", even, E::kAssignedPodDelete, Placed("o"), {}, true},
      {"no longer", "PodTopologySpread", even, E::kAssignedPodLabel, Placed("o"), Placed("o", "y"),
       true},
      {"the same to it", "PodTopologySpread", even, E::kAssignedPodLabel, Placed("o", "z"),
       Placed("o", "y"), false},
      {"a domain", "PodTopologySpread", even, E::kNodeAdd, {}, in_a, true},
      {"no domain", "PodTopologySpread", even, E::kNodeAdd, {}, bare, false},
      {"a domain less", "PodTopologySpread", even, E::kNodeDelete, in_a, {}, true},
      {"no domain less", "PodTopologySpread", even, E::kNodeDelete, bare, {}, false},
      {"it joins one", "PodTopologySpread", even, E::kNodeUpdateLabel, bare, in_a, true},
      {"it moves", "PodTopologySpread", even, E::kNodeUpdateLabel, in_a, in_b, true},
      {"it stays", "PodTopologySpread", even, E::kNodeUpdateLabel, in_a, in_a, false},
      {"its taints", "PodTopologySpread", even, E::kNodeUpdateTaint, tainted, in_a, true},
  };
  const Plugins plugins = Defaults(api::Compat::k1_36);
  for (const Row& row : rows) {
    const bool helps =
        Named(plugins, row.plugin).QueueingHint(row.pod, {row.event, ""}, row.before, row.after);
    EXPECT_EQ(helps, row.helps) << row.plugin << ": " << row.why;
  }
}

// SCHED-09: preCheckForNode, 1.25 and 1.30.
TEST(PassesPreCheck, TellsWhetherAPodHasAChanceOnANode) {
  struct Row {
    const char* why;
    api::Object pod, node;
    bool fits;
  };
  const api::Object tainted = Node("n", "", R"("taints":[{"key":"k","effect":"NoSchedule"}])");
  const api::Object evicting = Node("n", "", R"("taints":[{"key":"k","effect":"NoExecute"}])");
  const Row rows[] = {
      {"room", Pod("p", R"("cpu":"2")"), Node("n"), true},
      {"no room", Pod("p", R"("cpu":"4")"), Node("n"), false},
      {"no match", Pod("p", "", R"("nodeSelector":{"a":"b"})"), Node("n"), false},
      {"a taint", Pod("p"), tainted, false},
      {"one that only evicts", Pod("p"), evicting, true},
      {"cordoned, which it does not look at", Pod("p"), Node("n", "", R"("unschedulable":true)"),
       true},
  };
  const Plugins plugins = Defaults(api::Compat::k1_30);
  for (const Row& row : rows) {
    NodeInfo info;
    info.SetNode(row.node);
    info.AddPod(Pod("there", R"("cpu":"1")"));
    EXPECT_EQ(PassesPreCheck(plugins, row.pod, info), row.fits) << row.why;
  }
}

}  // namespace
}  // namespace ksim::scheduler
