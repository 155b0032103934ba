// kubectl rollout status. Rows are those of upstream's rollout_status_test.go, texts of v1.36.3.
#include "ksim/kubectl/verbs/rollout_status.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ksim/value/json.h"

namespace ksim::kubectl {
namespace {

api::Object Parse(const std::string& json) {
  return api::Object::FromTree(*value::ParseJson(json));
}

TEST(RolloutStatus, OfADeployment) {
  struct Row {
    int generation, wanted;
    const char* status;
    const char* text;
    bool done;
  };
  const std::string waiting = "Waiting for deployment \"foo\" rollout to finish: ";
  for (const Row& row :
       std::vector<Row>{{0, 1, R"({"observedGeneration":1,"replicas":1,"unavailableReplicas":1})",
                         "0 out of 1 new replicas have been updated...", false},
                        {1, 1, R"({"observedGeneration":1,"replicas":2,"updatedReplicas":1,
             "availableReplicas":2})",
                         "1 old replicas are pending termination...", false},
                        {1, 2, R"({"observedGeneration":1,"replicas":2,"updatedReplicas":2,
             "availableReplicas":1})",
                         "1 of 2 updated replicas are available...", false},
                        {1, 2, R"({"observedGeneration":1,"replicas":2,"updatedReplicas":2,
             "availableReplicas":2})",
                         "deployment \"foo\" successfully rolled out", true},
                        {2, 2, R"({"observedGeneration":1,"replicas":2,"updatedReplicas":2,
             "availableReplicas":2})",
                         "Waiting for deployment spec update to be observed...", false}}) {
    const RolloutState state = RolloutStateOf(
        Parse(fmt::format(R"({{"kind":"Deployment","metadata":{{"name":"foo","generation":{}}},
                            "spec":{{"replicas":{}}},"status":{}}})",
                          row.generation, row.wanted, row.status)),
        0);
    const bool whole = row.done || std::string_view(row.text).starts_with("Waiting");
    EXPECT_EQ(state.text, (whole ? "" : waiting) + row.text);
    EXPECT_EQ(state.done, row.done);
    EXPECT_EQ(state.error, "");
  }
}

TEST(RolloutStatus, OfADeploymentThatFailed) {
  const api::Object stuck = Parse(
      R"({"kind":"Deployment","metadata":{"name":"foo","annotations":{
         "deployment.kubernetes.io/revision":"3"}},"spec":{"replicas":1},"status":{"conditions":[
         {"type":"Progressing","status":"False","reason":"ProgressDeadlineExceeded"}]}})");
  EXPECT_EQ(RolloutStateOf(stuck, 0).error, "deployment \"foo\" exceeded its progress deadline");
  EXPECT_EQ(RolloutStateOf(stuck, 2).error,
            "desired revision (2) is different from the running revision (3)");
}

TEST(RolloutStatus, OfADaemonSet) {
  const auto of = [](const char* status, int generation = 1) {
    return RolloutStateOf(
        Parse(fmt::format(R"({{"kind":"DaemonSet","metadata":{{"name":"bar","generation":{}}},
                            "spec":{{"updateStrategy":{{"type":"RollingUpdate"}}}},"status":{}}})",
                          generation, status)),
        0);
  };
  EXPECT_EQ(of(R"({"observedGeneration":1,"updatedNumberScheduled":0,
                   "desiredNumberScheduled":2})")
                .text,
            "Waiting for daemon set \"bar\" rollout to finish: 0 out of 2 new pods have been "
            "updated...");
  EXPECT_EQ(of(R"({"observedGeneration":1,"updatedNumberScheduled":2,
                   "desiredNumberScheduled":2,"numberAvailable":1})")
                .text,
            "Waiting for daemon set \"bar\" rollout to finish: 1 of 2 updated pods are "
            "available...");
  EXPECT_TRUE(of(R"({"observedGeneration":1,"updatedNumberScheduled":2,
                     "desiredNumberScheduled":2,"numberAvailable":2})")
                  .done);
  EXPECT_EQ(of("{}", 2).text, "Waiting for daemon set spec update to be observed...");
  EXPECT_EQ(RolloutStateOf(Parse(R"({"kind":"DaemonSet","spec":{"updateStrategy":{
                                   "type":"OnDelete"}}})"),
                           0)
                .error,
            "rollout status is only available for RollingUpdate strategy type");
}

TEST(RolloutStatus, OfAStatefulSet) {
  const auto of = [](const char* rolling, const char* status) {
    return RolloutStateOf(
        Parse(fmt::format(R"({{"kind":"StatefulSet","metadata":{{"name":"s","generation":1}},
                            "spec":{{"replicas":3,"updateStrategy":{{"type":"RollingUpdate"{}}}}},
                            "status":{}}})",
                          rolling, status)),
        0);
  };
  EXPECT_EQ(of("", "{}").text, "Waiting for statefulset spec update to be observed...");
  EXPECT_EQ(of("", R"({"observedGeneration":2,"readyReplicas":1})").text,
            "Waiting for 2 pods to be ready...");
  const char* const partition = R"(,"rollingUpdate":{"partition":1})";
  EXPECT_EQ(of(partition, R"({"observedGeneration":2,"readyReplicas":3,
                              "updatedReplicas":1})")
                .text,
            "Waiting for partitioned roll out to finish: 1 out of 2 new pods have been updated...");
  EXPECT_EQ(of(partition, R"({"observedGeneration":2,"readyReplicas":3,
                              "updatedReplicas":2})")
                .text,
            "partitioned roll out complete: 2 new pods have been updated...");
  EXPECT_EQ(of("", R"({"observedGeneration":2,"readyReplicas":3,"updatedReplicas":1,
                       "updateRevision":"b","currentRevision":"a"})")
                .text,
            "waiting for statefulset rolling update to complete 1 pods at revision b...");
  EXPECT_EQ(of("", R"({"observedGeneration":2,"readyReplicas":3,"currentReplicas":3,
                       "updateRevision":"b","currentRevision":"b"})")
                .text,
            "statefulset rolling update complete 3 pods at revision b...");
}

}  // namespace
}  // namespace ksim::kubectl
