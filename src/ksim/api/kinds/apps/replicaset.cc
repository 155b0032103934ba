// The kind ReplicaSet of apps/v1.
//
// Source: pkg/apis/apps/validation/validation.go ValidateReplicaSet.
#include "ksim/api/core/fields.h"
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/api/kinds/shared/pod_template.h"
#include "ksim/api/kinds/shared/workload.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/workload_checks.h"
#include "ksim/api/schema/shared_patch_schemas.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::string_view kReplicaSetTypes = R"(
ReplicaSet: apiVersion=string kind=string metadata=ObjectMeta spec=ReplicaSetSpec
   status=ReplicaSetStatus
ReplicaSetCondition: lastTransitionTime=Time message=string reason=string
   status!=s:ConditionStatus type!=s:ReplicaSetConditionType
ReplicaSetSpec: minReadySeconds=int32 replicas=*int32 selector!=*LabelSelector
   template=PodTemplateSpec
ReplicaSetStatus: availableReplicas=int32 conditions=[]ReplicaSetCondition
   fullyLabeledReplicas=int32 observedGeneration=int64 readyReplicas=int32 replicas!=int32
   terminatingReplicas=*int32
)";

Value DefaultReplicaSet(const Value& tree, Compat compat) {
  return EditSpec(tree, [&](const Value& spec) {
    return WithDefaultTemplate(WithDefault(spec, Fields().replicas, Value::Of(1)), compat);
  });
}

void ValidateReplicaSet(const Value& tree, FieldErrorList* errors) {
  const FieldPath path("spec");
  const Value& spec = tree.Get(Fields().spec);
  NonNegativeFields(spec, {Fields().replicas, Fields().min_ready_seconds}, path, errors);
  CheckSelectorAndTemplate(spec, path, errors);
}

}  // namespace

extern const KindSpec kReplicaSetKind = {
    .group = "apps",
    .kind = "ReplicaSet",
    .resource = "replicasets",
    .short_names = {"rs"},
    .category = "all",
    .has_status = true,
    .has_scale = true,
    .has_generation = true,
    .go_types = kReplicaSetTypes,
    .patch_schema = &kWorkloadPatch,
    .columns = {{"Name"},
                {"Desired"},
                {"Current"},
                {"Ready"},
                {"Age"},
                {"Containers", kWide},
                {"Images", kWide},
                {"Selector", kWide}},
    .cells = ReplicaSetCells,
    .defaults = DefaultReplicaSet,
    .validation =
        {
            .on_create = {kCheckMeta, kCheckObject},
            .on_update = {kCheckMeta, kCheckObject, kCheckMetaUpdate, kCheckObject, kCheckChange},
            .on_plain_update = {kCheckMetaUpdate, kCheckObject, kCheckChange},
            .on_status_update = {kCheckMetaUpdate, kCheckStatus},
            .object = ValidateReplicaSet,
            .change = ValidateSelectorStays,
            .status = ValidateReplicaCounts,
        },
    .warnings_on_create = NamedTemplateWarnings,
    .warnings_on_update = TemplateUpdateWarnings,
};

}  // namespace ksim::api
