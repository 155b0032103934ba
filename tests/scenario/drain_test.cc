// The steps drain and evict send kubectl's requests and print its texts.
#include <gtest/gtest.h>

#include "ksim/scenario/runner.h"
#include "tests/scenario/from_text.h"

namespace ksim::scenario {
namespace {

Scenario DrainScenario(const std::string& steps) {
  return Only(LoadSpec("  cluster: {nodes: 2}\n  steps:\n" + steps + R"(---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: nginx}]}
---
apiVersion: v1
kind: Pod
metadata: {name: alone}
spec: {nodeName: node-1, containers: [{name: c, image: nginx}]}
)"));
}

int PodsOn(Runner& runner, const std::string& node) {
  int n = 0;
  for (const api::Object& pod : runner.world().Objects(*runner.world().kinds().ByName("pods")))
    if (pod.node_name() == node) ++n;
  return n;
}

TEST(Drain, MovesTheNodesPodsElsewhere) {
  Runner runner(DrainScenario("  - {at: 0s, create: {document: ReplicaSet/web}}\n"
                              "  - {at: 0s, create: {document: Pod/alone}}\n"
                              "  - {at: 30s, drain: {node: node-1, force: true}}\n"),
                RunnerOptions());
  const RunReport report = runner.Run();
  EXPECT_EQ(report.exit_code, 0) << (report.failures.empty() ? "" : report.failures[0].error);
  EXPECT_EQ(PodsOn(runner, "node-1"), 0);
  EXPECT_EQ(PodsOn(runner, "node-2"), 2) << "the pod without a controller is gone for good";
}

// kubectl pkg/drain/filters.go of each version, and pkg/cmd/drain/drain.go.
TEST(Drain, RefusesPodsThatNobodyWouldMakeAgain) {
  const std::pair<const char*, const char*> cases[] = {
      {"1.25", "cannot delete Pods declare no controller"},
      {"1.30", "cannot delete cannot delete Pods that declare no controller"},
      {"1.36", "cannot delete Pods that declare no controller"}};
  for (const auto& [compat, refusal] : cases) {
    Scenario scenario =
        DrainScenario("  - {at: 0s, create: {documents: all}}\n  - {at: 30s, drain: node-1}\n");
    scenario.compat = *api::ParseCompat(compat);
    Runner runner(scenario, RunnerOptions());
    const RunReport report = runner.Run();
    ASSERT_EQ(report.failures.size(), 1u);
    const std::string why = std::string(refusal) + " (use --force to override): default/alone";
    const std::string blank = std::string_view(compat) == "1.36" ? " " : "";
    EXPECT_EQ(report.failures[0].error,
              "error: unable to drain node \"node-1\" due to error:" + blank + why +
                  ", continuing command...\nThere are pending nodes to be drained:\n node-1\n" +
                  why);
    EXPECT_GE(PodsOn(runner, "node-1"), 1);
  }
}

// The finalizer keeps the pod. Texts of kubectl v1.36.3.
TEST(Drain, GivesUpAtItsTimeout) {
  Runner runner(Only(LoadSpec("  compat: \"1.36\"\n  cluster: {nodes: 1}\n  steps:\n"
                              "  - {create: {document: Pod/stays}}\n"
                              "  - {drain: {node: node-1, force: true, timeout: 2s}}\n---\n"
                              "apiVersion: v1\nkind: Pod\n"
                              "metadata: {name: stays, finalizers: [example.com/f]}\n"
                              "spec: {nodeName: node-1, containers: [{name: c, image: nginx}]}\n")),
                RunnerOptions());
  const RunReport report = runner.Run();
  ASSERT_EQ(report.failures.size(), 1u);
  const std::string why =
      "error when waiting for pod \"stays\" in namespace \"default\" to terminate: context "
      "deadline "
      "exceeded";
  EXPECT_EQ(report.failures[0].error,
            "error: unable to drain node \"node-1\" due to error: " + why +
                ", continuing command...\nThere are pending nodes to be drained:\n node-1\n" + why);
}

TEST(Evict, MarksThePodAndDeletesIt) {
  Runner runner(DrainScenario("  - {at: 0s, create: {documents: all}}\n"
                              "  - {at: 30s, evict: {pod: alone, gracePeriodSeconds: 1}}\n"),
                RunnerOptions());
  const RunReport report = runner.Run();
  EXPECT_EQ(report.exit_code, 0);
  bool marked = false;
  for (const sim::Event& e : runner.events()) {
    if (e.kind != sim::EventKind::kCommit) continue;
    const trace::Record r = trace::Render(e, trace::RenderOptions());
    for (const value::Value& change : r.Get("changed").items())
      marked = marked || change.Get("new").AsString() == "DisruptionTarget" ||
               change.Get("new").Get("type").AsString() == "DisruptionTarget";
  }
  EXPECT_TRUE(marked);
  for (const api::Object& pod : runner.world().Objects(*runner.world().kinds().ByName("pods")))
    EXPECT_NE(pod.name(), "alone");
}

}  // namespace
}  // namespace ksim::scenario
