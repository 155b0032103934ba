// The kind HorizontalPodAutoscaler of autoscaling/v2 and v1. Objects of both are stored as v2; what
// is looked at and printed of v1 is what it is in v2.
//
// Source: pkg/registry/autoscaling/horizontalpodautoscaler/strategy.go; pkg/apis/autoscaling.
#include <string>
#include <vector>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/api/kinds/autoscaling/hpa_conversion.h"
#include "ksim/api/kinds/autoscaling/hpa_spec.h"
#include "ksim/api/kinds/shared/pod_template.h"
#include "ksim/api/object.h"
#include "ksim/api/schema/shared_patch_schemas.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::string_view kHpaTypes = R"(
HorizontalPodAutoscaler: apiVersion=string kind=string metadata=ObjectMeta
   spec=HorizontalPodAutoscalerSpec status=HorizontalPodAutoscalerStatus
HorizontalPodAutoscalerSpec: behavior=*HorizontalPodAutoscalerBehavior maxReplicas!=int32
   metrics=[]MetricSpec minReplicas=*int32 scaleTargetRef!=CrossVersionObjectReference
HorizontalPodAutoscalerStatus: conditions=[]HorizontalPodAutoscalerCondition
   currentMetrics!=[]MetricStatus currentReplicas=int32 desiredReplicas!=int32 lastScaleTime=*Time
   observedGeneration=*int64
HorizontalPodAutoscalerCondition: lastTransitionTime=Time message=string reason=string
   status!=s:ConditionStatus type!=s:HorizontalPodAutoscalerConditionType
HorizontalPodAutoscalerBehavior: scaleDown=*HPAScalingRules scaleUp=*HPAScalingRules
HPAScalingRules: policies=[]HPAScalingPolicy selectPolicy=*s:ScalingPolicySelect
   stabilizationWindowSeconds=*int32 tolerance=*Quantity
HPAScalingPolicy: periodSeconds!=int32 type!=s:HPAScalingPolicyType value!=int32
CrossVersionObjectReference: apiVersion=string kind!=string name!=string
MetricSpec: containerResource=*ContainerResourceMetricSource external=*ExternalMetricSource
   object=*ObjectMetricSource pods=*PodsMetricSource resource=*ResourceMetricSource
   type!=s:MetricSourceType
ContainerResourceMetricSource: container!=string name!=s:ResourceName target!=MetricTarget
ExternalMetricSource: metric!=MetricIdentifier target!=MetricTarget
ObjectMetricSource: describedObject!=CrossVersionObjectReference metric!=MetricIdentifier
   target!=MetricTarget
PodsMetricSource: metric!=MetricIdentifier target!=MetricTarget
ResourceMetricSource: name!=s:ResourceName target!=MetricTarget
MetricIdentifier: name!=string selector=*LabelSelector
MetricTarget: averageUtilization=*int32 averageValue=*Quantity type!=s:MetricTargetType
   value=*Quantity
MetricStatus: containerResource=*ContainerResourceMetricStatus external=*ExternalMetricStatus
   object=*ObjectMetricStatus pods=*PodsMetricStatus resource=*ResourceMetricStatus
   type!=s:MetricSourceType
ContainerResourceMetricStatus: container!=string current!=MetricValueStatus name!=s:ResourceName
ExternalMetricStatus: current!=MetricValueStatus metric!=MetricIdentifier
ObjectMetricStatus: current!=MetricValueStatus describedObject!=CrossVersionObjectReference
   metric!=MetricIdentifier
PodsMetricStatus: current!=MetricValueStatus metric!=MetricIdentifier
ResourceMetricStatus: current!=MetricValueStatus name!=s:ResourceName
MetricValueStatus: averageUtilization=*int32 averageValue=*Quantity value=*Quantity
)";

constexpr std::string_view kHpaV1Types = R"(
autoscaling1.HorizontalPodAutoscaler: apiVersion=string kind=string metadata=ObjectMeta
   spec=autoscaling1.HorizontalPodAutoscalerSpec status=autoscaling1.HorizontalPodAutoscalerStatus
autoscaling1.HorizontalPodAutoscalerSpec: maxReplicas!=int32 minReplicas=*int32
   scaleTargetRef!=CrossVersionObjectReference targetCPUUtilizationPercentage=*int32
autoscaling1.HorizontalPodAutoscalerStatus: currentCPUUtilizationPercentage=*int32
   currentReplicas!=int32 desiredReplicas!=int32 lastScaleTime=*Time observedGeneration=*int64
)";

Value InitialHpaStatus(const Value&, Compat) {
  return value::Obj({{"currentMetrics", Value()}, {"desiredReplicas", Value::Of(0)}});
}

