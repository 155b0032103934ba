// The steps rollout, setImage, expose and autoscale send kubectl's requests and print its texts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ksim/scenario/runner.h"
#include "tests/scenario/from_text.h"

namespace ksim::scenario {
namespace {

using testing::ElementsAre;

// The results of the steps that follow the first rollout of a Deployment `web`.
std::vector<std::string> RolloutResults(const std::string& steps,
                                        const std::string& compat = "1.36") {
  Scenario scenario = Only(LoadSpec(
      "  cluster: {nodes: 2, controllers: [replicaset, deployment]}\n  steps:\n"
      "  - {create: {documents: all}}\n"
      "  - wait: {resource: deploy/web, where: status.availableReplicas == 2, timeout: 1m}\n" +
      steps + R"(---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {l: m}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{name: c, image: "nginx:1", ports: [{containerPort: 80}]}]
)"));
  scenario.compat = *api::ParseCompat(compat);
  Runner runner(scenario, RunnerOptions());
  runner.Run();
  const trace::Trace trace = runner.MakeTrace(trace::RenderOptions());
  std::vector<std::string> results;
  for (const trace::Record& e : trace.events)
    if (e.kind == sim::EventKind::kStep && e.Text("state") == "end")
      results.emplace_back(e.Text("result"));
  results.erase(results.begin(), results.begin() + 2);
  return results;
}

TEST(RolloutSteps, ARolloutForthAndBack) {
  for (const char* const compat : {"1.25", "1.30", "1.36"}) {
    const std::vector<std::string> told = RolloutResults(
        "  - setImage: {resource: deploy/web, images: {c: 'nginx:2'}}\n"
        "  - rollout: {resource: deploy/web}\n"
        "  - rollout: {resource: deploy/web, command: history}\n"
        "  - rollout: {resource: deploy/web, command: undo}\n"
        "  - rollout: {resource: deploy/web}\n"
        "  - rollout: {resource: deploy/web, command: undo, revision: 3}\n"
        "  - rollout: {resource: deploy/web, command: undo, revision: 9}\n",
        compat);
    ASSERT_EQ(told.size(), 7u) << compat;
    EXPECT_EQ(told[0], "deployment.apps/web image updated");
    EXPECT_TRUE(told[1].ends_with("deployment \"web\" successfully rolled out")) << told[1];
    EXPECT_NE(told[1].find("Waiting for deployment"), std::string::npos) << told[1];
    EXPECT_EQ(told[2],
              "deployment.apps/web \nREVISION  CHANGE-CAUSE\n1         <none>\n2         "
              "<none>\n");
    EXPECT_EQ(told[3], "deployment.apps/web rolled back");
    EXPECT_EQ(told[5],
              "deployment.apps/web skipped rollback (current template already matches revision 3)");
    EXPECT_EQ(told[6], "error: unable to find specified revision 9 in history");
  }
}

TEST(RolloutSteps, PauseResumeAndRestart) {
  EXPECT_THAT(RolloutResults("  - rollout: {resource: deploy/web, command: pause}\n"
                             "  - rollout: {resource: deploy/web, command: resume}\n"
                             "  - rollout: {resource: deploy/web, command: restart}\n"),
              ElementsAre("deployment.apps/web paused", "deployment.apps/web resumed",
                          "deployment.apps/web restarted"));
  EXPECT_THAT(RolloutResults("  - rollout: {resource: deploy/web, command: resume}\n"),
              ElementsAre("error: deployments.apps \"web\" is not paused"));
  EXPECT_THAT(RolloutResults("  - rollout: {resource: deploy/web, command: pause}\n"
                             "  - rollout: {resource: deploy/web, command: restart}\n"),
              ElementsAre("deployment.apps/web paused",
                          "error: deployments.apps \"web\" can't restart paused deployment (run "
                          "rollout resume first)"));
}

TEST(RolloutSteps, AnImageOfAContainerThatIsNotThere) {
  EXPECT_THAT(RolloutResults("  - setImage: {resource: deploy/web, images: {d: x}}\n"),
              ElementsAre("error: unable to find container named \"d\""));
}

TEST(RolloutSteps, ExposeAndAutoscale) {
  for (const char* const compat : {"1.25", "1.36"}) {
    EXPECT_THAT(
        RolloutResults("  - expose: {resource: deploy/web, name: front, targetPort: 8080}\n"
                       "  - autoscale: {resource: deploy/web, max: 5, cpuPercent: 50}\n",
                       compat),
        ElementsAre("service/front exposed", "horizontalpodautoscaler.autoscaling/web autoscaled"));
  }
}

TEST(RolloutSteps, ExposesAServiceWithTheProtocolsOfItsPorts) {
  const std::string dns =
      "  - create: {object: {apiVersion: v1, kind: Service, metadata: {name: dns}, spec: "
      "{selector: "
      "{a: b}, ports: [{name: u, port: 53, protocol: UDP}, {name: t, port: 53, protocol: "
      "TCP}]}}}\n";
  EXPECT_THAT(
      RolloutResults(dns + "  - expose: {resource: svc/dns, name: twin}\n"
                           "  - wait: {resource: svc/twin, where: 'spec.ports[1].name == "
                           "port-1-tcp', timeout: 1s}\n"),
      ElementsAre("service/dns created", "service/twin exposed", "service/twin condition met"));
  EXPECT_THAT(
      RolloutResults("  - create: {object: {apiVersion: v1, kind: Service, metadata: {name: "
                     "bare}, spec: {ports: [{port: 1}]}}}\n"
                     "  - expose: {resource: svc/bare, name: twin}\n"),
      ElementsAre("service/bare created",
                  "error: couldn't retrieve selectors via --selector flag or "
                  "introspection: the service has no pod selector set"));
}

TEST(RolloutSteps, WhatIsWrongIsTold) {
  const auto error = [](const std::string& step) {
    return Render(LoadSpec("  steps:\n  - " + step + "\n").errors, false);
  };
  EXPECT_NE(error("rollout: {resource: deploy/web, command: udno}")
                .find("unknown rollout command \"udno\""),
            std::string::npos);
  EXPECT_NE(error("rollout: {resource: sts/web, command: pause}").find("is not for a StatefulSet"),
            std::string::npos);
  EXPECT_NE(error("setImage: {resource: deploy/web}").find("must be a mapping of containers"),
            std::string::npos);
  EXPECT_NE(error("autoscale: {resource: deploy/web, min: 3, max: 2}").find("at least min"),
            std::string::npos);
}

}  // namespace
}  // namespace ksim::scenario
