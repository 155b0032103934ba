#include "ksim/scheduler/algorithm.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "ksim/scheduler/plugins/plugins.h"
#include "ksim/sim/simulation.h"
#include "tests/scheduler/fixtures.h"

namespace ksim::scheduler {
namespace {

struct AlgorithmTest : testing::Test {
  AlgorithmTest() : sim(sim::SimulationOptions()) {}
  ScheduleResult Schedule(const api::Object& pod, std::uint64_t identity = 1) {
    if (!algorithm) {
      plugins = DefaultPlugins(ProfileOf(compat), [](const api::Object&) {
        return std::vector<value::LabelSelector>();
      });
      algorithm = std::make_unique<Algorithm>(ProfileOf(compat), sim.decisions(), plugins,
                                              nominator, percentage);
    }
    return algorithm->Schedule(cache, pod, identity);
  }
  sim::Simulation sim;
  api::Compat compat = api::Compat::k1_36;
  int percentage = 0;
  SchedulerCache cache;
  Nominator nominator;
  Plugins plugins;
  std::unique_ptr<Algorithm> algorithm;
};

// SCHED-16
TEST(FeasibleNodesToFind, GrowsSlowerThanTheCluster) {
  const std::pair<int, int> table[] = {{1, 1},     {99, 99},    {100, 100},  {200, 100},
                                       {300, 144}, {1000, 420}, {5000, 500}, {10000, 500}};
  for (const auto& [nodes, wanted] : table) EXPECT_EQ(FeasibleNodesToFind(nodes), wanted) << nodes;
}

// SCHED-16: percentageOfNodesToScore of the configuration.
TEST(FeasibleNodesToFind, TakesTheShareThatIsConfigured) {
  struct {
    int nodes, percentage, wanted;
  } constexpr kTable[] = {{99, 1, 99},    {100, 100, 100},   {300, 100, 300},
                          {300, 50, 150}, {300, 10, 100},    {1000, 33, 330},
                          {1000, 1, 100}, {5000, 100, 5000}, {5000, 7, 350}};
  for (const auto& [nodes, percentage, wanted] : kTable)
    EXPECT_EQ(FeasibleNodesToFind(nodes, percentage), wanted) << nodes << " " << percentage;
}

// SCHED-16: of 200 equal nodes each search looks at 100, the next one at the others.
TEST_F(AlgorithmTest, StopsAtEnoughNodesAndBeginsWhereItStopped) {
  for (int i = 0; i < 200; ++i) cache.AddNode(Node(fmt::format("n{}", i)));
  for (const char* node : {"n0", "n100", "n0"}) {
    const ScheduleResult result = Schedule(Pod("p"));
    EXPECT_EQ(result.feasible, 100);
    EXPECT_EQ(result.node, node);
  }
}

// SCHED-16
TEST_F(AlgorithmTest, LooksAtAsManyNodesAsConfigured) {
  percentage = 75;
  for (int i = 0; i < 200; ++i) cache.AddNode(Node(fmt::format("n{}", i)));
  for (const char* node : {"n0", "n150", "n100"}) {
    const ScheduleResult result = Schedule(Pod("p"));
    EXPECT_EQ(result.feasible, 150);
    EXPECT_EQ(result.node, node);
  }
}

// SCHED-24
TEST(HeapRoot, IsTheFirstMaximumInPreOrderOfTheHeap) {
  const std::pair<Scores, std::size_t> table[] = {
      {{5}, 0}, {{5, 5, 5}, 0}, {{1, 2, 10, 10}, 3}, {{1, 10, 10}, 1}, {{1, 2, 3}, 2}};
  for (const auto& [scores, root] : table) EXPECT_EQ(HeapRoot(scores), root);
}

// SCHED-15, SCHED-25: the scheduler filters only the nodes that a pod's affinity names.
TEST(AlgorithmNames, AsksOnlyTheNodesThatThePodNames) {
  const auto naming = [](std::string_view names, std::string_view requests) {
    return Pod("p", requests,
               fmt::format(R"("affinity":{{"nodeAffinity":{{
                   "requiredDuringSchedulingIgnoredDuringExecution":{{"nodeSelectorTerms":[
                   {{"matchFields":[{{"key":"metadata.name","operator":"In",
                   "values":[{}]}}]}}]}}}}}})",
                           names));
  };
  for (const api::Compat compat : {api::Compat::k1_25, api::Compat::k1_30, api::Compat::k1_36}) {
    sim::Simulation sim{sim::SimulationOptions()};
    const Plugins plugins = DefaultPlugins(
        ProfileOf(compat), [](const api::Object&) { return std::vector<value::LabelSelector>(); });
    const Nominator nominator;
    Algorithm algorithm(ProfileOf(compat), sim.decisions(), plugins, nominator);
    SchedulerCache cache;
    for (const char* name : {"n1", "n2", "n3"}) cache.AddNode(Node(name));
    EXPECT_EQ(algorithm.Schedule(cache, naming(R"("n2")", ""), 1).node, "n2");
    const ScheduleResult full = algorithm.Schedule(cache, naming(R"("n2")", R"("cpu":"5")"), 1);
    const ScheduleResult gone = algorithm.Schedule(cache, naming(R"("n9")", ""), 1);
    const ScheduleResult none = algorithm.Schedule(
        cache, naming(R"("n1"]},{"key":"metadata.name","operator":"In","values":["n2")", ""), 1);
    EXPECT_EQ(none.message, compat == api::Compat::k1_25
                                ? "0/3 nodes are available: 3 pod affinity terms conflict."
                                : "0/3 nodes are available: pod affinity terms conflict.");
    EXPECT_EQ(none.statuses.size(), 3u);
    const bool told = compat == api::Compat::k1_36;
    EXPECT_EQ(full.message,
              told ? "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't satisfy "
                     "plugin(s) [NodeAffinity]."
                   : "0/3 nodes are available: 1 Insufficient cpu.");
    EXPECT_EQ(full.statuses.size(), told ? 3u : 1u);
    EXPECT_EQ(full.rejected_by.contains("NodeAffinity"), told);
    EXPECT_EQ(gone.rejected_by.empty(), !told);
  }
}

