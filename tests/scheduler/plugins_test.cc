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
  const auto fit = MakeNodeResourcesFit(ProfileOf(api::Compat::k1_36));
  // cpu (4000-1000)/4000 = 75, memory (8-2)/8 = 75
  EXPECT_EQ(ScoresOf(*fit, Pod("a", R"("cpu":"1","memory":"2Gi")"), {Info(Node("n"))}), Scores{75});
  // Without requests 100m and 200Mi are assumed: 97 and 97.
  EXPECT_EQ(ScoresOf(*fit, Pod("a"), {Info(Node("n"))}), Scores{97});
}

// SCHED-19
TEST(BalancedAllocation, OldProfilesScoreTheBalanceNewOnesItsChange) {
  const api::Object skewed = Pod("a", R"("cpu":"4")");  // cpu 1, memory 0: std 0.5
  const api::Object even = Pod("a", R"("cpu":"1","memory":"2Gi")");
  const auto v130 = MakeNodeResourcesBalancedAllocation(ProfileOf(api::Compat::k1_30));
  const auto v136 = MakeNodeResourcesBalancedAllocation(ProfileOf(api::Compat::k1_36));
  EXPECT_EQ(ScoresOf(*v130, skewed, {Info(Node("n"))}), Scores{50});
  EXPECT_EQ(ScoresOf(*v130, even, {Info(Node("n"))}), Scores{100});
  EXPECT_EQ(ScoresOf(*v136, even, {Info(Node("n"))}), Scores{75});
  EXPECT_EQ(ScoresOf(*v136, skewed, {Info(Node("n"))}), Scores{50});
  EXPECT_TRUE(ScoresOf(*v136, Pod("a"), {Info(Node("n"))}).empty());  // best effort
}

// SCHED-19: 0.68 is no float64, and (1 - 0.68 / 2) * 100 comes out below 66.
TEST(BalancedAllocation, RoundsAsUpstream) {
  const auto plugin = MakeNodeResourcesBalancedAllocation(ProfileOf(api::Compat::k1_30));
  EXPECT_EQ(ScoresOf(*plugin, Pod("a", R"("cpu":"2720m")"), {Info(Node("n"))}), Scores{65});
}

// SCHED-20
TEST(TaintToleration, NamesTheTaintOnlyInOldProfiles) {
  const api::Object tainted =
      Node("n", "", R"("taints":[{"key":"k","value":"v","effect":"NoExecute"}])");
  for (const auto& [compat, reason] :
       {std::pair(api::Compat::k1_25, "node(s) had untolerated taint {k: v}"),
        std::pair(api::Compat::k1_30, "node(s) had untolerated taint {k: v}"),
        std::pair(api::Compat::k1_36, "node(s) had untolerated taint(s)")}) {
    const Status status =
        MakeTaintToleration(ProfileOf(compat))->Filter({}, Pod("p"), Info(tainted));
    EXPECT_EQ(status.code, Status::Code::kUnschedulableAndUnresolvable);
    EXPECT_EQ(status.reasons, std::vector<std::string>{reason});
  }
}

// SCHED-17
TEST(NodeResourcesFit, MoreThanTheWholeNodeIsHopelessOnlyInNewProfiles) {
  for (const auto& [compat, code] :
       {std::pair(api::Compat::k1_30, Status::Code::kUnschedulable),
        std::pair(api::Compat::k1_36, Status::Code::kUnschedulableAndUnresolvable)}) {
    const auto fit = MakeNodeResourcesFit(ProfileOf(compat));
    CycleState state;
    const api::Object pod = Pod("a", R"("cpu":"5")");
    fit->PreFilter(state, pod, {});
    EXPECT_EQ(fit->Filter(state, pod, Info(Node("n"))).code, code);
  }
}

// SCHED-20
TEST(TaintToleration, PrefersNodesWithFewerUntoleratedPreferences) {
  const auto plugin = MakeTaintToleration(ProfileOf(api::Compat::k1_36));
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

// Real schedulers of 1.30 and 1.36 place such pods so.
TEST(NodePorts, ASidecarHoldsItsPortsInNewVersions) {
  const api::Object sidecar = FromJson(R"({"metadata":{"name":"s","uid":"s"},"spec":{
      "initContainers":[{"restartPolicy":"Always","ports":[{"hostPort":80}]}]}})");
  const api::Object passing = FromJson(R"({"metadata":{"name":"i","uid":"i"},"spec":{
      "initContainers":[{"ports":[{"hostPort":81}]}]}})");
  NodeInfo info = Info(Node("n"), {sidecar, passing});
  for (const api::Compat compat : {api::Compat::k1_30, api::Compat::k1_36}) {
    const auto plugin = MakeNodePorts(ProfileOf(compat));
    const auto fits = [&](int port) {
      CycleState state;
      const api::Object pod = FromJson(fmt::format(
          R"({{"metadata":{{"name":"p"}},
               "spec":{{"containers":[{{"ports":[{{"hostPort":{}}}]}}]}}}})",
          port));
      plugin->PreFilter(state, pod, {&info});
      return plugin->Filter(state, pod, info).ok();
    };
    EXPECT_EQ(fits(80), compat == api::Compat::k1_30);
    EXPECT_TRUE(fits(81)) << "an init container that ends holds nothing";
  }
  info.RemovePod(sidecar);
  EXPECT_FALSE(
      info.PortConflict(api::HostPort("0.0.0.0", "TCP", 80), ProfileOf(api::Compat::k1_36)));
}

