// The state of a real cluster that a run begins with.
#include "ksim/scenario/initial.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "ksim/client/core/payloads.h"
#include "ksim/scenario/initial/initial_objects.h"
#include "ksim/scenario/runner.h"
#include "ksim/store/events.h"
#include "ksim/value/json.h"
#include "ksim/value/timestamp.h"
#include "ksim/value/yaml.h"
#include "tests/scenario/from_text.h"

namespace ksim::scenario {
namespace {

using testing::HasSubstr;
using value::Value;

// A scenario of the spec, with the file `cluster.yaml` beside it.
Loaded LoadBoth(const std::string& spec, const std::string& cluster, LoadOptions options = {}) {
  options.read = [=](const std::string& path) -> absl::StatusOr<std::string> {
    if (path.ends_with("cluster.yaml")) return cluster;
    return "apiVersion: ksim.dev/v1\nkind: Scenario\nmetadata: {name: test}\nspec:\n" + spec;
  };
  return Load({"test.yaml"}, options);
}

constexpr const char* kFinished = R"(apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Node
  metadata: {name: worker-a}
  status:
    capacity: {cpu: "8", memory: 32Gi, pods: "110"}
    conditions: [{type: Ready, status: "True"}]
- apiVersion: v1
  kind: Pod
  metadata:
    name: finished
    uid: 22222222-2222-2222-2222-222222222222
    creationTimestamp: "2024-01-01T00:00:00Z"
  spec: {nodeName: worker-a, restartPolicy: Never, containers: [{name: c, image: busybox}]}
  status: {phase: Succeeded}
)";

api::Object Find(Runner& runner, std::string_view kind, std::string_view name) {
  for (const api::Object& o : runner.world().Objects())
    if (o.kind() == kind && o.name() == name) return o;
  return api::Object();
}

TEST(Initial, WhatHasEndedHasEndedAndItsNodeIsThere) {
  for (const char* compat : {"1.25", "1.30", "1.36"}) {
    const Loaded loaded = LoadBoth(
        fmt::format("  compat: \"{}\"\n  initial: {{file: cluster.yaml}}\n", compat), kFinished);
    const Scenario scenario = Only(loaded);
    EXPECT_EQ(scenario.cluster.NodeNames(), std::vector<std::string>{"worker-a"});
    Runner runner(scenario, RunnerOptions());
    EXPECT_EQ(runner.Run().exit_code, 0) << compat;
    const api::Object pod = Find(runner, "Pod", "finished");
    EXPECT_EQ(pod.status().Get("phase").AsString(), "Succeeded") << compat;
    EXPECT_EQ(pod.uid(), "22222222-2222-2222-2222-222222222222");
    EXPECT_EQ(pod.metadata().Get("creationTimestamp").AsString(), "2025-01-01T00:00:00Z");
    const api::Object node = Find(runner, "Node", "worker-a");
    EXPECT_EQ(node.status().Get("capacity").Get("memory").AsString(), "32Gi");
  }
}

TEST(Initial, TheObjectsMayStandInTheScenario) {
  const std::string items = R"(  initial:
    objects:
    - {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop}, data: {k: v}}
)";
  const Scenario scenario = FromSpec(items);
  ASSERT_EQ(scenario.initial.size(), 2u);
  EXPECT_EQ(scenario.initial[0].Kind(), "Namespace");
  EXPECT_EQ(scenario.initial[0].Name(), "shop");
  EXPECT_EQ(scenario.cluster.NodeNames().size(), 3u);
  // Reading what was written gives the same.
  const Value tree = ToTree(scenario);
  const Scenario again = Only(ParseScenarioTree(tree));
  EXPECT_EQ(value::ToJson(ToTree(again)), value::ToJson(tree));
}

TEST(Initial, TheOrderIsThatOfTheResourceVersionsAndTimesEndNow) {
  const Loaded loaded = LoadBoth("  initial: {file: cluster.yaml}\n", R"(
apiVersion: v1
kind: ConfigMap
metadata: {name: late, resourceVersion: "100", creationTimestamp: "2024-05-01T10:00:00Z"}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: early
  resourceVersion: "20"
  creationTimestamp: "2024-05-01T09:00:00Z"
  annotations: {time: "2024-05-01T09:00:00Z"}
  managedFields:
  - {manager: kubectl, operation: Update, apiVersion: v1, time: "2024-05-01T09:30:00Z"}
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: l, resourceVersion: "50", creationTimestamp: null}
spec: {renewTime: "2024-05-01T10:00:10.250000Z"}
)");
  const Scenario s = Only(loaded);
  ASSERT_EQ(s.initial.size(), 3u);
  EXPECT_EQ(s.initial[0].Name(), "early");
  EXPECT_EQ(s.initial[1].Name(), "l");
  EXPECT_EQ(s.initial[2].Name(), "late");
  const Value& early = s.initial[0].tree.Get("metadata");
  EXPECT_EQ(early.Get("creationTimestamp").AsString(), "2024-12-31T22:59:49Z");
  EXPECT_EQ(early.Get("managedFields").at(0).Get("time").AsString(), "2024-12-31T23:29:49Z");
  EXPECT_EQ(early.Get("annotations").Get("time").AsString(), "2024-05-01T09:00:00Z");
  EXPECT_FALSE(early.Has("resourceVersion"));
  EXPECT_EQ(s.initial[1].tree.Get("spec").Get("renewTime").AsString(),
            "2024-12-31T23:59:59.250000Z");
}

