// The kind DaemonSet of apps/v1.
//
// Source: pkg/apis/apps/validation/validation.go ValidateDaemonSet;
// pkg/registry/apps/daemonset/strategy.go.
#include <fmt/format.h>

#include <charconv>
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
#include "ksim/api/rules/meta_validation.h"
#include "ksim/api/rules/pod/pod_validation.h"
#include "ksim/api/rules/workload_checks.h"
#include "ksim/api/schema/shared_patch_schemas.h"
#include "ksim/value/selector.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Path;
using value::Value;

namespace {

constexpr std::string_view kDaemonSetTypes = R"(
DaemonSet: apiVersion=string kind=string metadata=ObjectMeta spec=DaemonSetSpec
   status=DaemonSetStatus
DaemonSetCondition: lastTransitionTime=Time message=string reason=string status!=s:ConditionStatus
   type!=s:DaemonSetConditionType
DaemonSetSpec: minReadySeconds=int32 revisionHistoryLimit=*int32 selector!=*LabelSelector
   template!=PodTemplateSpec updateStrategy=DaemonSetUpdateStrategy
DaemonSetStatus: collisionCount=*int32 conditions=[]DaemonSetCondition
   currentNumberScheduled!=int32 desiredNumberScheduled!=int32 numberAvailable=int32
   numberMisscheduled!=int32 numberReady!=int32 numberUnavailable=int32 observedGeneration=int64
   updatedNumberScheduled=int32
DaemonSetUpdateStrategy: rollingUpdate=*RollingUpdateDaemonSet type=s:DaemonSetUpdateStrategyType
RollingUpdateDaemonSet: maxSurge=*IntOrString maxUnavailable=*IntOrString
)";

// An annotation holds the generation of the template.
Path TemplateGenerationPath() {
  constexpr std::string_view kAnnotation = "deprecated.daemonset.template.generation";
  return Path{"metadata", "annotations", value::PathStep(kAnnotation)};
}

// pkg/apis/apps/v1/conversion.go Convert_apps_DaemonSet_To_v1_DaemonSet writes the annotation
// always.
Value WithTemplateGeneration(const Value& tree) {
  const bool has = !tree.Get(TemplateGenerationPath()).is_null();
  return has || !tree.Get("metadata").is_object()
             ? tree
             : tree.Set(TemplateGenerationPath(), Value::Of("0"));
}

Value DefaultDaemonSet(const Value& tree, Compat compat) {
  return EditSpec(WithTemplateGeneration(tree), [&](const Value& s) {
    Value spec = WithDefault(s, Fields().update_strategy, Value::EmptyObject());
    spec = EditField(std::move(spec), Fields().update_strategy, [](const Value& given) {
      Value strategy = WithNonEmpty(given, Fields().type, Value::Of("RollingUpdate"));
      if (strategy.Get(Fields().type).AsString() != "RollingUpdate") return strategy;
      strategy = WithDefault(std::move(strategy), Fields().rolling_update, Value::EmptyObject());
      return EditField(std::move(strategy), Fields().rolling_update, [](const Value& r) {
        return WithDefault(WithDefault(r, Fields().max_unavailable, Value::Of(1)),
                           Fields().max_surge, Value::Of(0));
      });
    });
    return WithDefaultTemplate(
        WithDefault(std::move(spec), Fields().revision_history_limit, Value::Of(10)), compat);
  });
}

std::int64_t TemplateGeneration(const Value& tree) {
  const std::string_view text = tree.Get(TemplateGenerationPath()).AsString();
  std::int64_t generation = 0;
  std::from_chars(text.data(), text.data() + text.size(), generation);
  return generation;
}

// A generation that the client gives is kept.
Value PrepareNewDaemonSet(Value tree, Compat) {
  if (TemplateGeneration(tree) >= 1) return tree;
  return std::move(tree).Set(TemplateGenerationPath(), Value::Of("1"));
}

Value PrepareDaemonSetUpdate(const Value& old, Value updated, Compat) {
  static const Path kTemplate{"spec", "template"};
  std::int64_t generation = TemplateGeneration(old);
  if (old.Get(kTemplate) != updated.Get(kTemplate)) ++generation;
  return std::move(updated).Set(TemplateGenerationPath(),
                                Value::String(std::to_string(generation)));
}

// ValidateRollingUpdateDaemonSet.
void CheckRollingDaemons(const Value& rolling, const FieldPath& path, FieldErrorList* errors) {
  const Value& unavailable = rolling.Get(Fields().max_unavailable);
  const Value& surge = rolling.Get(Fields().max_surge);
  CheckIntOrPercent(unavailable, path.Child("maxUnavailable"), errors);
  CheckIntOrPercent(surge, path.Child("maxSurge"), errors);
  CheckAtMost100Percent(unavailable, path.Child("maxUnavailable"), errors);
  CheckAtMost100Percent(surge, path.Child("maxSurge"), errors);
  const auto counts = [](const Value& v) {  // getIntOrPercentValue: 0 for what is no percentage
    return v.is_string() ? PercentOrNumber(v) > 0 : v.AsInt() != 0;
  };
  if (counts(unavailable) && counts(surge)) {
    errors->Invalid(path.Child("maxSurge"), surge, GoShape::kIntOrString,
                    "may not be set when maxUnavailable is non-zero");
  } else if (!counts(unavailable) && !counts(surge)) {
    errors->Required(path.Child("maxUnavailable"), "cannot be 0 when maxSurge is 0");
  }
}