TEST(NodePorts, ConflictOnTheSameAddressOrOnEveryAddress) {
  const auto plugin = MakeNodePorts(ProfileOf(api::Compat::k1_36));
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

// The pods belong to no workload.
std::unique_ptr<Plugin> MakeSpread(api::Compat compat) {
  return MakePodTopologySpread(
      ProfileOf(compat), [](const api::Object&) { return std::vector<value::LabelSelector>(); });
}

// SCHED-21
TEST(PodTopologySpread, RejectsWhatWouldSkewTooFar) {
  const auto plugin = MakeSpread(api::Compat::k1_36);
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

// SCHED-21: an empty selector counts no pod from 1.30 on; 1.25 ignores the fields that later
// versions added.
TEST(PodTopologySpread, CountsByItsSelectorAndPolicies) {
  struct Row {
    const char* constraint;
    bool v25, v30;  // node a, with two pods of the label app=x more than b, fits
  };
  const Row rows[] = {
      {R"("labelSelector":{"matchLabels":{"app":"x"}})", false, false},
      {R"("labelSelector":{})", false, true},
      {R"("labelSelector":{"matchLabels":{"app":"x"}},"matchLabelKeys":["rev"])", false, true},
      {R"("labelSelector":{"matchLabels":{"app":"x"}},"nodeTaintsPolicy":"Honor")", false, true},
  };
  const std::vector<NodeInfo> infos{
      Info(Node("a", R"("zone":"a")"), {Pod("1"), Pod("2")}),
      Info(Node("b", R"("zone":"b")", R"("taints":[{"key":"k","effect":"NoSchedule"}])"))};
  const NodeList all{&infos[0], &infos[1]};
  for (const Row& row : rows) {
    const api::Object plain =
        Pod("p", "",
            fmt::format(R"("topologySpreadConstraints":[{{"maxSkew":1,"topologyKey":"zone",
                       "whenUnsatisfiable":"DoNotSchedule",{}}}])",
                        row.constraint));
    const api::Object pod = api::Object::FromTree(
        plain.tree().Set(value::Path{"metadata", "labels", "rev"}, value::Value::Of("2")));
    for (const api::Compat compat : {api::Compat::k1_25, api::Compat::k1_30, api::Compat::k1_36}) {
      const auto plugin = MakeSpread(compat);
      CycleState state;
      ASSERT_TRUE(plugin->PreFilter(state, pod, all).ok());
      EXPECT_EQ(plugin->Filter(state, pod, infos[0]).ok(),
                compat == api::Compat::k1_25 ? row.v25 : row.v30)
          << row.constraint;
    }
  }
}

// SCHED-21: a workload's pods are spread over the nodes by default.
TEST(PodTopologySpread, SpreadsWorkloadsOverHostnames) {
  const auto plugin = MakePodTopologySpread(ProfileOf(api::Compat::k1_36), [](const api::Object&) {
    return std::vector<value::LabelSelector>{*value::LabelSelector::Parse("app=x")};
  });
  const Scores scores = ScoresOf(
      *plugin, Pod("p"), {Info(Node("n1"), {Pod("1"), Pod("2"), Pod("3")}), Info(Node("n2"))});
  EXPECT_LT(scores[0], scores[1]);
  EXPECT_EQ(scores[1], 100);
}

// --- InterPodAffinity ---

// A required term for (or against) pods with the label app=APP within a topology domain.
std::string Affinity(const char* kind, const char* key, const char* app, const char* more = "") {
  return fmt::format(
      R"("affinity":{{"{}":{{"requiredDuringSchedulingIgnoredDuringExecution":[{{
         "topologyKey":"{}","labelSelector":{{"matchLabels":{{"app":"{}"}}}}{}}}]}}}})",
      kind, key, app, more);
}

