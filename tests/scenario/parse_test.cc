#include "ksim/scenario/parse.h"

#include <gtest/gtest.h>

#include "ksim/scenario/load.h"
#include "tests/scenario/from_text.h"

namespace ksim::scenario {
namespace {

Scenario Everything() {
  return Load({"tests/scenario/good/everything.yaml"}, LoadOptions()).scenarios[0];
}

TEST(Parse, SpecFieldsAreRead) {
  const Scenario s = Everything();
  EXPECT_EQ(s.name, "everything");
  EXPECT_EQ(s.compat, api::Compat::k1_25);
  EXPECT_EQ(s.until, Minutes(5));
  EXPECT_EQ(s.quiet_for, Seconds(3));
  EXPECT_EQ(s.limit.time, Minutes(10));
  EXPECT_EQ(s.limit.events, 1'000'000);
  EXPECT_EQ(s.limit.instant, 50'000);
  EXPECT_EQ(s.fuzz.window, Seconds(30));
  EXPECT_EQ(s.checks, (std::vector<std::string>{"*", "-esr"}));
}

TEST(Parse, ClusterIsRead) {
  const ClusterSpec c = Everything().cluster;
  EXPECT_EQ(c.api_servers, 2);
  EXPECT_EQ(c.latency_min, Microseconds(100));
  EXPECT_EQ(c.nodes[0].capacity.size(), 2u);
  EXPECT_EQ(c.nodes[0].capacity[0], std::make_pair(std::string("cpu"), std::string("8")));
  EXPECT_EQ(c.nodes[1].taints[0].effect, "NoSchedule");
  EXPECT_EQ(c.processes[0].second, std::vector<std::string>{"replicaset"});
}

TEST(Parse, StepsAreRead) {
  const std::vector<Step> steps = Everything().steps;
  EXPECT_EQ(steps[0].objects[0].Kind(), "ReplicaSet");
  EXPECT_FALSE(steps[1].at.has_value());
  EXPECT_EQ(steps[1].kind, StepKind::kApply);
  EXPECT_EQ(steps[3].patch_type, "json");
  EXPECT_EQ(steps[4].limit, 1);
  EXPECT_EQ(steps[4].grace_period_seconds, 0);
  EXPECT_EQ(steps[5].resource, "replicasets.apps");
  EXPECT_EQ(steps[5].replicas, 5);
  EXPECT_FALSE(steps[6].set[1].second.has_value());
  EXPECT_EQ(steps[10].timeout, Minutes(1));
  EXPECT_EQ(steps[18].when->count, 3);
  EXPECT_EQ(steps[18].node.Names(), std::vector<std::string>{"late"});
}

TEST(Parse, FaultsAndExpectationsAreRead) {
  const Scenario s = Everything();
  EXPECT_EQ(s.faults[0].verb, "nodeSilent");
  EXPECT_EQ(s.faults[1].when->event, "handler");
  EXPECT_EQ(s.expect[0].min, 2);
  EXPECT_EQ(s.expect[0].max, 2);
  EXPECT_EQ(s.expect[0].within, Seconds(30));
  EXPECT_FALSE(s.expect[0].lasts.has_value());
  EXPECT_EQ(s.expect[1].word, ExpectationWord::kAlways);
  EXPECT_FALSE(s.expect[1].min.has_value());
  EXPECT_EQ(s.expect[2].word, ExpectationWord::kFinally);
  EXPECT_EQ(s.expect[3].word, ExpectationWord::kNever);
  EXPECT_EQ(s.expect[3].after, Seconds(5));
  EXPECT_EQ(s.expect[4].lasts, true);
}

// kubectl drain has no limit unless it is given one, however the step is written.
TEST(Parse, ADrainHasNoLimitByItself) {
  for (const char* drain : {"node-1", "{node: node-1}"}) {
    const Scenario s = Only(LoadSpec("  steps: [{at: 0s, drain: " + std::string(drain) + "}]\n"));
    EXPECT_EQ(s.steps.at(0).timeout, Duration()) << drain;
  }
}

// A clock skew may be negative, and a limit may be 0.
TEST(Parse, DurationsThatAreGood) {
  const Scenario s =
      Only(LoadSpec("  limit: 0s\n  quietFor: 0s\n  until: 0s\n"
                    "  faults: [{at: 0s, skewClock: {process: etcd, by: -1h}}]\n"));
  EXPECT_EQ(s.limit.time, Duration());
  EXPECT_EQ(s.quiet_for, Duration());
  EXPECT_EQ(s.until, Duration());
}

// A trigger takes any name that kubectl takes for a type and any YAML number or flag. It stores the
// trace's spelling, also when it is read from a trace's header.
TEST(Parse, TriggersAskForWhatTheTraceHas) {
  struct Case {
    const char *field, *value, *read;
  };
  const Case cases[] = {{"resource", "pod", "pods"},
                        {"resource", "replicasets.apps", "replicasets"},
                        {"resource", "rs", "replicasets"},
                        {"type", "ADDED", "ADDED"},
                        {"initialEnd", "True", "true"},
                        {"initialEnd", "\"false\"", "false"},
                        {"rv", "0x10", "16"},
                        {"rv", "\"16\"", "16"},
                        {"name", "16", "16"},
                        {"name", "yes", "yes"},
                        {"namespace", "\"\"", ""}};
  for (const Case& c : cases) {
    const Scenario s = Only(LoadSpec(std::string("  faults: [{when: {event: event, ") + c.field +
                                     ": " + c.value + "}, compact: {revision: head}}]\n"));
    ASSERT_EQ(s.faults.size(), 1u) << c.value;
    EXPECT_EQ(s.faults[0].when->fields[0].second, c.read) << c.value;
    const Scenario again = Only(ParseScenarioTree(ToTree(s)));
    ASSERT_EQ(again.faults.size(), 1u) << c.value;
    EXPECT_EQ(again.faults[0].when->fields, s.faults[0].when->fields) << c.value;
  }
}

std::string WithWidgetsOfTwoGroups(const std::string& spec) {
  std::string text =
      "apiVersion: ksim.dev/v1\nkind: Scenario\nmetadata: {name: test}\nspec:\n" + spec;
  for (const std::string group : {"b.io", "a.io"})
    text +=
        "---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: "
        "{name: widgets." +
        group + "}\nspec:\n  group: " + group +
        "\n  names: {plural: widgets, kind: Widget}\n  scope: Namespaced\n  versions: [{name: "
        "v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]\n";
  return text;
}

// CRD-27: wherever a scenario names a resource, "plural.group" says which.
TEST(Parse, AResourceOfTwoGroupsIsNamedWithItsGroup) {
  const std::string steps = "  steps: [{create: {documents: all}}";
  const auto lines = [](const std::string& name) {
    return std::vector<std::string>{
        ", {delete: {resource: " + name + "/w}}]\n",
        ", {wait: {resource: " + name + "/w, for: delete}}]\n",
        "]\n  expect: [{finally: {resource: " + name + ", count: 0}}]\n",
        "]\n  invariants: [{name: i, for: {resource: " + name + "}, always: \"true\"}]\n"};
  };
  for (const std::string& line : lines("widgets.a.io"))
    EXPECT_EQ(Render(LoadText(WithWidgetsOfTwoGroups(steps + line)).errors, false), "") << line;
  for (const std::string& line : lines("widgets")) {
    const Loaded loaded = LoadText(WithWidgetsOfTwoGroups(steps + line));
    ASSERT_EQ(loaded.errors.size(), 1u) << line;
    EXPECT_EQ(loaded.errors[0].message, "\"widgets\" is a resource of a.io and of b.io") << line;
    EXPECT_EQ(loaded.errors[0].hint, "write widgets.a.io or widgets.b.io");
    EXPECT_GT(loaded.errors[0].span.line, 0);
  }
}

// CRD-27: faults and triggers may name it as the trace does, where the first has the plural alone.
TEST(Parse, AFaultMayNameAResourceAsTheTraceDoes) {
  const std::string spec =
      "  cluster: {nodes: 0}\n  steps: [{create: {documents: all}}]\n  faults:\n  - when: {event: "
      "commit, resource: widgets.b.io}\n    dropWatch: {client: kube-controller-manager, resource: "
      "widgets}\n  - when: {event: commit, resource: widgets}\n    expire: {client: "
      "kube-controller-manager, resource: widgets.a.io}\n";
  const Scenario s = Only(LoadText(WithWidgetsOfTwoGroups(spec)));
  ASSERT_EQ(s.faults.size(), 2u);
  EXPECT_EQ(s.faults[0].when->fields[0].second, "widgets.b.io");
  EXPECT_EQ(s.faults[1].when->fields[0].second, "widgets");
  const Scenario again = Only(ParseScenarioTree(ToTree(s)));
  ASSERT_EQ(again.faults.size(), 2u);
  EXPECT_EQ(again.faults[0].when->fields, s.faults[0].when->fields);
}

// These targets exist, so the faults are valid.
TEST(Parse, ActorsAreThePartsOfTheCluster) {
  const std::string cluster =
      "  cluster: {nodes: 1, apiServers: 2, controllers: [{name: \"*\", replicas: 2}], "
      "processes: {mine: [wrong-edge]}}\n";
  for (const char* fault :
       {"pause: {actor: kube-controller-manager-1/replicaset}", "pause: {actor: mine/replicaset}",
        "stallHandler: {actor: kubelet/node-1, resource: pods}",
        "holdStream: {client: kube-apiserver-1, resource: pods}",
        "delayStream: {client: kube-apiserver-1, resource: pods, by: 1s}", "compact:"})
    EXPECT_EQ(Only(LoadSpec(cluster + "  faults:\n  - at: 0s\n    " + fault + "\n")).faults.size(),
              1u)
        << fault;
}

TEST(NodeSpec, NamesCountFromOneUnlessThereIsOneNamedNode) {
  NodeSpec spec;
  spec.count = 2;
  EXPECT_EQ(spec.Names(), (std::vector<std::string>{"node-1", "node-2"}));
  spec.count = 1;
  EXPECT_EQ(spec.Names(), std::vector<std::string>{"node-1"});
  spec.name = "edge";
  EXPECT_EQ(spec.Names(), std::vector<std::string>{"edge"});
}

}  // namespace
}  // namespace ksim::scenario
