// The defaults that `ksim explain` tells are those that a scenario gets.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>
#include <string>

#include "ksim/kubelet/node/node_options.h"
#include "ksim/scenario/schema.h"
#include "ksim/value/yaml.h"
#include "tests/scenario/from_text.h"

namespace ksim::scenario {
namespace {

// A spec with a mapping of each type that has defaults, or of one of its fields. The field stands
// in the place of `{}`.
const std::map<std::string_view, std::string_view>& Places() {
  static const std::map<std::string_view, std::string_view> places{
      {"ScenarioSpec", "{}"},
      {"Limit", "limit: {{{}}}"},
      {"Cluster", "cluster: {{{}}}"},
      {"Node", "cluster: {{nodes: [{{{}}}]}}"},
      {"Scheduler", "cluster: {{scheduler: {{{}}}}}"},
      {"Network", "cluster: {{network: {{{}}}}}"},
      {"Latency", "cluster: {{network: {{latency: {{{}}}}}}}"},
      {"Replicated", "cluster: {{controllers: [{{name: replicaset, {}}}]}}"},
      // The file need only be there.
      {"Guest", "cluster: {{guests: [{{name: a, file: README.md, {}}}]}}"},
      {"Metric", "cluster: {{metrics: [{{metric: a, load: [{{at: 0s, total: '1'}}], {}}}]}}"},
      {"Level", "cluster: {{metrics: [{{metric: a, load: [{{total: '1', {}}}]}}]}}"},
      {"Image", "cluster: {{images: [{{image: a, {}}}]}}"},
      {"Fuzz", "fuzz: {{{}}}"},
      {"Condition", "expect: [{{eventually: {{resource: pods, {}}}}}]"},
      {"Selection", "invariants: [{{name: a, always: 'true', for: {{resource: pods, {}}}}}]"},
      {"Stable", "invariants: [{{name: a, for: {{resource: pods}}, stable: {{{}}}}}]"},
      {"Override", "overrides: [{{site: order, key: '1', answer: 1, {}}}]"},
      {"Trigger", "steps: [{{when: {{event: commit, {}}}, cordon: node-1}}]"},
      {"Delete", "steps: [{{delete: {{resource: pods/a, {}}}}}]"},
      {"Scale", "steps: [{{scale: {{resource: rs/a, replicas: 1, {}}}}}]"},
      {"Patch", "steps: [{{patch: {{resource: rs/a, patch: {{spec: {{replicas: 2}}}}, {}}}}}]"},
      {"Label", "steps: [{{label: {{resource: rs/a, set: {{a: b}}, {}}}}}]"},
      {"Annotate", "steps: [{{annotate: {{resource: rs/a, set: {{a: b}}, {}}}}}]"},
      {"Drain", "steps: [{{drain: {{node: node-1, {}}}}}]"},
      {"Evict", "steps: [{{evict: {{pod: a, {}}}}}]"},
      {"Rollout", "steps: [{{rollout: {{resource: deploy/a, {}}}}}]"},
      {"SetImage", "steps: [{{setImage: {{resource: deploy/a, images: {{a: b}}, {}}}}}]"},
      {"Expose", "steps: [{{expose: {{resource: deploy/a, {}}}}}]"},
      {"Autoscale", "steps: [{{autoscale: {{resource: deploy/a, max: 1, {}}}}}]"},
      {"CreateJob", "steps: [{{createJob: {{resource: cj/a, name: b, {}}}}}]"},
      {"Wait", "steps: [{{wait: {{resource: pods/a, for: delete, {}}}}}]"},
      {"Apply.serverSide",
       "steps: [{{apply: {{object: {{apiVersion: v1, kind: ConfigMap, metadata: {{name: a}}}}, "
       "{}}}}}]"},
      {"Apply",
       "steps: [{{apply: {{object: {{apiVersion: v1, kind: ConfigMap, metadata: {{name: a}}}}, "
       "serverSide: true, {}}}}}]"},
  };
  return places;
}

// Defaults that are no value of the tree: in words, no bound at all, or up to the fault's verb.
bool IsNoValue(const Type& type, const Field& field) {
  return (field.name == "within" && type.name == "Expectation") ||
         (field.name == "namespace" && type.name == "Selection") ||
         (field.name == "by" && type.name == "Stable") ||
         (field.name == "user" && type.name == "Guest") ||
         (field.name == "container" && type.name == "Metric") ||
         (field.name == "min" && type.name == "Count") || FaultType().Find(type.name) != nullptr;
}

std::string SpecWith(std::string_view place, const std::string& field) {
  return "  " + fmt::format(fmt::runtime(place), field) + "\n";
}

TEST(Defaults, AreThoseThatExplainTells) {
  std::set<const Type*> seen;
  int defaults = 0;
  std::function<void(const Type&)> walk = [&](const Type& type) {
    if (!seen.insert(&type).second) return;
    for (const Field& f : type.fields) {
      if (f.of != nullptr) walk(*f.of);
      if (f.value.empty() || IsNoValue(type, f)) continue;
      ++defaults;
      auto place = Places().find(fmt::format("{}.{}", type.name, f.name));
      if (place == Places().end()) place = Places().find(type.name);
      ASSERT_NE(place, Places().end()) << type.name << " has a default: give it a place";
      const std::string given = fmt::format("{}: {}", f.name, f.value);
      const std::string other = type.name == "ScenarioSpec" ? "checks: [\"*\"]" : "";
      if (f.name == "capacity") continue;  // see below
      EXPECT_EQ(ToTree(FromSpec(SpecWith(place->second, given))),
                ToTree(FromSpec(SpecWith(place->second, other))))
          << type.name << "." << given;
    }
  };
  walk(ScenarioType());
  EXPECT_GE(defaults, 40);
}

// The header of a trace leaves out a capacity that was not given.
TEST(Defaults, ExplainTellsTheCapacityThatNodesGet) {
  const std::string text(NodeType().Find("capacity")->value);
  EXPECT_EQ(text, "{cpu: 4, ephemeral-storage: 100Gi, memory: 8Gi, pods: 110}");
  const Scenario scenario =
      FromSpec(fmt::format("  cluster: {{nodes: [{{capacity: {}}}]}}\n", text));
  value::ObjectBuilder capacity;
  for (const auto& [resource, quantity] : scenario.cluster.nodes.at(0).capacity)
    capacity.Add(resource, value::Value::Of(quantity));
  EXPECT_EQ(capacity.Build(), kubelet::DefaultNodeCapacity());
}

}  // namespace
}  // namespace ksim::scenario
