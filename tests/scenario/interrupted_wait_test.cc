// Waits of a campaign's user that nothing will end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ksim/scenario/runner.h"
#include "tests/scenario/from_text.h"

namespace ksim::scenario {
namespace {

// FUZZ-09. Every write of the Deployment's status is refused, until its controller gives up:
// nothing wakes it, and the user who waits for the rollout stops waiting.
TEST(InterruptedWait, EndsWhatAControllerHasGivenUp) {
  std::string spec = R"(  cluster: {nodes: 1, controllers: [deployment, replicaset]}
  steps:
  - {at: 1s, create: {document: Deployment/web}}
  - rollout: {resource: deployments/web}
  faults:
)";
  for (int i = 0; i < 40; ++i)
    spec +=
        "  - {at: 0s, rejectWrite: {client: kube-controller-manager, resource: deployments, "
        "verb: update, code: 500}}\n";
  const Scenario scenario = Only(LoadSpec(spec + R"(---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: nginx}]}
)"));
  RunnerOptions options;
  options.fuzz.emplace();
  options.fuzz->window = Minutes(10);
  options.fuzz->settle = Minutes(10);
  Runner runner(scenario, std::move(options));
  const RunReport report = runner.Run();
  EXPECT_EQ(report.end.result, "stepFailed");
  EXPECT_TRUE(report.end.violations.empty()) << report.end.violations.front().message;
  ASSERT_EQ(report.failures.size(), 1u);
  EXPECT_EQ(report.failures.front().number, 2);
  EXPECT_THAT(report.failures.front().error, testing::HasSubstr("kubectl died"));
  const std::vector<trace::Record> events = runner.MakeTrace(trace::RenderOptions()).events;
  const auto killed = std::find_if(events.begin(), events.end(), [](const trace::Record& r) {
    return r.kind == sim::EventKind::kActor && r.Text("state") == "kill";
  });
  ASSERT_NE(killed, events.end());
  ASSERT_GT(killed->cause, 0U);
  EXPECT_EQ(events[killed->cause - 1].kind, sim::EventKind::kStep);
}

}  // namespace
}  // namespace ksim::scenario