// SCHED-25
TEST_F(AlgorithmTest, SaysWhyNoNodeFits) {
  EXPECT_EQ(Schedule(Pod("a")).message, "no nodes available to schedule pods");
  cache.AddNode(Node("n1", "", R"("unschedulable":true)"));
  cache.AddNode(Node("n2", "", R"("taints":[{"key":"k","value":"v","effect":"NoSchedule"}])"));
  cache.AddNode(Node("n3"));
  cache.AddNode(Node("n4"));
  const ScheduleResult r = Schedule(Pod("a", R"("cpu":"5","memory":"9Gi")"));
  EXPECT_FALSE(r.node.has_value());
  EXPECT_EQ(r.message,
            "0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were "
            "unschedulable, 2 Insufficient cpu, 2 Insufficient memory.");
  EXPECT_EQ(r.rejected_by, (absl::btree_set<std::string>{"NodeResourcesFit", "NodeUnschedulable",
                                                         "TaintToleration"}));
}

// SCHED-17: pods without requests count only against the number of pods.
TEST_F(AlgorithmTest, ANodeTakesSoManyPodsAndNoMore) {
  cache.AddNode(Node("n1", "", "", R"("cpu":"0","memory":"0","pods":"2")"));
  for (const char* name : {"a", "b"}) {
    const ScheduleResult r = Schedule(Pod(name));
    ASSERT_EQ(r.node, "n1");
    cache.AddPod(Pod(name, "", R"("nodeName":"n1")"));
  }
  EXPECT_EQ(Schedule(Pod("c")).message, "0/1 nodes are available: 1 Too many pods.");
}

// SCHED-18: the emptier node wins.
TEST_F(AlgorithmTest, PrefersTheLeastAllocatedNode) {
  cache.AddNode(Node("n1"));
  cache.AddNode(Node("n2"));
  cache.AddPod(Pod("there", R"("cpu":"1","memory":"2Gi")", R"("nodeName":"n1")"));
  EXPECT_EQ(Schedule(Pod("a", R"("cpu":"1","memory":"2Gi")")).node, "n2");
}

