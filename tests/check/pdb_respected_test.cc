// pdb.respected: what upstream does is no violation, and each mutant is one.
#include <gtest/gtest.h>

#include "recorded.h"

namespace ksim::check {
namespace {

using Kind = sim::EventKind;

bool CatchesDisrespect(const Trace& t) { return Violated(t).contains("pdb.respected"); }

// Changes the leaves of the budget's commits; a null `edit` takes the leaf out.
void EditBudget(Trace* t, const std::function<Value(const std::string&, const Value&)>& edit) {
  for (Record& r : t->events) {
    if (r.kind != Kind::kCommit || r.Text("resource") != "poddisruptionbudgets") continue;
    std::vector<Value> leaves;
    for (const Value& leaf : r.Get("changed").items()) {
      const Value edited = edit(std::string(leaf.Get("path").AsString()), leaf);
      if (!edited.is_null()) leaves.push_back(edited);
    }
    SetField(&r, "changed", Value::Array(std::move(leaves)));
  }
}

TEST(PdbRespected, ADrainRespectsItsBudget) {
  for (const char* compat : {"1.25", "1.30", "1.36"}) {
    const Trace t = Recorded("drain", compat);
    EXPECT_FALSE(CatchesDisrespect(t)) << compat << Messages(t);
  }
}

TEST(PdbRespected, AnEvictionThatTakesNoDisruptionIsFound) {
  for (const char* compat : {"1.25", "1.30", "1.36"}) {
    Trace t = Recorded("drain", compat);
    EditBudget(&t, [](const std::string& path, const Value& leaf) {
      return path.starts_with("status.disruptedPods") ? Value() : leaf;
    });
    EXPECT_TRUE(CatchesDisrespect(t)) << compat << Messages(t);
  }
}

TEST(PdbRespected, AnEvictionThatLeavesTooFewIsFound) {
  for (const char* compat : {"1.25", "1.30", "1.36"}) {
    Trace t = Recorded("drain", compat);
    EditBudget(&t, [](const std::string& path, const Value& leaf) {
      return path == "spec.minAvailable" ? leaf.Set("new", Value::Of(3)) : leaf;
    });
    EXPECT_TRUE(CatchesDisrespect(t)) << compat << Messages(t);
  }
}

// The controller has not heard that a pod has gone: the eviction goes by what it wrote before.
TEST(PdbRespected, AStaleStatusIsNotTheEvictionsFault) {
  const auto pod = [](const std::string& name, const std::string& node) {
    return "\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: " + name +
           ", namespace: default, labels: {app: web}}\nspec:\n  nodeName: " + node +
           "\n  terminationGracePeriodSeconds: 0\n  containers: [{name: c, image: nginx}]\n";
  };
  const Trace t = RunOf(R"(
apiVersion: ksim.dev/v1
kind: Scenario
metadata: {name: stale}
spec:
  cluster: {nodes: 2, controllers: [disruption]}
  steps:
  - {at: 0s, create: {document: PodDisruptionBudget/web}}
  - {at: 0s, create: {document: Pod/a}}
  - {at: 0s, create: {document: Pod/b}}
  - {at: 0s, create: {document: Pod/c}}
  - {at: 41s, delete: {resource: pods/a}}
  - {at: 50s, drain: {node: node-2, force: true}}
  faults:
  - {at: 40s, stallHandler: {actor: kube-controller-manager, resource: pods, for: 60s}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web, namespace: default}
spec: {minAvailable: 2, selector: {matchLabels: {app: web}}}
)" + pod("a", "node-1") + pod("b", "node-1") +
                            pod("c", "node-2"),
                        "1.30");
  EXPECT_FALSE(CatchesDisrespect(t)) << Messages(t);
  const std::size_t gone = Find(t, [](const Record& r) {
    return r.kind == Kind::kCommit && r.Text("resource") == "pods" && r.Text("name") == "c" &&
           r.Text("op") == "delete" && r.t < Seconds(80).ns();
  });
  EXPECT_LT(gone, t.events.size()) << "it was evicted meanwhile";
}

}  // namespace
}  // namespace ksim::check
