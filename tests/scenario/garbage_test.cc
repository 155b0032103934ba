// The dependents of an object that is deleted (controller-runtime#1459, kubernetes#32829), and the
// step that deletes it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "from_text.h"
#include "ksim/scenario/runner.h"

namespace ksim::scenario {
namespace {

std::string ReplicaSetStep(const char* ns, const char* finalizers) {
  return fmt::format(
      "  - {{at: 0s, create: {{object: {{apiVersion: apps/v1, kind: ReplicaSet, metadata: {{name: "
      "r, namespace: {}, finalizers: [{}]}}, spec: {{replicas: 2, selector: {{matchLabels: {{a: "
      "b}}}}, template: {{metadata: {{labels: {{a: b}}}}, spec: {{terminationGracePeriodSeconds: "
      "5, containers: [{{name: c, image: nginx}}]}}}}}}}}}}}}\n",
      ns, finalizers);
}

struct Outcome {
  int code = 0;
  std::size_t pods = 0, sets = 0;
  std::size_t owned = 0;  // pods that somebody owns
  std::string problems;
};

Outcome RunSteps(const std::string& compat, const std::string& steps) {
  Scenario scenario = FromSpec("  compat: \"" + compat +
                               "\"\n  cluster: {nodes: 1, controllers: [replicaset, "
                               "garbagecollector]}\n  steps:\n" +
                               steps);
  Runner runner(scenario, RunnerOptions());
  const RunReport report = runner.Run();
  Outcome out;
  out.code = report.exit_code;
  for (const trace::Violation& v : report.end.violations)
    out.problems += v.oracle + ": " + v.message + "\n";
  for (const StepFailure& f : report.failures) out.problems += f.error + "\n";
  World& world = runner.world();
  for (const api::Object& pod : world.Objects(*world.kinds().ByName("pods"))) {
    ++out.pods;
    if (!pod.owners().empty()) ++out.owned;
  }
  out.sets = world.Objects(*world.kinds().ByName("replicasets")).size();
  return out;
}

constexpr const char* kCompats[] = {"1.25", "1.30", "1.36"};

TEST(Garbage, PodsFollowTheirReplicaSetOrStayAsItIsDeleted) {
  struct Row {
    const char* cascade;
    std::size_t pods;
  };
  for (const Row& row : {Row{"background", 0}, Row{"foreground", 0}, Row{"orphan", 2}}) {
    for (const char* compat : kCompats) {
      const Outcome out = RunSteps(
          compat, ReplicaSetStep("default", "") +
                      fmt::format("  - {{at: 20s, delete: {{resource: rs/r, cascade: {}}}}}\n",
                                  row.cascade));
      EXPECT_EQ(out.code, 0) << row.cascade << compat << out.problems;
      EXPECT_EQ(out.pods, row.pods) << row.cascade << compat;
      EXPECT_EQ(out.owned, 0u) << row.cascade << compat;
      EXPECT_EQ(out.sets, 0u) << row.cascade << compat;
    }
  }
}

// A finalizer of somebody else's holds the owner, so that its pods stay in the background; in the
// foreground they go, and only the owner stays.
TEST(Garbage, AnOwnerThatSomebodyElseHoldsKeepsItsPodsInTheBackground) {
  for (const char* cascade : {"background", "foreground"}) {
    const Outcome out =
        RunSteps("1.36", ReplicaSetStep("default", "example.dev/mine") +
                             fmt::format("  - {{at: 20s, delete: {{resource: rs/r, cascade: {}, "
                                         "wait: false}}}}\n",
                                         cascade));
    EXPECT_EQ(out.pods, std::string(cascade) == "background" ? 2u : 0u) << cascade;
    EXPECT_EQ(out.sets, 1u) << cascade;
  }
}

// The garbage collector is down when the owner goes.
TEST(Garbage, ADeletionThatNobodySawIsMadeUpFor) {
  for (const char* compat : kCompats) {
    const Outcome out = RunSteps(
        compat,
        ReplicaSetStep("default", "") +
            "  - {at: 20s, delete: {resource: rs/r}}\n"
            "  faults:\n  - {at: 19s, restart: {process: kube-controller-manager, down: 5s}}\n");
    EXPECT_EQ(out.code, 0) << out.problems;
    EXPECT_EQ(out.pods, 0u);
  }
}

// The node's Lease goes with the Node that owns it.
TEST(Garbage, ARemovedNodeTakesItsLeaseAlong) {
  Scenario scenario = FromSpec(
      "  cluster: {nodes: 2, controllers: [garbagecollector]}\n"
      "  steps:\n  - {at: 20s, removeNode: node-2}\n");
  Runner runner(scenario, RunnerOptions());
  runner.Run();
  World& world = runner.world();
  for (const api::Object& lease : world.Objects(*world.kinds().ByName("leases")))
    EXPECT_NE(lease.name(), "node-2");
}

}  // namespace
}  // namespace ksim::scenario