// A definition that is there from the start is served, and its schema holds.
TEST(Initial, CustomResourcesAreServedByTheirDefinitions) {
  const Loaded loaded = LoadBoth(
      "  initial: {file: cluster.yaml}\n"
      "  steps:\n"
      "  - {at: 1s, patch: {resource: widgets.example.com/w, type: merge, patch: {spec: {size: "
      "3}}}}\n"
      "  - {patch: {resource: widgets.example.com/w, type: merge, patch: {spec: {size: x}}}}\n",
      R"(apiVersion: v1
kind: List
items:
- apiVersion: apiextensions.k8s.io/v1
  kind: CustomResourceDefinition
  metadata: {name: widgets.example.com}
  spec:
    group: example.com
    names: {kind: Widget, listKind: WidgetList, plural: widgets, singular: widget}
    scope: Namespaced
    versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties: {spec: {type: object, properties: {size: {type: integer}}}}
  status:
    acceptedNames: {kind: Widget, listKind: WidgetList, plural: widgets, singular: widget}
    conditions: [{type: NamesAccepted, status: "True"}, {type: Established, status: "True"}]
    storedVersions: [v1]
- apiVersion: example.com/v1
  kind: Widget
  metadata: {name: w, namespace: default}
  spec: {size: 1}
)");
  ASSERT_EQ(Render(loaded.errors, false), "");
  Runner runner(loaded.scenarios.at(0), RunnerOptions());
  const RunReport report = runner.Run();
  ASSERT_EQ(report.failures.size(), 1u);
  EXPECT_THAT(report.failures[0].error,
              HasSubstr("spec.size: Invalid value: \"string\": spec.size in body must be of type "
                        "integer"));
  EXPECT_EQ(Find(runner, "Widget", "w").spec().Get("size").AsInt(), 3);
}

TEST(Initial, WhatKsimDoesNotKnowIsLeftOutAndMissingOwnersAreToldOf) {
  const Loaded loaded = LoadBoth("  initial: {file: cluster.yaml}\n", R"(apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ComponentStatus, metadata: {name: etcd-0}}
- {apiVersion: scheduling.k8s.io/v9, kind: Gadget, metadata: {name: g}}
- apiVersion: v1
  kind: Pod
  metadata:
    name: a
    ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: r, uid: u, controller: true}]
  spec: {containers: [{name: c, image: i}]}
)");
  EXPECT_EQ(Only(loaded).initial.size(), 1u);
  const std::string told = Render(loaded.warnings, false);
  EXPECT_THAT(told, HasSubstr("ksim does not know scheduling.k8s.io/v9 Gadget"));
  EXPECT_THAT(told, HasSubstr("1 object is owned by a ReplicaSet that is not in the file"));
}

TEST(Initial, AFlagNamesTheFileTooAndNothingElseNeedBeThere) {
  LoadOptions options;
  options.from = "cluster.yaml";
  EXPECT_EQ(Only(LoadBoth("  seed: 2\n", kFinished, options)).initial.size(), 2u);
  options.read = [](const std::string&) -> absl::StatusOr<std::string> {
    return std::string(kFinished);
  };
  const Scenario alone = Only(Load({}, options));
  EXPECT_EQ(alone.name, "cluster");
  EXPECT_EQ(alone.initial.size(), 2u);
  EXPECT_TRUE(alone.steps.empty());
}

TEST(Initial, NamespacesAreMadeForPlainManifestsOnRequest) {
  const auto load = [](bool make) {
    LoadOptions options;
    options.create_namespaces = make;
    options.read = [](const std::string&) -> absl::StatusOr<std::string> {
      return std::string(
          "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: shop}\n---\n"
          "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b, namespace: default}\n");
    };
    return Only(Load({"test.yaml"}, options)).steps.at(0).objects;
  };
  EXPECT_EQ(load(false).size(), 2u);
  const auto objects = load(true);
  ASSERT_EQ(objects.size(), 3u);
  EXPECT_EQ(objects[0].Kind(), "Namespace");
  EXPECT_EQ(objects[0].Name(), "shop");
}

// --- a whole cluster ---

// The objects of a run as `kubectl get -A -o yaml` would print them.
std::string Snapshot(Runner& runner) {
  std::vector<Value> items;
  for (const api::Object& o : runner.world().Objects())
    if (o.kind() != "Event") items.push_back(o.ToTree());
  return value::ToYaml(value::Obj({{"apiVersion", Value::Of("v1")},
                                   {"kind", Value::Of("List")},
                                   {"items", Value::Array(std::move(items))}}));
}

