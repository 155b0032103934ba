// The kind ReplicationController of v1.
//
// Source: pkg/apis/core/validation/validation.go; pkg/apis/core/v1/defaults.go.
#include <string>
#include <vector>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/api/kinds/shared/pod_template.h"
#include "ksim/api/kinds/shared/workload.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/pod/pod_warnings.h"
#include "ksim/api/rules/workload_checks.h"
#include "ksim/api/schema/shared_patch_schemas.h"
#include "ksim/value/selector.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::string_view kReplicationControllerTypes = R"(
ReplicationController: apiVersion=string kind=string metadata=ObjectMeta
   spec=ReplicationControllerSpec status=ReplicationControllerStatus
ReplicationControllerCondition: lastTransitionTime=Time message=string reason=string
   status!=s:ConditionStatus type!=s:ReplicationControllerConditionType
ReplicationControllerSpec: minReadySeconds=int32 replicas=*int32 selector={}string
   template=*PodTemplateSpec
ReplicationControllerStatus: availableReplicas=int32 conditions=[]ReplicationControllerCondition
   fullyLabeledReplicas=int32 observedGeneration=int64 readyReplicas=int32 replicas!=int32
)";

Value DefaultReplicationController(const Value& tree, Compat compat) {
  static const value::Path kTemplateLabels{"spec", "template", "metadata", "labels"};
  // The template is a pointer in Go: the server makes none where the client gave none.
  const Value labelled = LabelsFromTemplate(EditSpec(tree, [&](const Value& spec) {
    return EditField(WithDefault(spec, Fields().replicas, Value::Of(1)), Fields().template_,
                     [&](const Value& t) { return DefaultTemplate(t, compat); });
  }));
  const Value& labels = labelled.Get(kTemplateLabels);
  if (labels.empty()) return labelled;
  return EditSpec(labelled,
                  [&](const Value& s) { return WithDefault(s, Fields().selector, labels); });
}

void ValidateReplicationController(const Value& tree, FieldErrorList* errors) {
  const FieldPath path("spec");
  const Value& spec = tree.Get(Fields().spec);
  const Value& selector = spec.Get(Fields().selector);
  NonNegativeFields(spec, {Fields().min_ready_seconds}, path, errors);
  if (selector.empty()) errors->Required(path.Child("selector"));
  NonNegativeFields(spec, {Fields().replicas}, path, errors);
  if (spec.Get(Fields().template_).is_null()) return errors->Required(path.Child("template"));
  CheckTemplate("ReplicationController", value::LabelSelector::FromSet(selector), spec, path,
                errors);
}

std::vector<std::string> ReplicationControllerCells(const Object& o, VirtualTime now) {
  std::vector<std::string> cells = ReplicaSetCells(o, now);
  cells.back() = cells::Labels(o.spec().Get("selector"));
  return cells;
}

std::vector<std::string> ControllerWarnings(const Value& tree, Compat compat) {
  if (ProfileOf(compat).controller_template_under_spec) return NamedTemplateWarnings(tree, compat);
  return PodTemplateWarnings(tree.Get("spec").Get("template"), "template", compat);
}

// rcStrategy.WarningsOnUpdate hands the templates over the wrong way round: the old one is told of.
std::vector<std::string> ControllerUpdateWarnings(const Value& updated, const Value& old,
                                                  Compat compat) {
  if (!HasNewGeneration(updated, old)) return {};
  return TemplateWarnings(old, compat);
}

}  // namespace

extern const KindSpec kReplicationControllerKind = {
    .kind = "ReplicationController",
    .resource = "replicationcontrollers",
    .short_names = {"rc"},
    .category = "all",
    .storage_prefix = "controllers",
    .has_status = true,
    .has_scale = true,
    .has_generation = true,
    .go_types = kReplicationControllerTypes,
    .patch_schema = &kWorkloadPatch,
    .columns = {{"Name"},
                {"Desired"},
                {"Current"},
                {"Ready"},
                {"Age"},
                {"Containers", kWide},
                {"Images", kWide},
                {"Selector", kWide}},
    .cells = ReplicationControllerCells,
    .defaults = DefaultReplicationController,
    .validation =
        {
            .on_create = {kCheckMeta, kCheckObject},
            .on_update = {kCheckMeta, kCheckObject, kCheckMetaUpdate, kCheckObject},
            .on_plain_update = {kCheckMetaUpdate, kCheckObject},
            .on_status_update = {kCheckMetaUpdate, kCheckStatus},
            .object = ValidateReplicationController,
            .status = ValidateReplicaCounts,
        },
    .warnings_on_create = ControllerWarnings,
    .warnings_on_update = ControllerUpdateWarnings,
};

}  // namespace ksim::api
