#include "ksim/scheduler/plugins/plugins.h"

#include <gtest/gtest.h>

#include "tests/scheduler/fixtures.h"

namespace ksim::scheduler {
namespace {

NodeInfo Info(const api::Object& node, const std::vector<api::Object>& pods = {}) {
  NodeInfo info;
  info.SetNode(node);
  for (const api::Object& pod : pods) info.AddPod(pod);
  return info;
}

// One plugin's scores over some nodes, normalized.
Scores ScoresOf(const Plugin& plugin, const api::Object& pod, const std::vector<NodeInfo>& infos) {
  NodeList list;
  for (const NodeInfo& info : infos) list.push_back(&info);
  CycleState state;
  Scores scores;
  if (plugin.PreScore(state, pod, list, list).code == Status::Code::kSkip) return scores;
  for (const NodeInfo* info : list) scores.push_back(plugin.Score(state, pod, *info));
  plugin.Normalize(state, pod, list, scores);
  return scores;
}

// SCHED-18: (cap - req) * 100 / cap per resource, averaged, all in integers.
TEST(LeastAllocated, AveragesWhatIsLeft) {
  const auto fit = MakeNodeResourcesFit(api::Compat::k1_36);
  // cpu (4000-1000)/4000 = 75, memory (8-2)/8 = 75
  EXPECT_EQ(ScoresOf(*fit, Pod("a", R"("cpu":"1","memory":"2Gi")"), {Info(Node("n"))}), Scores{75});
  // Without requests 100m and 200Mi are assumed: 97 and 97.
  EXPECT_EQ(ScoresOf(*fit, Pod("a"), {Info(Node("n"))}), Scores{97});
}

// SCHED-19
TEST(BalancedAllocation, OldProfilesScoreTheBalanceNewOnesItsChange) {
  const api::Object skewed = Pod("a", R"("cpu":"4")");  // cpu 1, memory 0: std 0.5
  const api::Object even = Pod("a", R"("cpu":"1","memory":"2Gi")");
  const auto v130 = MakeNodeResourcesBalancedAllocation(api::Compat::k1_30);
  const auto v136 = MakeNodeResourcesBalancedAllocation(api::Compat::k1_36);
  EXPECT_EQ(ScoresOf(*v130, skewed, {Info(Node("n"))}), Scores{50});
  EXPECT_EQ(ScoresOf(*v130, even, {Info(Node("n"))}), Scores{100});
  EXPECT_EQ(ScoresOf(*v136, even, {Info(Node("n"))}), Scores{75});
  EXPECT_EQ(ScoresOf(*v136, skewed, {Info(Node("n"))}), Scores{50});
  EXPECT_TRUE(ScoresOf(*v136, Pod("a"), {Info(Node("n"))}).empty());  // best effort
}

// SCHED-17
TEST(NodeResourcesFit, MoreThanTheWholeNodeIsHopelessOnlyInNewProfiles) {
  for (const auto& [compat, code] :
       {std::pair(api::Compat::k1_30, Status::Code::kUnschedulable),
        std::pair(api::Compat::k1_36, Status::Code::kUnschedulableAndUnresolvable)}) {
    const auto fit = MakeNodeResourcesFit(compat);
    CycleState state;
    const api::Object pod = Pod("a", R"("cpu":"5")");
    fit->PreFilter(state, pod, {});
    EXPECT_EQ(fit->Filter(state, pod, Info(Node("n"))).code, code);
  }
}

// SCHED-20
TEST(TaintToleration, PrefersNodesWithFewerUntoleratedPreferences) {
  const auto plugin = MakeTaintToleration();
  const char* two = R"("taints":[{"key":"a","effect":"PreferNoSchedule"},
                                 {"key":"b","effect":"PreferNoSchedule"}])";
  const char* one = R"("taints":[{"key":"a","effect":"PreferNoSchedule"}])";
  EXPECT_EQ(ScoresOf(*plugin, Pod("p"),
                     {Info(Node("n1", "", two)), Info(Node("n2", "", one)), Info(Node("n3"))}),
            (Scores{0, 50, 100}));
  EXPECT_EQ(ScoresOf(*plugin, Pod("p"), {Info(Node("n1")), Info(Node("n2"))}), (Scores{100, 100}));
}

// SCHED-20
TEST(NodeUnschedulable, HonoursItsToleration) {
  const auto plugin = MakeNodeUnschedulable();
  const NodeInfo cordoned = Info(Node("n", "", R"("unschedulable":true)"));
  EXPECT_TRUE(plugin->Filter({}, Pod("p"), cordoned).rejected());
  const char* tolerating =
      R"("tolerations":[{"key":"node.kubernetes.io/unschedulable","operator":"Exists"}])";
  EXPECT_TRUE(plugin->Filter({}, Pod("p", "", tolerating), cordoned).ok());
}

