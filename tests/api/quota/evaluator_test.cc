// The amounts that quotas count. Rows of upstream's pkg/quota/v1/evaluator/core
// TestPodEvaluatorUsage, TestPodConstraintsFunc, TestPodEvaluatorMatchingScopes,
// TestServiceEvaluatorUsage, TestPersistentVolumeClaimEvaluatorUsage.
#include "ksim/api/quota/evaluator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/api/fixture.h"

namespace ksim::api {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using value::Value;

std::string Usage(std::string_view kind, std::string_view yaml, Compat compat = Compat::k1_36,
                  std::int64_t now = 0) {
  return PrettyPrint(QuotaEvaluator(KindOf(kind), compat).Usage(Yaml(yaml), At(now)));
}

struct Row {
  const char *object, *usage;
};

// CTRL-QUOTA-06
TEST(QuotaEvaluator, UsageOfPods) {
  const Row rows[] = {
      {"{spec: {containers: [{}]}}", "count/pods=1,pods=1"},
      {"{spec: {initContainers: [{resources: {requests: {cpu: 1m}, limits: {cpu: 2m}}}]}}",
       "count/pods=1,cpu=1m,limits.cpu=2m,pods=1,requests.cpu=1m"},
      {"{spec: {containers: [{resources: {requests: {memory: 1m}, limits: {memory: 2m}}}]}}",
       "count/pods=1,limits.memory=2m,memory=1m,pods=1,requests.memory=1m"},
      {"{spec: {containers: [{resources: {requests: {hugepages-2Mi: 100m}}}]}}",
       "count/pods=1,hugepages-2Mi=100m,pods=1,requests.hugepages-2Mi=100m"},
      {"{spec: {containers: [{resources: {requests: {example.com/dongle: 3}, "
       "limits: {example.com/dongle: 3}}}]}}",
       "count/pods=1,pods=1,requests.example.com/dongle=3"},
      {"{spec: {containers: [{resources: {requests: {cpu: 10m}}}, {resources: {requests: {cpu: "
       "3m}}}], initContainers: [{resources: {requests: {cpu: 20m}}}, {resources: {requests: {cpu: "
       "5m, ephemeral-storage: 1Gi}}}], overhead: {cpu: 1m}}}",
       "count/pods=1,cpu=21m,ephemeral-storage=1Gi,pods=1,requests.cpu=21m,"
       "requests.ephemeral-storage=1Gi"},
      {"{spec: {containers: [{resources: {requests: {cpu: 1}}}]}, status: {phase: Succeeded}}",
       "count/pods=1"},
      {"{spec: {containers: [{resources: {requests: {cpu: 1}}}]}, status: {phase: Failed}}",
       "count/pods=1"},
  };
  for (const Row& row : rows) EXPECT_EQ(Usage("pods", row.object), row.usage) << row.object;
}

// CTRL-QUOTA-06
TEST(QuotaEvaluator, APodThatIsLongOverItsGraceIsNotCounted) {
  const char* pod =
      "{metadata: {deletionTimestamp: '2025-01-01T00:00:10Z', deletionGracePeriodSeconds: 30}}";
  EXPECT_EQ(Usage("pods", pod, Compat::k1_36, 40), "count/pods=1,pods=1");
  EXPECT_EQ(Usage("pods", pod, Compat::k1_36, 41), "count/pods=1");
}

// CTRL-QUOTA-06
TEST(QuotaEvaluator, ThePodsOwnResourcesCountInNewVersions) {
  const char* pod =
      "{spec: {resources: {requests: {cpu: 5}}, containers: [{resources: {requests: {cpu: 1}}}]}}";
  EXPECT_EQ(Usage("pods", pod, Compat::k1_30), "count/pods=1,cpu=1,pods=1,requests.cpu=1");
  EXPECT_EQ(Usage("pods", pod, Compat::k1_36), "count/pods=1,cpu=5,pods=1,requests.cpu=5");
  const QuotaEvaluator old(KindOf("pods"), Compat::k1_30), current(KindOf("pods"), Compat::k1_36);
  const Value quiet = Yaml("{spec: {resources: {requests: {cpu: 5}}, containers: [{name: c}]}}");
  EXPECT_EQ(old.Constraints({"cpu"}, quiet), "must specify cpu for: c");
  EXPECT_EQ(current.Constraints({"cpu"}, quiet), "");
}

// CTRL-QUOTA-07
TEST(QuotaEvaluator, UsageOfServices) {
  const Row rows[] = {
      {"{spec: {type: ClusterIP, ports: [{}]}}",
       "count/services=1,services=1,services.loadbalancers=0,services.nodeports=0"},
      {"{spec: {type: NodePort, ports: [{}, {}]}}",
       "count/services=1,services=1,services.loadbalancers=0,services.nodeports=2"},
      {"{spec: {type: LoadBalancer, ports: [{}, {}]}}",
       "count/services=1,services=1,services.loadbalancers=1,services.nodeports=2"},
      {"{spec: {type: LoadBalancer, allocateLoadBalancerNodePorts: false, ports: [{}, {nodePort: "
       "30000}]}}",
       "count/services=1,services=1,services.loadbalancers=1,services.nodeports=1"},
  };
  for (const Row& row : rows) EXPECT_EQ(Usage("services", row.object), row.usage) << row.object;
}

// CTRL-QUOTA-07
TEST(QuotaEvaluator, UsageOfClaims) {
  const Row rows[] = {
      {"{spec: {resources: {requests: {storage: 10Gi}}}}",
       "count/persistentvolumeclaims=1,persistentvolumeclaims=1,requests.storage=10Gi"},
      {"{spec: {resources: {requests: {storage: 1500m}}}}",
       "count/persistentvolumeclaims=1,persistentvolumeclaims=1,requests.storage=2"},
      {"{spec: {storageClassName: gold, resources: {requests: {storage: 10Gi}}}}",
       "count/persistentvolumeclaims=1,"
       "gold.storageclass.storage.k8s.io/persistentvolumeclaims=1,"
       "gold.storageclass.storage.k8s.io/requests.storage=10Gi,persistentvolumeclaims=1,"
       "requests.storage=10Gi"},
  };
  for (const Row& row : rows) EXPECT_EQ(Usage("pvc", row.object), row.usage) << row.object;
  const char* grown =
      "{spec: {resources: {requests: {storage: 1Gi}}}, status: {allocatedResources: {storage: "
      "2Gi}}}";
  EXPECT_TRUE(Usage("pvc", grown, Compat::k1_30).ends_with("requests.storage=1Gi"));
  EXPECT_TRUE(Usage("pvc", grown, Compat::k1_36).ends_with("requests.storage=2Gi"));
}

// CTRL-QUOTA-06
TEST(QuotaEvaluator, EachCountsItsOwnNames) {
  const std::vector<std::string> names = {"configmaps",
                                          "count/configmaps",
                                          "count/jobs.batch",
                                          "cpu",
                                          "hugepages-2Mi",
                                          "pods",
                                          "requests.example.com/gpu",
                                          "requests.storage",
                                          "services",
                                          "storage",
                                          "gold.storageclass.storage.k8s.io/requests.storage"};
  const auto matching = [&names](std::string_view kind) {
    return QuotaEvaluator(KindOf(kind), Compat::k1_36).Matching(names);
  };
  EXPECT_THAT(matching("configmaps"), ElementsAre("configmaps", "count/configmaps"));
  EXPECT_THAT(matching("jobs"), ElementsAre("count/jobs.batch"));
  EXPECT_THAT(matching("pods"),
              ElementsAre("cpu", "hugepages-2Mi", "pods", "requests.example.com/gpu"));
  EXPECT_THAT(matching("services"), ElementsAre("services"));
  EXPECT_THAT(matching("pvc"),
              ElementsAre("gold.storageclass.storage.k8s.io/requests.storage", "requests.storage"));
  EXPECT_THAT(matching("replicasets"), IsEmpty());
}

// CTRL-QUOTA-08
TEST(QuotaEvaluator, ScopesOfPods) {
  const QuotaEvaluator pods(KindOf("pods"), Compat::k1_36);
  const auto means = [&pods](std::string_view scopes, std::string_view pod) {
    return pods.InScopes(Yaml("{spec: {" + std::string(scopes) + "}}"), Yaml(pod));
  };
  const char* plain = "{spec: {containers: [{}]}}";
  const char* sized = "{spec: {containers: [{resources: {requests: {cpu: 1}}}]}}";
  const char* ending = "{spec: {activeDeadlineSeconds: 30, containers: [{}]}}";
  const char* high = "{spec: {priorityClassName: high, containers: [{}]}}";
  const char* across =
      "{spec: {affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
      "[{podAffinityTerm: {namespaces: [x]}}]}}}}";
  EXPECT_TRUE(means("", plain));
  EXPECT_TRUE(means("scopes: [BestEffort, NotTerminating]", plain));
  EXPECT_FALSE(means("scopes: [BestEffort]", sized));
  EXPECT_TRUE(means("scopes: [NotBestEffort]", sized));
  EXPECT_TRUE(means("scopes: [Terminating]", ending));
  EXPECT_FALSE(means("scopes: [NotTerminating]", ending));
  EXPECT_TRUE(means("scopes: [CrossNamespacePodAffinity]", across));
  EXPECT_FALSE(means("scopes: [CrossNamespacePodAffinity]", plain));
  const auto selector = [](std::string_view requirement) {
    return "scopeSelector: {matchExpressions: [{scopeName: PriorityClass, " +
           std::string(requirement) + "}]}";
  };
  EXPECT_TRUE(means(selector("operator: In, values: [high, low]"), high));
  EXPECT_FALSE(means(selector("operator: In, values: [low]"), high));
  EXPECT_TRUE(means(selector("operator: NotIn, values: [low]"), high));
  EXPECT_TRUE(means(selector("operator: NotIn, values: [low]"), plain));
  EXPECT_TRUE(means(selector("operator: Exists"), high));
  EXPECT_FALSE(means(selector("operator: Exists"), plain));
  EXPECT_TRUE(means(selector("operator: DoesNotExist"), plain));
  // Other objects are in no scope.
  EXPECT_FALSE(QuotaEvaluator(KindOf("services"), Compat::k1_36)
                   .InScopes(Yaml("{spec: {scopes: [BestEffort]}}"), Yaml("{}")));
}

// CTRL-QUOTA-03
TEST(QuotaEvaluator, WhatGivesSomethingBack) {
  const auto replenishes = [](std::string_view kind, std::string_view old, std::string_view updated,
                              Compat compat = Compat::k1_36) {
    return QuotaEvaluator(KindOf(kind), compat).Replenishes(Yaml(old), Yaml(updated), At(0));
  };
  EXPECT_TRUE(replenishes("pods", "{status: {phase: Running}}", "{status: {phase: Failed}}"));
  EXPECT_FALSE(replenishes("pods", "{status: {phase: Pending}}", "{status: {phase: Running}}"));
  EXPECT_FALSE(replenishes("pods", "{status: {phase: Failed}}", "{status: {phase: Failed}}"));
  EXPECT_TRUE(replenishes("services", "{spec: {type: NodePort}}", "{spec: {type: ClusterIP}}"));
  EXPECT_FALSE(replenishes("services", "{spec: {type: ClusterIP}}", "{spec: {}}"));
  EXPECT_FALSE(replenishes("configmaps", "{}", "{data: {a: b}}"));
  const char* deadline = "{spec: {activeDeadlineSeconds: 1}}";
  EXPECT_TRUE(replenishes("pods", "{}", deadline));
  EXPECT_FALSE(replenishes("pods", "{}", deadline, Compat::k1_30));
}

}  // namespace
}  // namespace ksim::api