void CheckDaemonStrategy(const Value& strategy, const FieldPath& path, FieldErrorList* errors) {
  const std::string_view type = strategy.Get(Fields().type).AsString();
  if (type == "OnDelete") return;
  if (type != "RollingUpdate") {
    const StrategyNames names{"DaemonSetUpdateStrategy",
                              "RollingUpdateDaemonSet",
                              {{"MaxUnavailable", "maxUnavailable"}, {"MaxSurge", "maxSurge"}}};
    return errors->Add("FieldValueNotSupported",
                       fmt::format("Unsupported value: {}: supported values: \"RollingUpdate\", "
                                   "\"OnDelete\"",
                                   StrategyText(names, strategy, errors->compat())),
                       path.ToString());
  }
  const Value& rolling = strategy.Get(Fields().rolling_update);
  if (rolling.is_null()) return errors->Required(path.Child("rollingUpdate"));
  CheckRollingDaemons(rolling, path.Child("rollingUpdate"), errors);
}

void ValidateDaemonSet(const Value& tree, FieldErrorList* errors) {
  const FieldPath path("spec");
  const Value& spec = tree.Get(Fields().spec);
  const Value& selector = spec.Get(Fields().selector);
  ValidateLabelSelector(selector, path.Child("selector"), errors);
  const auto parsed = value::LabelSelector::FromObject(selector);
  if (parsed.ok()) CheckMatch(*parsed, spec, path, errors);
  if (!selector.is_null() && IsEmptySelector(selector)) {
    errors->Invalid(path.Child("selector"), selector, GoShape::kLabelSelector,
                    "empty selector is invalid for daemonset");
  }
  ValidatePodTemplate(spec.Get(Fields().template_), path.Child("template"), errors);
  CheckAlways("DaemonSet", spec, path, errors);
  NonNegativeFields(spec, {Fields().min_ready_seconds}, path, errors);
  CheckDaemonStrategy(spec.Get(Fields().update_strategy), path.Child("updateStrategy"), errors);
  NonNegativeFields(spec, {Fields().revision_history_limit}, path, errors);
}

void ValidateDaemonSetStatus(const Value& tree, FieldErrorList* errors) {
  NonNegativeFields(
      tree.Get(Fields().status),
      {Fields().current_number_scheduled, Fields().number_misscheduled,
       Fields().desired_number_scheduled, Fields().number_ready, Fields().observed_generation,
       Fields().updated_number_scheduled, Fields().number_available, Fields().number_unavailable,
       Fields().collision_count},
      FieldPath("status"), errors);
}

// ValidateDaemonSetStatusUpdate.
void ValidateDaemonSetStatusChange(const Value& updated, const Value& old, FieldErrorList* errors) {
  const Value& is = updated.Get(Fields().status).Get(Fields().collision_count);
  const Value& was = old.Get(Fields().status).Get(Fields().collision_count);
  if (!was.is_int() || (is.is_int() && is.AsInt() >= was.AsInt())) return;
  errors->Invalid(FieldPath("status").Child("collisionCount"), is.AsInt(), "cannot be decremented");
}

std::vector<std::string> DaemonSetUpdateWarnings(const Value& updated, const Value& old,
                                                 Compat compat) {
  static const Path kTemplate{"spec", "template"};
  if (updated.Get(kTemplate) == old.Get(kTemplate)) return {};
  return TemplateUpdateWarnings(updated, old, compat);
}

std::vector<std::string> DaemonSetCells(const Object& o, VirtualTime now) {
  static const value::Path kNodeSelector{"spec", "template", "spec", "nodeSelector"};
  const Value& s = o.status();
  return cells::WithSelector(
      {cells::Name(o), cells::Count(s.Get("desiredNumberScheduled")),
       cells::Count(s.Get("currentNumberScheduled")), cells::Count(s.Get("numberReady")),
       cells::Count(s.Get("updatedNumberScheduled")), cells::Count(s.Get("numberAvailable")),
       cells::Labels(o.Get(kNodeSelector)), cells::Age(o, now)},
      o);
}

}  // namespace

extern const KindSpec kDaemonSetKind = {
    .group = "apps",
    .kind = "DaemonSet",
    .resource = "daemonsets",
    .short_names = {"ds"},
    .category = "all",
    .has_status = true,
    .has_generation = true,
    .go_types = kDaemonSetTypes,
    .patch_schema = &kWorkloadPatch,
    .columns = {{"Name"},
                {"Desired"},
                {"Current"},
                {"Ready"},
                {"Up-to-date"},
                {"Available"},
                {"Node Selector"},
                {"Age"},
                {"Containers", kWide},
                {"Images", kWide},
                {"Selector", kWide}},
    .cells = DaemonSetCells,
    .defaults = DefaultDaemonSet,
    .prepare_create = PrepareNewDaemonSet,
    .prepare_update = PrepareDaemonSetUpdate,
    .validation =
        {
            .on_create = {kCheckMeta, kCheckObject},
            .on_update = {kCheckMeta, kCheckObject, kCheckMetaUpdate, kCheckObject, kCheckChange},
            .on_plain_update = {kCheckMetaUpdate, kCheckChange, kCheckObject},
            .on_status_update = {kCheckMetaUpdate, kCheckStatus, kCheckChange},
            .object = ValidateDaemonSet,
            .change = ValidateSelectorStays,
            .status = ValidateDaemonSetStatus,
            .status_change = ValidateDaemonSetStatusChange,
        },
    .warnings_on_create = TemplateWarnings,
    .warnings_on_update = DaemonSetUpdateWarnings,
};

}  // namespace ksim::api
