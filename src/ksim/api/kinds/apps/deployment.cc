// The kind Deployment of apps/v1.
//
// Source: pkg/apis/apps/validation/validation.go ValidateDeployment;
// pkg/registry/apps/deployment/strategy.go.
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/api/kinds/shared/pod_template.h"
#include "ksim/api/kinds/shared/workload.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/workload_checks.h"
#include "ksim/api/schema/shared_patch_schemas.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Path;
using value::Value;

namespace {

constexpr std::string_view kDeploymentTypes = R"(
Deployment: apiVersion=string kind=string metadata=ObjectMeta spec=DeploymentSpec
   status=DeploymentStatus
DeploymentCondition: lastTransitionTime=Time lastUpdateTime=Time message=string reason=string
   status!=s:ConditionStatus type!=s:DeploymentConditionType
DeploymentSpec: minReadySeconds=int32 paused=bool progressDeadlineSeconds=*int32 replicas=*int32
   revisionHistoryLimit=*int32 selector!=*LabelSelector strategy=DeploymentStrategy
   template!=PodTemplateSpec
DeploymentStatus: availableReplicas=int32 collisionCount=*int32 conditions=[]DeploymentCondition
   observedGeneration=int64 readyReplicas=int32 replicas=int32 terminatingReplicas=*int32
   unavailableReplicas=int32 updatedReplicas=int32
DeploymentStrategy: rollingUpdate=*RollingUpdateDeployment type=s:DeploymentStrategyType
RollingUpdateDeployment: maxSurge=*IntOrString maxUnavailable=*IntOrString
)";

Value DefaultDeployment(const Value& tree, Compat compat) {
  const auto rolling = [](const Value& r) {
    return WithDefault(WithDefault(r, Fields().max_unavailable, Value::Of("25%")),
                       Fields().max_surge, Value::Of("25%"));
  };
  return EditSpec(tree, [&](const Value& s) {
    Value spec = WithDefault(s, Fields().replicas, Value::Of(1));
    spec = WithDefault(std::move(spec), Fields().strategy, Value::EmptyObject());
    spec = EditField(std::move(spec), Fields().strategy, [&](const Value& given) {
      Value strategy = WithNonEmpty(given, Fields().type, Value::Of("RollingUpdate"));
      if (strategy.Get(Fields().type).AsString() != "RollingUpdate") return strategy;
      strategy = WithDefault(std::move(strategy), Fields().rolling_update, Value::EmptyObject());
      return EditField(std::move(strategy), Fields().rolling_update, rolling);
    });
    spec = WithDefault(std::move(spec), Fields().revision_history_limit, Value::Of(10));
    spec = WithDefault(std::move(spec), Fields().progress_deadline_seconds, Value::Of(600));
    return WithDefaultTemplate(std::move(spec), compat);
  });
}

// A write of /status does not change the labels.
Value PrepareDeploymentStatusUpdate(const Value& old, Value updated, Compat) {
  static const Path kLabels{"metadata", "labels"};
  const Value& labels = old.Get(kLabels);
  return labels.is_null() ? updated.Erase(kLabels) : std::move(updated).Set(kLabels, labels);
}

void CheckRollingDeployment(const Value& rolling, const FieldPath& path, FieldErrorList* errors) {
  const Value& unavailable = rolling.Get(Fields().max_unavailable);
  const Value& surge = rolling.Get(Fields().max_surge);
  CheckIntOrPercent(unavailable, path.Child("maxUnavailable"), errors);
  CheckIntOrPercent(surge, path.Child("maxSurge"), errors);
  if (PercentOrNumber(unavailable) == 0 && PercentOrNumber(surge) == 0) {
    errors->Invalid(path.Child("maxUnavailable"), unavailable, GoShape::kIntOrString,
                    "may not be 0 when `maxSurge` is 0");
  }
  CheckAtMost100Percent(unavailable, path.Child("maxUnavailable"), errors);
}

void CheckDeploymentStrategy(const Value& strategy, const FieldPath& path, FieldErrorList* errors) {
  const std::string_view type = strategy.Get(Fields().type).AsString();
  const Value& rolling = strategy.Get(Fields().rolling_update);
  if (type == "Recreate") {
    if (!rolling.is_null()) {
      errors->Forbidden(path.Child("rollingUpdate"),
                        "may not be specified when strategy `type` is 'Recreate'");
    }
  } else if (type == "RollingUpdate") {
    if (rolling.is_null()) {
      errors->Required(path.Child("rollingUpdate"), "this should be defaulted and never be nil");
    } else {
      CheckRollingDeployment(rolling, path.Child("rollingUpdate"), errors);
    }
  } else {
    const StrategyNames names{"DeploymentStrategy",
                              "RollingUpdateDeployment",
                              {{"MaxUnavailable", "maxUnavailable"}, {"MaxSurge", "maxSurge"}}};
    errors->Add("FieldValueNotSupported",
                fmt::format("Unsupported value: {}: supported values: \"Recreate\", "
                            "\"RollingUpdate\"",
                            StrategyText(names, strategy, errors->compat())),
                path.ToString());
  }
}

