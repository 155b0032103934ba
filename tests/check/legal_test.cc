// The oracles stay silent over runs that are legal.
#include <gtest/gtest.h>

#include "ksim/value/json.h"
#include "recorded.h"

namespace ksim::check {
namespace {

TEST(Legal, RealRunsAreSilentLiveAndRecorded) {
  for (const char* compat : {"1.25", "1.30", "1.36"}) {
    for (const char* name : {"replicaset", "delete-pod"}) {
      const Trace trace = Recorded(name, compat);
      EXPECT_EQ(trace.end->violations.size(), 0u) << name << " " << compat;
      EXPECT_EQ(Messages(trace), "") << name << " " << compat;
      // The same oracles had events to judge.
      const auto checker = CheckTrace(trace, {"*"});
      ASSERT_TRUE(checker.ok());
      std::vector<std::string> live = trace.end->judged;
      live.erase(std::remove_if(live.begin(), live.end(),
                                [](const auto& n) { return n == "limit" || n == "expect"; }),
                 live.end());
      EXPECT_EQ((*checker)->judged(), live) << name << " " << compat;
    }
  }
}

// esr and sched.fits stay silent about a pod that cannot be scheduled, start or become available
// yet, and about its owner's status.
TEST(Legal, PodsThatCannotProgressAreLegal) {
  struct Case {
    const char *what, *set, *pod, *shows;
  };
  const Case cases[] = {
      {"an image that is not there", "", "imagePullPolicy: Never}]", "ErrImageNeverPull"},
      {"more than any node has", "",
       "resources: {requests: {nvidia.com/gpu: 1}, limits: "
       "{nvidia.com/gpu: 1}}}]",
       "Insufficient nvidia.com/gpu"},
      {"an init container that fails", "", "}], initContainers: [{name: i, image: nginx}]",
       "CrashLoopBackOff"},
      {"long to be available", "minReadySeconds: 40, ", "}]", "readyReplicas"},
  };
  for (const Case& c : cases) {
    const std::string yaml = std::string(R"(
apiVersion: ksim.dev/v1
kind: Scenario
metadata: {name: held}
spec:
  cluster: {nodes: 1}
  steps:
  - {at: 0s, create: {documents: all}}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web, namespace: default}
spec: {)") + c.set + R"(replicas: 1, selector: {matchLabels: {app: web}}, template: {
  metadata: {labels: {app: web}, annotations: {exit.ksim.dev/i: "1 after 1s"}},
  spec: {containers: [{name: c, image: nginx, )" +
                             c.pod + R"(}}}
)";
    for (const char* compat : {"1.25", "1.30", "1.36"}) {
      const Trace trace = RunOf(yaml, compat);
      const bool shown =
          Find(trace, [&](const Record& r) {
            return value::ToJson(r.Get("changed")).find(c.shows) != std::string::npos ||
                   r.Text("reason") == c.shows;
          }) < trace.events.size();
      EXPECT_TRUE(shown) << c.what << ", " << compat << ": it did not happen";
      EXPECT_EQ(Messages(trace), "") << c.what << ", " << compat;
      ASSERT_TRUE(trace.end.has_value());
      const std::vector<std::string>& judged = trace.end->judged;
      EXPECT_NE(std::find(judged.begin(), judged.end(), "esr"), judged.end()) << c.what;
    }
  }
}

// A namespace has no room: the run is quiet when the controller tries again after five minutes or
// more, and esr asks nothing more of it; a limit of the run is not what ends it.
TEST(Legal, PodsThatAreRefusedForLongAreLegal) {
  const std::pair<const char*, const char*> kinds[] = {
      {"ReplicaSet", "replicas: 2, "},
      {"StatefulSet", "replicas: 2, serviceName: web, podManagementPolicy: Parallel, "},
      {"DaemonSet", ""}};
  for (const auto& [kind, more] : kinds) {
    const std::string yaml = std::string(R"(
apiVersion: ksim.dev/v1
kind: Scenario
metadata: {name: full}
spec:
  cluster: {nodes: 2, controllers: [replicaset, statefulset, daemonset, resourcequota]}
  steps:
  - {at: 0s, create: {document: ResourceQuota/small}}
  - {at: 5s, create: {document: )") +
                             kind + R"(/web}}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: small}
spec: {hard: {pods: "1"}}
---
apiVersion: apps/v1
kind: )" + kind + R"(
metadata: {name: web, namespace: default}
spec: {)" + more + R"(selector: {matchLabels: {app: web}}, template: {
  metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: nginx}]}}}
)";
    const Trace trace = RunOf(yaml, "1.30");
    EXPECT_EQ(Messages(trace), "") << kind;
    ASSERT_TRUE(trace.end.has_value());
    const std::vector<std::string>& judged = trace.end->judged;
    EXPECT_NE(std::find(judged.begin(), judged.end(), "esr"), judged.end()) << kind;
    EXPECT_EQ(trace.end->violations.size(), 0u) << kind;
  }
}

}  // namespace
}  // namespace ksim::check
