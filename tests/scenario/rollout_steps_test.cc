// The steps rollout, setImage, expose, autoscale and createJob send kubectl's requests and print
// its texts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ksim/scenario/runner.h"
#include "tests/scenario/from_text.h"

namespace ksim::scenario {
namespace {

using testing::ElementsAre;

// The results of the steps that follow the first rollout of a Deployment `web`.
std::vector<std::string> RolloutResults(const std::string& steps,
                                        const std::string& compat = "1.36",
                                        const std::string& controllers = "") {
  Scenario scenario = Only(LoadSpec(
      "  cluster: {nodes: 2, controllers: [replicaset, deployment" +
      (controllers.empty() ? "" : ", " + controllers) +
      "]}\n  steps:\n"
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

// A revision of a kind whose history is in ControllerRevisions, back and forth.
void ExpectHistory(const std::string& kind, const std::string& resource, const std::string& more,
                   const std::string& singular) {
  const std::string object =
      "{apiVersion: apps/v1, kind: " + kind + ", metadata: {name: db}, spec: {" + more +
      "selector: {matchLabels: {app: db}}, template: {metadata: {labels: {app: db}}, spec: "
      "{terminationGracePeriodSeconds: 1, containers: [{name: c, image: 'db:1'}]}}}}";
  const std::string rollout = "  - rollout: {resource: " + resource + "/db";
  for (const char* const compat : {"1.25", "1.30", "1.36"}) {
    SCOPED_TRACE(compat);
    const std::vector<std::string> told = RolloutResults(
        "  - create: {object: " + object + "}\n" + rollout + "}\n" + rollout +
            ", command: undo}\n  - setImage: {resource: " + resource +
            "/db, images: {c: 'db:2'}}\n" + rollout + "}\n" + rollout + ", command: history}\n" +
            rollout + ", command: history, revision: 1}\n" + rollout +
            ", command: history, revision: 7}\n" + rollout + ", command: undo}\n" + rollout +
            "}\n" + rollout + ", command: undo, revision: 3}\n" + rollout +
            ", command: undo, revision: 9}\n" + rollout + ", command: restart}\n",
        compat, "statefulset, daemonset");
    ASSERT_EQ(told.size(), 13u);
    EXPECT_EQ(told[2], "error: no last revision to roll back to");
    EXPECT_EQ(told[5], singular +
                           ".apps/db \nREVISION  CHANGE-CAUSE\n1         <none>\n2         "
                           "<none>\n");
    EXPECT_EQ(told[6], singular +
                           ".apps/db with revision #1\nPod Template:\n  Labels:  app=db\n  "
                           "Containers:\n   c:\n    Image:         db:1\n    Port:          "
                           "<none>\n    Host Port:     <none>\n    Environment:   <none>\n    "
                           "Mounts:        <none>\n  Volumes:         <none>\n  "
                           "Node-Selectors:  <none>\n  Tolerations:     <none>\n");
    EXPECT_EQ(told[7], "error: unable to find the specified revision");
    EXPECT_EQ(told[8], singular + ".apps/db rolled back");
    EXPECT_EQ(told[10], singular +
                            ".apps/db skipped rollback (current template already matches "
                            "revision 3)");
    EXPECT_EQ(told[11], "error: unable to find specified revision 9 in history");
    EXPECT_EQ(told[12], singular + ".apps/db restarted");
  }
}

TEST(RolloutSteps, HistoryOfAStatefulSet) {
  ExpectHistory("StatefulSet", "sts", "replicas: 2, serviceName: db, ", "statefulset");
}

TEST(RolloutSteps, HistoryOfADaemonSet) { ExpectHistory("DaemonSet", "ds", "", "daemonset"); }

TEST(RolloutSteps, OneRevisionOfADeployment) {
  const std::vector<std::string> told = RolloutResults(
      "  - annotate: {resource: deploy/web, set: {kubernetes.io/change-cause: first}}\n"
      "  - wait: {resource: rs, selector: app=web, where: "
      "'metadata.annotations.kubernetes\\.io/change-cause == first', timeout: 5s}\n"
      "  - rollout: {resource: deploy/web, command: history, revision: 1}\n");
  ASSERT_EQ(told.size(), 3u);
  EXPECT_TRUE(told[2].starts_with("deployment.apps/web with revision #1\nPod Template:\n  Labels:"))
      << told[2];
  EXPECT_NE(told[2].find("pod-template-hash="), std::string::npos) << told[2];
  EXPECT_NE(told[2].find("Annotations:  kubernetes.io/change-cause: first\n"), std::string::npos)
      << told[2];
}

TEST(RolloutSteps, AJobOfACronJobsTemplate) {
  const std::string cron_job =
      "  - create: {object: {apiVersion: batch/v1, kind: CronJob, metadata: {name: report}, spec: "
      "{schedule: '0 0 1 1 *', jobTemplate: {metadata: {labels: {a: b}, annotations: {c: d}}, "
      "spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}}}}}\n";
  const std::string now = "  - createJob: {resource: cj/report, name: now}\n";
  for (const char* const compat : {"1.25", "1.30", "1.36"}) {
    EXPECT_THAT(
        RolloutResults(cron_job + now + now +
                           "  - createJob: {resource: cj/other, name: now}\n"
                           "  - wait: {resource: jobs/now, where: 'metadata.labels.a == b && "
                           "metadata.annotations.c == d && "
                           "metadata.ownerReferences[0].controller == true && "
                           "metadata.annotations.cronjob\\.kubernetes\\.io/instantiate == manual', "
                           "timeout: 1s}\n",
                       compat),
        ElementsAre("cronjob.batch/report created", "job.batch/now created",
                    "error: failed to create job: jobs.batch \"now\" already exists",
                    "Error from server (NotFound): cronjobs.batch \"other\" not found",
                    "job.batch/now condition met"));
  }
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
