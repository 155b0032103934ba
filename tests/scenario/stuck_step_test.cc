#include "ksim/scenario/stuck_step.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "from_text.h"
#include "ksim/scenario/runner.h"

namespace ksim::scenario {
namespace {

// The first that keeps a run of these steps busy when its limit of 20 s has passed.
std::string Busy(const std::string& steps) {
  Runner runner(FromSpec("  cluster: {nodes: 1, controllers: [replicaset]}\n"
                         "  limit: {time: 20s}\n  steps:\n" +
                         steps),
                RunnerOptions());
  const RunReport report = runner.Run();
  EXPECT_EQ(report.exit_code, 3);
  return report.busy.empty() ? "" : report.busy.front();
}

std::string Create(const std::string& object) {
  return fmt::format("  - {{at: 0s, create: {{object: {}}}}}\n", object);
}

const std::string kSet =
    "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: r}, spec: {replicas: 1, selector: "
    "{matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, "
    "image: i}]}}}}";

TEST(StuckStep, ALimitNamesWhatAStepWaitsForAndWhoWouldHaveDoneIt) {
  const struct {
    std::string object, step, busy;
  } rows[] = {
      {kSet, "delete: {resource: rs/r, cascade: orphan}",
       "step 2 (delete replicasets.apps/r) has not ended: it waits for replicasets/r to be gone; "
       "the garbage collector would have removed its finalizer \"orphan\", and this run has none"},
      {kSet, "delete: {object: " + kSet + ", cascade: foreground}",
       "step 2 (delete ReplicaSet/r) has not ended: it waits for replicasets/r to be gone; the "
       "garbage collector would have removed its finalizer \"foregroundDeletion\", and this run "
       "has none"},
      {"{apiVersion: v1, kind: Namespace, metadata: {name: x}}", "delete: {resource: ns/x}",
       "step 2 (delete namespaces/x) has not ended: it waits for namespaces/x to be gone; the "
       "namespace controller would have removed its finalizer \"kubernetes\", and this run has "
       "none"},
      {"{apiVersion: v1, kind: ConfigMap, metadata: {name: c, finalizers: [example.com/f]}}",
       "delete: {resource: cm, all: true}",
       "step 2 (delete configmaps) has not ended: it waits for configmaps/c to be gone; nobody has "
       "removed its finalizer \"example.com/f\""},
      {"{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {selector: "
       "{matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: "
       "c, image: i}]}}}}",
       "wait: {resource: deployments/d, for: condition=Available, timeout: 1h}",
       "step 2 (wait deployments.apps/d) has not ended: it waits for deployments/d, and this run "
       "has no controller for Deployment"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(Busy(Create(row.object) + "  - {at: 8s, " + row.step + "}\n"), row.busy);
}

TEST(StuckStep, APodWaitsForItsKubelet) {
  const std::string pod = Create(
      "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: "
      "i}]}}");
  EXPECT_EQ(Busy(pod + "  - {at: 8s, removeNode: node-1}\n  - {delete: {resource: pods/p}}\n"),
            "step 3 (delete pods/p) has not ended: it waits for pods/p to be gone; the kubelet of "
            "node-1 would have ended it, and does not run; there is no pod garbage collector "
            "either");
}

}  // namespace
}  // namespace ksim::scenario