// SCHED-24: up to 1.34 the scheduler draws among the nodes with the best score; the draw is keyed
// by the pod.
TEST_F(AlgorithmTest, TiesAreDrawnInOldProfilesAndAreTheFirstInNewOnes) {
  for (const char* n : {"n1", "n2", "n3"}) cache.AddNode(Node(n));
  EXPECT_EQ(Schedule(Pod("a")).node, "n1");
  compat = api::Compat::k1_30;
  std::set<std::string> chosen;
  for (std::uint64_t identity = 0; identity < 40; ++identity) {
    algorithm.reset();
    chosen.insert(*Schedule(Pod("a"), identity).node);
  }
  EXPECT_EQ(chosen, (std::set<std::string>{"n1", "n2", "n3"}));
}

// SCHED-29: a nominated pod keeps its place: pods of a lower or the same priority do not get it,
// those of a higher one may. The scheduler tries the nominated node first.
TEST_F(AlgorithmTest, ANominatedPodKeepsItsPlace) {
  const auto of = [](const char* name, int priority) {
    return Pod(name, "", fmt::format(R"("priority":{})", priority));
  };
  cache.AddNode(Node("n1", "", "", R"("cpu":"4","memory":"8Gi","pods":"1")"));
  nominator.Add(of("waits", 5), Nomination::Of("n1"));
  EXPECT_EQ(Schedule(of("lower", 4)).message, "0/1 nodes are available: 1 Too many pods.");
  EXPECT_FALSE(Schedule(of("equal", 5)).node.has_value());
  EXPECT_EQ(Schedule(of("higher", 6)).node, "n1");
  EXPECT_EQ(Schedule(of("waits", 5)).node, "n1");
  cache.AddNode(Node("n0", "", "", R"("cpu":"8","memory":"16Gi","pods":"10")"));
  EXPECT_EQ(Schedule(of("waits", 5)).node, "n0") << "the larger node, unless its status says else";
  static const value::Path kNominated{"status", "nominatedNodeName"};
  const api::Object told =
      api::Object::FromTree(of("waits", 5).tree().Set(kNominated, value::Value::Of("n1")));
  EXPECT_EQ(Schedule(told).node, "n1");
  nominator.Remove(told);
  EXPECT_TRUE(nominator.On("n1").empty());
}

// SCHED-29: a pod fits only if it fits both with the nominated pods and without them.
TEST_F(AlgorithmTest, ANominatedPodSatisfiesNoAffinity) {
  const char* near = R"("affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":
      [{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"app":"x"}}}]}})";
  cache.AddNode(Node("n1"));
  cache.AddNode(Node("n2"));
  cache.AddPod(Pod("there", "", R"("nodeName":"n2")"));
  nominator.Add(Pod("waits"), Nomination::Of("n1"));
  EXPECT_EQ(Schedule(Pod("p", "", near)).node, "n2");
}

// SCHED-29: where InterPodAffinity's PreFilter had nothing to do the plugin is skipped for good,
// and does not see the anti-affinity of a nominated pod. 1.25 has no such skip.
TEST(NominatedAntiAffinity, IsNotSeenByPodsWithoutTermsFrom126On) {
  const api::Object waits = Pod("waits", "", R"("affinity":{"podAntiAffinity":{
          "requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"kubernetes.io/hostname",
          "labelSelector":{"matchLabels":{"app":"x"}}}]}})");
  for (const api::Compat compat : {api::Compat::k1_25, api::Compat::k1_30, api::Compat::k1_36}) {
    sim::Simulation sim{sim::SimulationOptions()};
    const Plugins plugins = DefaultPlugins(
        ProfileOf(compat), [](const api::Object&) { return std::vector<value::LabelSelector>(); });
    Nominator nominator;
    Algorithm algorithm(ProfileOf(compat), sim.decisions(), plugins, nominator);
    SchedulerCache cache;
    cache.AddNode(Node("n1"));
    nominator.Add(waits, Nomination::Of("n1"));
    EXPECT_EQ(algorithm.Schedule(cache, Pod("p"), 1).node.has_value(),
              compat != api::Compat::k1_25);
  }
}

}  // namespace
}  // namespace ksim::scheduler