// Go writes a list that is nil as null.
Value PrepareHpaStatusUpdate(const Value&, Value updated, Compat) {
  const Value& status = updated.Get(Fields().status);
  if (!status.is_object() || status.Has("currentMetrics")) return updated;
  return updated.Set(Fields().status, status.Set("currentMetrics", Value()));
}

// --- v1 -----------------------------------------------------------------------------------------

Value DefaultHpaV1(const Value& tree, Compat) {
  return EditSpec(tree, [](const Value& spec) {
    return WithDefault(spec, Fields().min_replicas, Value::Of(1));
  });
}

Value InitialHpaV1Status(const Value&, Compat) {
  return value::Obj({{"currentReplicas", Value::Of(0)}, {"desiredReplicas", Value::Of(0)}});
}

// The server works on what the annotations and the fields of v1 say together. What they say of the
// status is the main endpoint's no more than the status itself, and the spec not that of /status.
Value WithStatusOf(const Value& v2, const Value& other) {
  return HpaToV1(SetOrErase(v2, Fields().status, other.Get(Fields().status)));
}

Value PrepareNewHpaV1(Value tree, Compat compat) {
  const Value v2 = HpaToV2(tree);
  return HpaToV1(v2.Set(Fields().status, InitialHpaStatus(v2, compat)));
}

Value PrepareHpaV1Update(const Value& old, Value updated, Compat) {
  return WithStatusOf(HpaToV2(updated), HpaToV2(old));
}

Value PrepareHpaV1StatusUpdate(const Value& old, Value updated, Compat) {
  return HpaToV1(HpaToV2(updated).Set(Fields().spec, HpaToV2(old).Get(Fields().spec)));
}

void ValidateHpaV1(const Value& tree, FieldErrorList* errors) {
  ValidateHpa(HpaToV2(tree), errors);
}

void ValidateHpaV1Update(const Value& updated, const Value& old, FieldErrorList* errors) {
  ValidateHpaUpdate(HpaToV2(updated), HpaToV2(old), errors);
}

std::vector<std::string> HpaV1Cells(const Object& o, VirtualTime now) {
  return HpaCells(Object::FromTree(HpaToV2(o.tree()), o.resource_version()), now);
}

}  // namespace

extern const KindSpec kHorizontalPodAutoscalerKind = {
    .group = "autoscaling",
    .version = "v2",
    .kind = "HorizontalPodAutoscaler",
    .resource = "horizontalpodautoscalers",
    .short_names = {"hpa"},
    .category = "all",
    .has_status = true,
    .go_types = kHpaTypes,
    .patch_schema = &kStatusConditionsPatch,
    .columns =
        {{"Name"}, {"Reference"}, {"Targets"}, {"MinPods"}, {"MaxPods"}, {"Replicas"}, {"Age"}},
    .cells = HpaCells,
    .defaults = DefaultHpa,
    .initial_status = InitialHpaStatus,
    .prepare_status_update = PrepareHpaStatusUpdate,
    .validation =
        {
            .on_create = {kCheckMeta, kCheckObject},
            .on_update = {kCheckMetaUpdate, kCheckChange},
            .on_status_update = {kCheckMetaUpdate, kCheckStatus},
            .object = ValidateHpa,
            .change = ValidateHpaUpdate,
            .status = ValidateHpaStatus,
        },
};

extern const KindSpec kHorizontalPodAutoscalerV1Kind = {
    .group = "autoscaling",
    .version = "v1",
    .kind = "HorizontalPodAutoscaler",
    .resource = "horizontalpodautoscalers",
    .short_names = {"hpa"},
    .category = "all",
    .cached_from_start = false,
    .to_stored = HpaToV2,
    .from_stored = HpaToV1,
    .has_status = true,
    .go_types = kHpaV1Types,
    .go_struct = "autoscaling1.HorizontalPodAutoscaler",
    .columns =
        {{"Name"}, {"Reference"}, {"Targets"}, {"MinPods"}, {"MaxPods"}, {"Replicas"}, {"Age"}},
    .cells = HpaV1Cells,
    .defaults = DefaultHpaV1,
    .initial_status = InitialHpaV1Status,
    .prepare_create = PrepareNewHpaV1,
    .prepare_update = PrepareHpaV1Update,
    .prepare_status_update = PrepareHpaV1StatusUpdate,
    .validation =
        {
            .on_create = {kCheckMeta, kCheckObject},
            .on_update = {kCheckMetaUpdate, kCheckChange},
            .on_status_update = {kCheckMetaUpdate, kCheckStatus},
            .object = ValidateHpaV1,
            .change = ValidateHpaV1Update,
            .status = ValidateHpaStatus,
        },
};

}  // namespace ksim::api