void ValidateDeployment(const Value& tree, FieldErrorList* errors) {
  const FieldPath path("spec");
  const Value& spec = tree.Get(Fields().spec);
  NonNegativeFields(spec, {Fields().replicas}, path, errors);
  CheckSelectorAndTemplate(spec, path, errors);
  CheckDeploymentStrategy(spec.Get(Fields().strategy), path.Child("strategy"), errors);
  NonNegativeFields(spec,
                    {Fields().min_ready_seconds, Fields().revision_history_limit,
                     Fields().progress_deadline_seconds},
                    path, errors);
  const Value& progress = spec.Get(Fields().progress_deadline_seconds);
  if (progress.is_int() && progress.AsInt() <= spec.Get(Fields().min_ready_seconds).AsInt()) {
    errors->Invalid(path.Child("progressDeadlineSeconds"), progress.AsInt(),
                    "must be greater than minReadySeconds");
  }
}

void ValidateDeploymentStatus(const Value& tree, FieldErrorList* errors) {
  const Value& status = tree.Get(Fields().status);
  NonNegativeFields(
      status,
      {Fields().observed_generation, Fields().replicas, Fields().updated_replicas,
       Fields().ready_replicas, Fields().available_replicas, Fields().unavailable_replicas,
       Fields().terminating_replicas, Fields().collision_count},
      FieldPath("status"), errors);
  AtMost(status, Fields().updated_replicas, Fields().replicas, kMoreThanReplicas, errors);
  AtMost(status, Fields().ready_replicas, Fields().replicas, kMoreThanReplicas, errors);
  AtMost(status, Fields().available_replicas, Fields().replicas, kMoreThanReplicas, errors);
  AtMost(status, Fields().available_replicas, Fields().ready_replicas, kMoreThanReady, errors);
}

std::vector<std::string> DeploymentCells(const Object& o, VirtualTime now) {
  return cells::WithSelector(
      {cells::Name(o), ReadyOfReplicas(o), cells::Count(o.status().Get("updatedReplicas")),
       cells::Count(o.status().Get("availableReplicas")), cells::Age(o, now)},
      o);
}

constexpr value::PatchField kDeploymentSpecPatchFields[] = {
    Nested("template", &kTemplatePatch), {.name = "strategy", .retain_keys = true}};
constexpr value::PatchSchema kDeploymentSpecPatch{kDeploymentSpecPatchFields};
constexpr value::PatchField kDeploymentPatchFields[] = {Nested("metadata", &kMetaPatch),
                                                        Nested("spec", &kDeploymentSpecPatch),
                                                        Nested("status", &kConditionsPatch)};
constexpr value::PatchSchema kDeploymentPatch{kDeploymentPatchFields};

}  // namespace

extern const KindSpec kDeploymentKind = {
    .group = "apps",
    .kind = "Deployment",
    .resource = "deployments",
    .short_names = {"deploy"},
    .category = "all",
    .has_status = true,
    .has_scale = true,
    .has_generation = true,
    .generation_on_annotations = true,
    .go_types = kDeploymentTypes,
    .patch_schema = &kDeploymentPatch,
    .columns = {{"Name"},
                {"Ready"},
                {"Up-to-date"},
                {"Available"},
                {"Age"},
                {"Containers", kWide},
                {"Images", kWide},
                {"Selector", kWide}},
    .cells = DeploymentCells,
    .defaults = DefaultDeployment,
    .prepare_status_update = PrepareDeploymentStatusUpdate,
    .validation =
        {
            .on_create = {kCheckMeta, kCheckObject},
            .on_update = {kCheckMetaUpdate, kCheckObject, kCheckChange},
            .on_status_update = {kCheckMetaUpdate, kCheckStatus},
            .object = ValidateDeployment,
            .change = ValidateSelectorStays,
            .status = ValidateDeploymentStatus,
        },
    .warnings_on_create = NamedTemplateWarnings,
    .warnings_on_update = TemplateUpdateWarnings,
};

}  // namespace ksim::api