// The filter's answer for each node; empty if the plugin skips the pod.
std::vector<Status::Code> CodesOf(const api::Object& pod, const std::vector<NodeInfo>& infos) {
  const auto plugin = MakeInterPodAffinity(ProfileOf(api::Compat::k1_36));
  NodeList all;
  for (const NodeInfo& info : infos) all.push_back(&info);
  CycleState state;
  if (plugin->PreFilter(state, pod, all).code == Status::Code::kSkip) return {};
  std::vector<Status::Code> codes;
  for (const NodeInfo* info : all) codes.push_back(plugin->Filter(state, pod, *info).code);
  return codes;
}

// SCHED-22: a node that fails affinity is unresolvable; one that fails anti-affinity is not, since
// preemption may remove the pods behind it.
TEST(InterPodAffinity, RejectsNodesByTheirPods) {
  using Code = Status::Code;
  using Codes = std::vector<Code>;
  const auto ok = Code::kSuccess, no = Code::kUnschedulable,
             never = Code::kUnschedulableAndUnresolvable;
  const auto in_zone = [](const char* name, const char* zone,
                          const std::vector<api::Object>& pods = {}) {
    return Info(Node(name, fmt::format(R"("zone":"{}")", zone)), pods);
  };
  const std::vector<NodeInfo> infos{in_zone("a1", "a", {Pod("1")}), in_zone("a2", "a"),
                                    in_zone("b1", "b"), Info(Node("none"))};
  EXPECT_EQ(CodesOf(Pod("p"), infos), Codes{}) << "nothing to do";
  EXPECT_EQ(CodesOf(Pod("p", "", Affinity("podAffinity", "zone", "x")), infos),
            (Codes{ok, ok, never, never}));
  EXPECT_EQ(CodesOf(Pod("p", "", Affinity("podAntiAffinity", "zone", "x")), infos),
            (Codes{no, no, ok, ok}));
  EXPECT_EQ(CodesOf(Pod("p", "", Affinity("podAffinity", "zone", "y")), infos),
            (Codes{never, never, never, never}))
      << "nobody to join, and it is not one of them itself";
  const std::vector<NodeInfo> hated{
      in_zone("a1", "a", {Pod("1", "", Affinity("podAntiAffinity", "zone", "x"))}),
      in_zone("a2", "a"), in_zone("b1", "b")};
  EXPECT_EQ(CodesOf(Pod("p"), hated), (Codes{no, no, ok})) << "those there do not want it";
}

// SCHED-22
TEST(InterPodAffinity, TheFirstOfAGroupMayGoAnywhere) {
  const std::vector<NodeInfo> infos{Info(Node("n1", R"("zone":"a")")), Info(Node("n2"))};
  EXPECT_EQ(CodesOf(Pod("p", "", Affinity("podAffinity", "zone", "x")), infos),
            (std::vector<Status::Code>{Status::Code::kSuccess,
                                       Status::Code::kUnschedulableAndUnresolvable}))
      << "where there is such a domain";
}

// SCHED-22
TEST(InterPodAffinity, ATermIsAboutItsOwnNamespaceUnlessItNamesOthers) {
  using Code = Status::Code;
  const std::vector<NodeInfo> infos{
      Info(Node("n1"),
           {FromJson(R"({"metadata":{"name":"1","namespace":"other","labels":{"app":"x"}}})")})};
  const auto with = [&](const char* more) {
    const std::string spec = Affinity("podAntiAffinity", "kubernetes.io/hostname", "x", more);
    return CodesOf(Pod("p", "", spec), infos).at(0);
  };
  EXPECT_EQ(with(""), Code::kSuccess);
  EXPECT_EQ(with(R"(,"namespaces":["other"])"), Code::kUnschedulable);
  EXPECT_EQ(with(R"(,"namespaces":["third"])"), Code::kSuccess);
  EXPECT_EQ(with(R"(,"namespaceSelector":{})"), Code::kUnschedulable);
  EXPECT_EQ(with(R"(,"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"other"}})"),
            Code::kUnschedulable);
}

