// The start of a cluster with so many nodes that they do not come to rest in the first minute.
#include <gtest/gtest.h>

#include <algorithm>

#include "ksim/scenario/runner.h"
#include "tests/scenario/from_text.h"

namespace ksim::scenario {
namespace {

// Each node is two requests of the node lifecycle controller, at 20 a second: 640 take 64 s.
TEST(LargeCluster, TheStartHasTheTimeThatItsNodesNeed) {
  Runner runner(FromSpec("  cluster: {nodes: 640, controllers: [nodelifecycle], "
                         "components: [\"*\", -kube-scheduler]}\n"),
                RunnerOptions());
  World& world = runner.world();
  VirtualTime joins = VirtualTime::Max(), begins;
  std::size_t nodes = 0, tainted = 0;
  world.sim().bus().Subscribe(
      sim::Bus::Stage::kWriter, {sim::EventKind::kActor, sim::EventKind::kPhase},
      [&](const sim::Event& e) {
        if (e.actor.name().starts_with("kubelet/")) joins = std::min(joins, e.time);
        if (e.kind != sim::EventKind::kPhase || nodes > 0) return;
        begins = e.time;
        for (const api::Object& node : world.Objects(*world.kinds().ByName("nodes"))) {
          ++nodes;
          if (!node.spec().Get("taints").empty()) ++tainted;
        }
      });
  EXPECT_EQ(runner.Run().exit_code, 0);
  EXPECT_EQ(joins, VirtualTime() + Seconds(1)) << "watch caches are there before the nodes";
  EXPECT_EQ(nodes, 640u);
  EXPECT_EQ(tainted, 0u) << "the workload begins when the cluster has come to rest";
  EXPECT_GT(begins, VirtualTime() + Seconds(60));
  EXPECT_LT(begins, VirtualTime() + Seconds(80));
}

// A server ends each watch after 5 to 10 minutes, and its client opens it anew: some watch of so
// many kubelets is always just being opened.
TEST(LargeCluster, IsQuietThoughWatchesAreOpenedAnew) {
  const Scenario scenario = FromSpec(
      "  quietFor: 4s\n  limit: 12m\n  cluster: {nodes: 300}\n  steps:\n"
      "  - {at: 7m, create: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}}}\n");
  const RunReport report = Runner(scenario, RunnerOptions()).Run();
  EXPECT_EQ(report.exit_code, 0);
  EXPECT_LT(report.end.time, Minutes(8).ns());
}

}  // namespace
}  // namespace ksim::scenario