std::string WorkloadOf200(const std::string& compat) {
  return fmt::format(R"(  compat: "{}"
  cluster: {{nodes: 10}}
  steps:
  - at: 5s
    create:
      objects:
      - apiVersion: apps/v1
        kind: Deployment
        metadata: {{name: web, namespace: default}}
        spec:
          replicas: 180
          selector: {{matchLabels: {{app: web}}}}
          template:
            metadata: {{labels: {{app: web}}}}
            spec:
              containers:
              - {{name: c, image: nginx, readinessProbe: {{httpGet: {{port: 80}}}},
                 resources: {{requests: {{cpu: 50m}}}}}}
      - apiVersion: v1
        kind: Service
        metadata: {{name: web, namespace: default}}
        spec: {{selector: {{app: web}}, ports: [{{port: 80}}]}}
      - apiVersion: apps/v1
        kind: DaemonSet
        metadata: {{name: agent, namespace: kube-system}}
        spec:
          selector: {{matchLabels: {{app: agent}}}}
          template:
            metadata: {{labels: {{app: agent}}}}
            spec: {{containers: [{{name: c, image: agent}}]}}
      - apiVersion: batch/v1
        kind: Job
        metadata: {{name: once, namespace: default}}
        spec:
          completions: 10
          parallelism: 10
          template:
            metadata: {{annotations: {{exit.ksim.dev/c: 0 after 2s}}}}
            spec: {{restartPolicy: Never, containers: [{{name: c, image: job}}]}}
      - apiVersion: policy/v1
        kind: PodDisruptionBudget
        metadata: {{name: web, namespace: default}}
        spec: {{minAvailable: 100, selector: {{matchLabels: {{app: web}}}}}}
)",
                     compat);
}

// Writes by what they are about, of those that do not come from the initial state.
std::map<std::string, int> Writes(const Runner& runner) {
  std::map<std::string, int> out;
  for (const sim::Event& e : runner.events()) {
    if (e.kind != sim::EventKind::kCommit) continue;
    const auto& commit = e.payload.As<store::CommitPayload>();
    if (commit.by.name() == "ksim") continue;
    const std::string key(commit.key());
    ++out[key.substr(0, key.find('/', std::string_view("/registry/").size()))];
  }
  return out;
}

class InitialSnapshot : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Compat, InitialSnapshot, testing::Values("1.25", "1.30", "1.36"),
                         [](const auto& info) {
                           std::string name(info.param);
                           name[1] = '_';
                           return name;
                         });

// KUBELET-REF-07: kubelets find their pods running, and nobody writes but heartbeats.
TEST_P(InitialSnapshot, OfTwoHundredPodsOnTenNodesStartsQuiet) {
  Runner first(FromSpec(WorkloadOf200(GetParam())), RunnerOptions());
  ASSERT_EQ(first.Run().exit_code, 0);
  const std::string snapshot = Snapshot(first);
  std::map<std::string, std::string> before;
  for (const api::Object& o : first.world().Objects())
    if (o.kind() == "Pod") before[o.key()] = value::ToJson(o.tree().Get("status"));
  ASSERT_EQ(before.size(), 200u);

  const Loaded loaded = LoadBoth(
      fmt::format("  compat: \"{}\"\n  until: 2m\n  initial: {{file: cluster.yaml}}\n", GetParam()),
      snapshot);
  EXPECT_EQ(Render(loaded.warnings, false), "");
  Runner second(Only(loaded), RunnerOptions());
  const RunReport report = second.Run();
  EXPECT_EQ(report.exit_code, 0);
  const auto writes = Writes(second);
  for (const auto& [what, count] : writes) {
    // Kubelets renew their leases; an API server has one too, and agrees with others on compaction.
    const bool expected =
        what == "/registry/leases" || what == "/registry/masterleases" || what == "compact_rev_key";
    EXPECT_TRUE(expected) << what << " " << count;
  }
  std::size_t same = 0;
  for (const api::Object& o : second.world().Objects()) {
    if (o.kind() != "Pod") continue;
    const auto it = before.find(o.key());
    ASSERT_NE(it, before.end()) << o.key();
    EXPECT_EQ(o.metadata().Get("uid").AsString().empty(), false);
    ++same;
  }
  EXPECT_EQ(same, 200u);
}

TEST_P(InitialSnapshot, IsDrainedAsACluster) {
  Runner first(FromSpec(WorkloadOf200(GetParam())), RunnerOptions());
  ASSERT_EQ(first.Run().exit_code, 0);
  const Loaded loaded = LoadBoth(fmt::format(R"(  compat: "{}"
  initial: {{file: cluster.yaml}}
  steps:
  - at: 1s
    drain: {{node: node-3, ignoreDaemonSets: true, timeout: 10m, force: true}}
  expect:
  - finally: {{resource: pods, where: spec.nodeName == node-3, count: {{max: 1}}}}
)",
                                             GetParam()),
                                 Snapshot(first));
  Runner second(Only(loaded), RunnerOptions());
  EXPECT_EQ(second.Run().exit_code, 0);
}

}  // namespace
}  // namespace ksim::scenario