// SCHED-22: the scores are normalized to 0 to 100, and the preferences of running pods count too.
TEST(InterPodAffinity, ScoresByWhatIsPreferred) {
  const auto plugin = MakeInterPodAffinity(ProfileOf(api::Compat::k1_36));
  const auto preferred = [](const char* kind, int weight) {
    return fmt::format(
        R"("affinity":{{"{}":{{"preferredDuringSchedulingIgnoredDuringExecution":[{{"weight":{},
           "podAffinityTerm":{{"topologyKey":"kubernetes.io/hostname",
           "labelSelector":{{"matchLabels":{{"app":"x"}}}}}}}}]}}}})",
        kind, weight);
  };
  const std::vector<NodeInfo> infos{Info(Node("n1")), Info(Node("n2"), {Pod("1")}),
                                    Info(Node("n3"), {Pod("2"), Pod("3"), Pod("4")})};
  EXPECT_EQ(ScoresOf(*plugin, Pod("p", "", preferred("podAffinity", 7)), infos),
            (Scores{0, 33, 100}));
  EXPECT_EQ(ScoresOf(*plugin, Pod("p", "", preferred("podAntiAffinity", 7)), infos),
            (Scores{100, 66, 0}));
  EXPECT_EQ(ScoresOf(*plugin, Pod("p"), infos), Scores{}) << "nobody cares";
  const std::vector<NodeInfo> there{
      Info(Node("n1"), {Pod("1", "", Affinity("podAffinity", "kubernetes.io/hostname", "x"))}),
      Info(Node("n2")), Info(Node("n3"), {Pod("2", "", preferred("podAntiAffinity", 1))})};
  EXPECT_EQ(ScoresOf(*plugin, Pod("p"), there), (Scores{100, 50, 0}));
  const std::vector<NodeInfo> rounded{
      Info(Node("n1")), Info(Node("n2"), {Pod("1", "", preferred("podAffinity", 29))}),
      Info(Node("n3"), {Pod("2", "", preferred("podAffinity", 100))})};
  EXPECT_EQ(ScoresOf(*plugin, Pod("p"), rounded), (Scores{0, 28, 100})) << "as float64";
}

// SCHED-22, SCHED-07
TEST(InterPodAffinity, AnEventIsWorthATryIfItChangesWhoIsWhere) {
  const auto plugin = MakeInterPodAffinity(ProfileOf(api::Compat::k1_36));
  const ClusterEvent add(ClusterEvent::kAssignedPodAdd, ""),
      gone(ClusterEvent::kAssignedPodDelete, ""), node(ClusterEvent::kNodeUpdateLabel, "");
  const api::Object near = Pod("p", "", Affinity("podAffinity", "zone", "x"));
  const api::Object far = Pod("p", "", Affinity("podAntiAffinity", "zone", "x"));
  const api::Object other = FromJson(
      R"({"metadata":{"name":"o","namespace":"default","labels":{"app":"y"}},
          "spec":{"nodeName":"n"}})");
  const api::Object one = Pod("1", "", R"("nodeName":"n")");
  const api::Object loner =
      Pod("2", "", R"("nodeName":"n",)" + Affinity("podAntiAffinity", "zone", "x"));
  EXPECT_TRUE(plugin->QueueingHint(near, add, {}, one));
  EXPECT_FALSE(plugin->QueueingHint(near, add, {}, Pod("1"))) << "it is nowhere";
  EXPECT_FALSE(plugin->QueueingHint(near, add, {}, other));
  EXPECT_FALSE(plugin->QueueingHint(far, add, {}, one));
  EXPECT_TRUE(plugin->QueueingHint(far, gone, one, {}));
  EXPECT_FALSE(plugin->QueueingHint(near, gone, one, {}));
  EXPECT_TRUE(plugin->QueueingHint(Pod("p"), gone, loner, {})) << "it did not want this one there";
  const api::Object in_a = Node("n", R"("zone":"a")"), in_b = Node("n", R"("zone":"b")");
  EXPECT_TRUE(plugin->QueueingHint(near, node, in_a, in_b));
  EXPECT_FALSE(plugin->QueueingHint(near, node, in_a, in_a));
  EXPECT_TRUE(plugin->QueueingHint(near, node, Node("n"), in_a));
  EXPECT_TRUE(plugin->QueueingHint(far, node, in_a, Node("n")));
  EXPECT_FALSE(plugin->QueueingHint(far, node, Node("n"), in_a));
}

// SCHED-15: ksim's plugins run in upstream's order; docs/fidelity.md names the plugins that ksim
// lacks.
TEST(DefaultPlugins, StandInUpstreamsOrderWithItsWeights) {
  struct Row {
    std::string_view name;
    std::int64_t weight;
  };
  const Row rows[] = {
      {"NodeUnschedulable", 0}, {"NodeName", 0},         {"TaintToleration", 3},
      {"NodeAffinity", 2},      {"NodePorts", 0},        {"NodeResourcesFit", 1},
      {"PodTopologySpread", 2}, {"InterPodAffinity", 2}, {"NodeResourcesBalancedAllocation", 1}};
  for (const api::Compat compat : {api::Compat::k1_25, api::Compat::k1_30, api::Compat::k1_36}) {
    const auto plugins = DefaultPlugins(
        ProfileOf(compat), [](const api::Object&) { return std::vector<value::LabelSelector>(); });
    ASSERT_EQ(plugins.size(), std::size(rows));
    for (std::size_t i = 0; i < plugins.size(); ++i) {
      EXPECT_EQ(plugins[i]->name(), rows[i].name);
      EXPECT_EQ(plugins[i]->weight(), rows[i].weight) << rows[i].name;
    }
  }
}

}  // namespace
}  // namespace ksim::scheduler