// SCHED-20
TEST(NodeAffinity, RequiredTermsAreOredAndPreferredOnesWeighed) {
  const auto plugin = MakeNodeAffinity();
  const char* spec = R"("affinity":{"nodeAffinity":{
    "requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[
      {"matchExpressions":[{"key":"disk","operator":"In","values":["ssd"]}]},
      {"matchFields":[{"key":"metadata.name","operator":"In","values":["special"]}]}]},
    "preferredDuringSchedulingIgnoredDuringExecution":[
      {"weight":4,"preference":{"matchExpressions":[{"key":"cpus","operator":"Gt",
        "values":["3"]}]}}]}})";
  const api::Object pod = Pod("p", "", spec);
  EXPECT_TRUE(plugin->Filter({}, pod, Info(Node("n", R"("disk":"ssd")"))).ok());
  EXPECT_TRUE(plugin->Filter({}, pod, Info(Node("special"))).ok());
  EXPECT_EQ(plugin->Filter({}, pod, Info(Node("n"))).reasons[0],
            "node(s) didn't match Pod's node affinity/selector");
  EXPECT_EQ(ScoresOf(*plugin, pod, {Info(Node("a", R"("cpus":"8")")), Info(Node("b"))}),
            (Scores{100, 0}));
}

TEST(NodePorts, ConflictOnTheSameAddressOrOnEveryAddress) {
  const auto plugin = MakeNodePorts();
  const auto with_port = [](const char* name, const char* port) {
    return FromJson(fmt::format(
        R"({{"metadata":{{"name":"{0}","uid":"{0}"}},
            "spec":{{"containers":[{{"ports":[{1}]}}]}}}})",
        name, port));
  };
  const NodeInfo info = Info(Node("n"), {with_port("a", R"({"hostPort":80,"hostIP":"10.0.0.1"})")});
  const std::pair<const char*, bool> table[] = {{R"({"hostPort":80})", false},
                                                {R"({"hostPort":80,"hostIP":"10.0.0.1"})", false},
                                                {R"({"hostPort":80,"hostIP":"10.0.0.2"})", true},
                                                {R"({"hostPort":80,"protocol":"UDP"})", true},
                                                {R"({"hostPort":81})", true}};
  for (const auto& [port, fits] : table) {
    CycleState state;
    const api::Object pod = with_port("p", port);
    plugin->PreFilter(state, pod, {});
    EXPECT_EQ(plugin->Filter(state, pod, info).ok(), fits) << port;
  }
}

// SCHED-21
TEST(PodTopologySpread, RejectsWhatWouldSkewTooFar) {
  const auto plugin =
      MakePodTopologySpread([](const api::Object&) { return std::vector<value::LabelSelector>(); });
  const char* spec = R"("topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"zone",
    "whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"app":"x"}}}])";
  const std::vector<NodeInfo> infos{Info(Node("a", R"("zone":"a")"), {Pod("1"), Pod("2")}),
                                    Info(Node("b", R"("zone":"b")"), {Pod("3")}), Info(Node("c"))};
  NodeList all;
  for (const NodeInfo& info : infos) all.push_back(&info);
  CycleState state;
  const api::Object pod = Pod("p", "", spec);
  ASSERT_TRUE(plugin->PreFilter(state, pod, all).ok());
  EXPECT_EQ(plugin->Filter(state, pod, infos[0]).code, Status::Code::kUnschedulable);
  EXPECT_TRUE(plugin->Filter(state, pod, infos[1]).ok());
  EXPECT_EQ(plugin->Filter(state, pod, infos[2]).code, Status::Code::kUnschedulableAndUnresolvable);
}

// SCHED-21: a workload's pods are spread over the nodes by default.
TEST(PodTopologySpread, SpreadsWorkloadsOverHostnames) {
  const auto plugin = MakePodTopologySpread([](const api::Object&) {
    return std::vector<value::LabelSelector>{*value::LabelSelector::Parse("app=x")};
  });
  const Scores scores = ScoresOf(
      *plugin, Pod("p"), {Info(Node("n1"), {Pod("1"), Pod("2"), Pod("3")}), Info(Node("n2"))});
  EXPECT_LT(scores[0], scores[1]);
  EXPECT_EQ(scores[1], 100);
}

// SCHED-15, of the plugins that there are: docs/fidelity.md names those of upstream that are not.
TEST(DefaultPlugins, StandInUpstreamsOrderWithItsWeights) {
  struct Row {
    std::string_view name;
    std::int64_t weight;
  };
  const Row rows[] = {{"NodeUnschedulable", 0}, {"NodeName", 0},
                      {"TaintToleration", 3},   {"NodeAffinity", 2},
                      {"NodePorts", 0},         {"NodeResourcesFit", 1},
                      {"PodTopologySpread", 2}, {"NodeResourcesBalancedAllocation", 1}};
  for (const api::Compat compat : {api::Compat::k1_25, api::Compat::k1_30, api::Compat::k1_36}) {
    const auto plugins = DefaultPlugins(
        compat, [](const api::Object&) { return std::vector<value::LabelSelector>(); });
    ASSERT_EQ(plugins.size(), std::size(rows));
    for (std::size_t i = 0; i < plugins.size(); ++i) {
      EXPECT_EQ(plugins[i]->name(), rows[i].name);
      EXPECT_EQ(plugins[i]->weight(), rows[i].weight) << rows[i].name;
    }
  }
}

}  // namespace
}  // namespace ksim::scheduler
