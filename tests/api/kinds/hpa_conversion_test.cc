// A HorizontalPodAutoscaler between autoscaling/v1 and v2: rows of both forms. The texts of the
// annotations are those of encoding/json over the structs of pkg/apis/autoscaling/v1/conversion.go.
#include "ksim/api/kinds/autoscaling/hpa_conversion.h"

#include <gtest/gtest.h>

#include <string>

#include "ksim/value/json.h"
#include "tests/api/fixture.h"

namespace ksim::api {
namespace {

std::string V1(std::string_view spec, std::string_view annotations = "",
               std::string_view status = "") {
  std::string out =
      "{apiVersion: autoscaling/v1, kind: HorizontalPodAutoscaler, metadata: {name: a";
  if (!annotations.empty()) out.append(", annotations: {").append(annotations).append("}");
  out.append("}, spec: {maxReplicas: 3").append(spec).append("}");
  if (!status.empty()) out.append(", status: {").append(status).append("}");
  return out + "}";
}

std::string V2(std::string_view spec, std::string_view status = "") {
  std::string out =
      "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: a, "
      "annotations: "
      "{}}, spec: {maxReplicas: 3, ";
  out.append(spec).append("}");
  if (!status.empty()) out.append(", status: {").append(status).append("}");
  return out + "}";
}

const char* const kCpu =
    "{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}";

struct BothVersions {
  std::string v1, v2;
};

const BothVersions kBothVersions[] = {
    {V1(", targetCPUUtilizationPercentage: 50"), V2(std::string("metrics: [") + kCpu + "]")},
    // The first utilization of the CPU is a field, all else goes into the annotation.
    {V1(", targetCPUUtilizationPercentage: 50",
        "autoscaling.alpha.kubernetes.io/metrics: "
        R"('[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"1Gi"}},)"
        R"({"type":"Pods","pods":{"metricName":"m","targetAverageValue":"5",)"
        R"("selector":{"matchLabels":{"a":"b"}}}},)"
        R"({"type":"Object","object":{"target":{"kind":"Service","name":"s","apiVersion":"v1"},)"
        R"("metricName":"m","targetValue":"7"}},)"
        R"({"type":"External","external":{"metricName":"q","metricSelector":{},)"
        R"("targetAverageValue":"2"}},)"
        R"({"type":"ContainerResource","containerResource":{"name":"cpu",)"
        R"("targetAverageUtilization":9,"container":"c"}}]')"),
     V2("metrics: [{type: Resource, resource: {name: memory, target: {type: AverageValue, "
        "averageValue: 1Gi}}}, "
        "{type: Pods, pods: {metric: {name: m, selector: {matchLabels: {a: b}}}, target: {type: "
        "AverageValue, averageValue: '5'}}}, "
        "{type: Object, object: {describedObject: {apiVersion: v1, kind: Service, name: s}, "
        "metric: "
        "{name: m}, target: {type: Value, value: '7'}}}, "
        "{type: External, external: {metric: {name: q, selector: {}}, target: {type: AverageValue, "
        "averageValue: '2'}}}, "
        "{type: ContainerResource, containerResource: {name: cpu, container: c, target: {type: "
        "Utilization, averageUtilization: 9}}}, " +
        std::string(kCpu) + "]")},
    {V1(", targetCPUUtilizationPercentage: 50",
        "autoscaling.alpha.kubernetes.io/behavior: "
        R"('{"ScaleUp":{"StabilizationWindowSeconds":0,"SelectPolicy":"Max","Policies":)"
        R"([{"Type":"Pods","Value":4,"PeriodSeconds":15}],"Tolerance":null},"ScaleDown":null}')"),
     V2(std::string("metrics: [") + kCpu +
        "], behavior: {scaleUp: {stabilizationWindowSeconds: 0, selectPolicy: Max, policies: "
        "[{type: Pods, value: 4, periodSeconds: 15}]}}")},
    {V1(", targetCPUUtilizationPercentage: 50",
        "autoscaling.alpha.kubernetes.io/conditions: "
        R"('[{"type":"AbleToScale","status":"True","lastTransitionTime":null,"reason":"R",)"
        R"("message":"M"}]',)"
        " autoscaling.alpha.kubernetes.io/current-metrics: "
        R"('[{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":20,)"
        R"("currentAverageValue":"10m"}}]')",
        "currentReplicas: 2, desiredReplicas: 3, currentCPUUtilizationPercentage: 20"),
     V2(std::string("metrics: [") + kCpu + "]",
        "currentReplicas: 2, desiredReplicas: 3, currentMetrics: [{type: Resource, resource: "
        "{name: "
        "cpu, current: {averageUtilization: 20, averageValue: 10m}}}], conditions: [{type: "
        "AbleToScale, status: 'True', lastTransitionTime: null, reason: R, message: M}]")},
};

value::Value WithoutEmptyAnnotations(value::Value tree) {
  static const value::Path kAnnotations{"metadata", "annotations"};
  return tree.Get(kAnnotations).empty() ? tree.Erase(kAnnotations) : tree;
}

// API-174
TEST(HpaConversion, LosesNothingEitherWay) {
  for (const BothVersions& row : kBothVersions) {
    const value::Value v1 = Yaml(row.v1), v2 = Yaml(row.v2);
    EXPECT_EQ(value::ToJson(WithoutEmptyAnnotations(HpaToV2(v1))),
              value::ToJson(WithoutEmptyAnnotations(v2)));
    EXPECT_EQ(value::ToJson(WithoutEmptyAnnotations(HpaToV1(v2))),
              value::ToJson(WithoutEmptyAnnotations(v1)));
  }
}

// API-174
TEST(HpaConversion, V1WithoutMetricsHasThe80PercentThatV2Says) {
  const value::Value v2 = HpaToV2(Yaml(V1("")));
  EXPECT_EQ(
      JsonAt(v2, "spec.metrics"),
      R"([{"resource":{"name":"cpu","target":{"averageUtilization":80,"type":"Utilization"}},)"
      R"("type":"Resource"}])");
  EXPECT_EQ(JsonAt(HpaToV1(v2), "spec.targetCPUUtilizationPercentage"), "80");
}

// API-174
TEST(HpaConversion, WhatCannotBeReadIsDropped) {
  const value::Value v2 = HpaToV2(Yaml(
      V1(", targetCPUUtilizationPercentage: 50", "autoscaling.alpha.kubernetes.io/metrics: '[{'")));
  EXPECT_EQ(At(v2, "spec.metrics").size(), 1u);
  EXPECT_EQ(JsonAt(v2, "metadata.annotations"), "{}");
  // Beside an average v1 must have a value, which counts for nothing if it is 0.
  const value::Value object =
      HpaToV2(Yaml(V1("",
                      "autoscaling.alpha.kubernetes.io/metrics: "
                      R"('[{"type":"Object","object":{"target":{"kind":"S","name":"s"},)"
                      R"("metricName":"m","targetValue":"0","averageValue":"4"}}]')")));
  EXPECT_EQ(JsonAt(object, "spec.metrics[0].object.target"),
            R"({"averageValue":"4","type":"AverageValue"})");
}

}  // namespace
}  // namespace ksim::api
