// Validation and defaults of ResourceQuotas and LimitRanges. Rows of upstream's
// pkg/apis/core/validation TestValidateResourceQuota, TestValidateLimitRangeForLocalStorage,
// pkg/apis/core/v1 TestSetDefaultLimitRangeItem.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/api/rules/validation_fixture.h"

namespace ksim::api {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string Quota(std::string_view spec) {
  return "{metadata: {name: q, namespace: n}, spec: {" + std::string(spec) + "}}";
}
std::string Range(std::string_view item) {
  return "{metadata: {name: l, namespace: n}, spec: {limits: [{" + std::string(item) + "}]}}";
}

struct Row {
  std::string object;
  std::vector<std::string> errors;
};

// API-226
TEST(QuotaKinds, QuotasThatAreRefused) {
  const Row rows[] = {
      {Quota("hard: {cpu: 100, memory: 10000, requests.cpu: 100, requests.memory: 10000, "
             "limits.cpu: 100, limits.memory: 10000, pods: 10, services: 0, "
             "replicationcontrollers: 10, resourcequotas: 10, configmaps: 10, secrets: 10, "
             "requests.storage: 1Gi, services.nodeports: 1, hugepages-2Mi: 2Mi, "
             "requests.example.com/gpu: 1, count/jobs.batch: 3, "
             "gold.storageclass.storage.k8s.io/requests.storage: 1Gi}"),
       {}},
      {Quota("hard: {pods: 3, cpu: 1}, scopes: [Terminating, NotBestEffort]"), {}},
      {Quota("hard: {cpu: -100}"),
       {"spec.hard[cpu]: Invalid value: \"-100\": must be greater than or equal to 0"}},
      {Quota("hard: {pods: .5}"), {"spec.hard[pods]: Invalid value: \"500m\": must be an integer"}},
      {Quota("hard: {secrets: 1500m}"),
       {"spec.hard[secrets]: Invalid value: \"1500m\": must be an integer"}},
      {Quota("hard: {storage: 10}"),
       {"spec.hard[storage]: Invalid value: \"storage\": must be a standard resource for quota"}},
      {Quota("hard: {bananas: 10}"),
       {"spec.hard[bananas]: Invalid value: \"bananas\": must be a standard resource type or fully "
        "qualified",
        "spec.hard[bananas]: Invalid value: \"bananas\": must be a standard resource for quota"}},
      {Quota("hard: {pods: 1}, scopes: [BestEffort, NotBestEffort]"),
       {"spec.scopes: Invalid value: [\"BestEffort\",\"NotBestEffort\"]: conflicting scopes"}},
      {Quota("hard: {cpu: 1}, scopes: [BestEffort]"),
       {"spec.scopes: Invalid value: [\"BestEffort\"]: unsupported scope applied to resource"}},
      {Quota("hard: {pods: 1}, scopes: [foo]"),
       {"spec.scopes: Invalid value: [\"foo\"]: unsupported scope"}},
      {Quota("hard: {pods: 1}, scopeSelector: {matchExpressions: [{scopeName: PriorityClass, "
             "operator: In, values: [high]}]}"),
       {}},
      {Quota("hard: {pods: 1}, scopeSelector: {matchExpressions: [{scopeName: PriorityClass, "
             "operator: In}]}"),
       {"spec.scopeSelector.matchExpressions.values: Required value: must be at least one value "
        "when `operator` is 'In' or 'NotIn' for scope selector"}},
      {Quota("hard: {pods: 1}, scopeSelector: {matchExpressions: [{scopeName: BestEffort, "
             "operator: In, values: [x]}]}"),
       {"spec.scopeSelector.matchExpressions.operator: Invalid value: \"In\": must be 'Exists' "
        "when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, "
        "ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or "
        "ResourceQuotaScopeCrossNamespacePodAffinity"}},
  };
  for (const Row& row : rows)
    EXPECT_EQ(CreateErrors("quota", row.object), row.errors) << row.object;
}

// API-226
TEST(QuotaKinds, ScopesStayAndTheStatusIsLookedAt) {
  const value::Value quota = Prepared("quota", Quota("hard: {pods: 1}, scopes: [BestEffort]"));
  EXPECT_THAT(UpdateErrors("quota", With(quota, "spec.scopes", Yaml("[Terminating]")), quota),
              ElementsAre("spec.scopes: Invalid value: [\"Terminating\"]: field is immutable"));
  EXPECT_THAT(UpdateErrors("quota", With(quota, "spec.hard", Yaml("{pods: 2}")), quota), IsEmpty());
  const value::Value counted = With(quota, "status", Yaml("{hard: {pods: 1}, used: {pods: -1}}"));
  EXPECT_THAT(UpdateErrors("quota", counted, quota, "status"),
              ElementsAre("status.used[pods]: Invalid value: \"-1\": must be greater than or equal "
                          "to 0"));
}

// API-225
TEST(QuotaKinds, LimitRangesThatAreRefused) {
  const Row rows[] = {
      {Range("type: Container, max: {cpu: 2}, min: {cpu: 100m}, maxLimitRequestRatio: {cpu: 10}"),
       {}},
      {Range("type: Pod, max: {cpu: 1}, default: {cpu: 1}, defaultRequest: {cpu: 1}"),
       {"spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'",
        "spec.limits[0].defaultRequest: Forbidden: may not be specified when `type` is 'Pod'"}},
      {Range("type: Nope"),
       {"spec.limits[0].type: Invalid value: \"Nope\": must be a standard limit type or fully "
        "qualified"}},
      {Range("type: Pod, min: {cpu: 2}, max: {cpu: 1}"),
       {"spec.limits[0].min[cpu]: Invalid value: \"2\": min value 2 is greater than max value 1"}},
      {Range("type: Container, min: {cpu: 2}, max: {cpu: 5}, defaultRequest: {cpu: 1}"),
       {"spec.limits[0].defaultRequest[cpu]: Invalid value: \"1\": min value 2 is greater than "
        "default request value 1"}},
      {Range("type: Container, max: {cpu: 1}, default: {cpu: 2}"),
       {"spec.limits[0].defaultRequest[cpu]: Invalid value: \"2\": default request value 2 is "
        "greater than max value 1",
        "spec.limits[0].default[cpu]: Invalid value: \"1\": default value 2 is greater than max "
        "value 1"}},
      {Range("type: Pod, maxLimitRequestRatio: {cpu: 800m}"),
       {"spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: \"800m\": ratio 800m is less "
        "than 1"}},
      {Range("type: Pod, min: {cpu: 1}, max: {cpu: 2}, maxLimitRequestRatio: {cpu: 3}"),
       {"spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: \"3\": ratio 3 is greater than "
        "max/min = 2.000000"}},
      {Range("type: PersistentVolumeClaim"),
       {"spec.limits[0].limits: Required value: either minimum or maximum storage value is "
        "required, but neither was provided"}},
      {Range("type: Container, max: {storage: 1}"),
       {"spec.limits[0].max[storage]: Invalid value: \"storage\": must be a standard resource for "
        "containers",
        "spec.limits[0].default[storage]: Invalid value: \"storage\": must be a standard resource "
        "for containers",
        "spec.limits[0].defaultRequest[storage]: Invalid value: \"storage\": must be a standard "
        "resource for containers"}},
      {Range("type: Pod}, {type: Pod"), {"spec.limits[1].type: Duplicate value: \"Pod\""}},
      {Range(
           "type: Container, default: {example.com/gpu: 2}, defaultRequest: {example.com/gpu: 1}"),
       {"spec.limits[0].defaultRequest[example.com/gpu]: Invalid value: \"1\": default value 2 "
        "must "
        "equal to defaultRequest value 1 in example.com/gpu"}},
  };
  for (const Row& row : rows)
    EXPECT_EQ(CreateErrors("limits", row.object), row.errors) << row.object;
}

// API-225
TEST(QuotaKinds, DefaultsOfContainers) {
  const value::Value range =
      Prepared("limits", Range("type: Container, max: {cpu: 100m}, min: {cpu: 50m, memory: 5Mi}, "
                               "default: {memory: 10Mi}"));
  EXPECT_EQ(JsonAt(range, "spec.limits[0].default"), R"({"cpu":"100m","memory":"10Mi"})");
  EXPECT_EQ(JsonAt(range, "spec.limits[0].defaultRequest"), R"({"cpu":"100m","memory":"10Mi"})");
  const value::Value least = Prepared("limits", Range("type: Container, min: {cpu: 50m}"));
  EXPECT_EQ(JsonAt(least, "spec.limits[0].defaultRequest"), R"({"cpu":"50m"})");
  EXPECT_EQ(JsonAt(least, "spec.limits[0].default"), "null");
  const value::Value pod = Prepared("limits", Range("type: Pod, max: {cpu: 100m}"));
  EXPECT_EQ(JsonAt(pod, "spec.limits[0].default"), "null");
}

}  // namespace
}  // namespace ksim::api
