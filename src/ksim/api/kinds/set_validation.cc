// DaemonSets and StatefulSets.
//
// Source: pkg/apis/apps/validation/validation.go.
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "ksim/api/core/tree_edit.h"
#include "ksim/api/kinds/kind_validation.h"
#include "ksim/api/rules/meta_validation.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/api/rules/pod/pod_validation.h"
#include "ksim/api/rules/workload_checks.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

struct Names {
  Atom available{"availableReplicas"}, collision{"collisionCount"}, current{"currentReplicas"},
      history{"revisionHistoryLimit"}, min_ready{"minReadySeconds"}, observed{"observedGeneration"},
      ready{"readyReplicas"}, replicas{"replicas"}, rolling{"rollingUpdate"}, selector{"selector"},
      spec{"spec"}, status{"status"}, strategy{"updateStrategy"}, surge{"maxSurge"},
      tmpl{"template"}, type{"type"}, unavailable{"maxUnavailable"}, updated{"updatedReplicas"};
};
const Names& N() {
  static const Names names;
  return names;
}

// ValidateRollingUpdateDaemonSet.
void CheckRollingDaemons(const Value& rolling, const FieldPath& path, FieldErrorList* errors) {
  const Value& unavailable = rolling.Get(N().unavailable);
  const Value& surge = rolling.Get(N().surge);
  CheckIntOrPercent(unavailable, path.Child("maxUnavailable"), errors);
  CheckIntOrPercent(surge, path.Child("maxSurge"), errors);
  CheckAtMost100Percent(unavailable, path.Child("maxUnavailable"), errors);
  CheckAtMost100Percent(surge, path.Child("maxSurge"), errors);
  const auto counts = [](const Value& v) {  // getIntOrPercentValue: 0 of what is no percentage
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
  const std::string_view type = strategy.Get(N().type).AsString();
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
  const Value& rolling = strategy.Get(N().rolling);
  if (rolling.is_null()) return errors->Required(path.Child("rollingUpdate"));
  CheckRollingDaemons(rolling, path.Child("rollingUpdate"), errors);
}

void CheckSetStrategy(const Value& strategy, const FieldPath& path, FieldErrorList* errors) {
  const std::string_view type = strategy.Get(N().type).AsString();
  const Value& rolling = strategy.Get(N().rolling);
  if (type.empty()) {
    errors->Required(path);
  } else if (type == "OnDelete") {
    if (rolling.is_null()) return;
    errors->Invalid(path.Child("rollingUpdate"), rolling, GoShape::kOther,
                    "only allowed for updateStrategy 'RollingUpdate'");
  } else if (type == "RollingUpdate") {
    static const Atom kPartition("partition");
    NonNegativeFields(rolling, {kPartition}, path.Child("rollingUpdate"), errors);
  } else {
    const StrategyNames names{"StatefulSetUpdateStrategy",
                              "RollingUpdateStatefulSetStrategy",
                              {{"Partition", "partition"}, {"MaxUnavailable", "maxUnavailable"}}};
    errors->Add("FieldValueInvalid",
                fmt::format("Invalid value: {}: must be 'RollingUpdate' or 'OnDelete'",
                            StrategyText(names, strategy, errors->compat())),
                path.ToString());
  }
}

void CheckRetention(const Value& policy, const FieldPath& path, FieldErrorList* errors) {
  if (policy.is_null()) return;
  for (const char* field : {"whenDeleted", "whenScaled"}) {
    const std::string_view what = policy.Get(field).AsString();
    if (what == "Retain" || what == "Delete") continue;
    errors->NotSupported(path.Child(field), what, {"Retain", "Delete"});
  }
}

// The template as its pods will be: claims are volumes, and the controller sets the host's name.
Value WithClaims(const Value& spec) {
  static const value::Path kVolumes{"spec", "volumes"};
  Value tmpl = spec.Get(N().tmpl);
  const Value& claims = spec.Get("volumeClaimTemplates");
  std::vector<Value> volumes;
  for (const Value& claim : claims.items()) {
    const Value& name = claim.Get("metadata").Get("name");
    volumes.push_back(
        value::Obj({{"name", name}, {"persistentVolumeClaim", value::Obj({{"claimName", name}})}}));
  }
  if (volumes.empty()) return tmpl;
  const std::size_t own = volumes.size();
  for (const Value& volume : tmpl.Get(kVolumes).items()) {
    bool hidden = false;
    for (std::size_t i = 0; i < own; ++i) {
      hidden = hidden || volumes[i].Get("name") == volume.Get("name");
    }
    if (!hidden) volumes.push_back(volume);
  }
  return tmpl.Set(kVolumes, Value::Array(std::move(volumes)));
}

// ValidatePodTemplateSpecForStatefulSet: before 1.36 nothing of the pods' spec is looked at.
void CheckSetTemplate(const value::LabelSelector& selector, const Value& spec,
                      const FieldPath& path, FieldErrorList* errors) {
  CheckMatch(selector, spec, path, errors);
  const FieldPath at = path.Child("template");
  if (errors->compat() == Compat::k1_36) ValidatePodTemplate(WithClaims(spec), at, errors);
  const Value& metadata = spec.Get(N().tmpl).Get("metadata");
  ValidateLabels(metadata.Get("labels"), at.Child("labels"), errors);
  ValidateAnnotations(metadata.Get("annotations"), at.Child("annotations"), errors);
}

void CheckSetSelector(const Value& selector, const FieldPath& path, FieldErrorList* errors) {
  if (selector.is_null()) return errors->Required(path);
  ValidateLabelSelector(selector, path, errors);
  if (!IsEmptySelector(selector)) return;
  errors->Invalid(path, selector, GoShape::kLabelSelector,
                  "empty selector is invalid for statefulset");
}

}  // namespace

void ValidateDaemonSetSpec(const Value& tree, FieldErrorList* errors) {
  const FieldPath path("spec");
  const Value& spec = tree.Get(N().spec);
  const Value& selector = spec.Get(N().selector);
  ValidateLabelSelector(selector, path.Child("selector"), errors);
  const auto parsed = value::LabelSelector::FromObject(selector);
  if (parsed.ok()) CheckMatch(*parsed, spec, path, errors);
  if (!selector.is_null() && IsEmptySelector(selector)) {
    errors->Invalid(path.Child("selector"), selector, GoShape::kLabelSelector,
                    "empty selector is invalid for daemonset");
  }
  ValidatePodTemplate(spec.Get(N().tmpl), path.Child("template"), errors);
  CheckAlways("DaemonSet", spec, path, errors);
  NonNegativeFields(spec, {N().min_ready}, path, errors);
  CheckDaemonStrategy(spec.Get(N().strategy), path.Child("updateStrategy"), errors);
  NonNegativeFields(spec, {N().history}, path, errors);
}

void ValidateDaemonSetStatus(const Value& tree, FieldErrorList* errors) {
  static const Atom kCurrent("currentNumberScheduled"), kWrong("numberMisscheduled"),
      kDesired("desiredNumberScheduled"), kReady("numberReady"), kUpdated("updatedNumberScheduled"),
      kAvailable("numberAvailable"), kUnavailable("numberUnavailable");
  NonNegativeFields(tree.Get(N().status),
                    {kCurrent, kWrong, kDesired, kReady, N().observed, kUpdated, kAvailable,
                     kUnavailable, N().collision},
                    FieldPath("status"), errors);
}

void ValidateStatefulSetSpec(const Value& tree, FieldErrorList* errors) {
  static const Atom kPolicy("podManagementPolicy");
  const FieldPath path("spec");
  const Value& spec = tree.Get(N().spec);
  const std::string_view policy = spec.Get(kPolicy).AsString();
  if (policy.empty()) {
    errors->Required(path.Child("podManagementPolicy"));
  } else if (policy != "OrderedReady" && policy != "Parallel") {
    errors->Invalid(path.Child("podManagementPolicy"), policy,
                    "must be 'OrderedReady' or 'Parallel'");
  }
  CheckSetStrategy(spec.Get(N().strategy), path.Child("updateStrategy"), errors);
  CheckRetention(spec.Get("persistentVolumeClaimRetentionPolicy"),
                 path.Child("persistentVolumeClaimRetentionPolicy"), errors);
  NonNegativeFields(spec, {N().replicas, N().min_ready}, path, errors);
  errors->NonNegative(path.Child("ordinals.start"), spec.Get("ordinals").Get("start"));
  const Value& selector = spec.Get(N().selector);
  const FieldPath at = path.Child("selector");
  CheckSetSelector(selector, at, errors);
  const auto parsed = value::LabelSelector::FromObject(selector);
  if (parsed.ok()) {
    CheckSetTemplate(*parsed, spec, path, errors);
  } else {
    errors->Invalid(at, selector, GoShape::kLabelSelector, "");
  }
  CheckAlways("StatefulSet", spec, path, errors);
}

// Only 1.36 looks at it (AllowInvalidServiceName).
void ValidateServiceName(const Value& tree, FieldErrorList* errors) {
  const FieldPath path("spec");
  const std::string_view name = tree.Get(N().spec).Get("serviceName").AsString();
  if (errors->compat() != Compat::k1_36 || name.empty()) return;
  errors->InvalidAll(path.Child("serviceName"), name, Dns1123Label(name, errors->compat()));
}

void ValidateStatefulSetStatus(const Value& tree, FieldErrorList* errors) {
  constexpr std::string_view kReplicas = "cannot be greater than status.replicas";
  const Value& status = tree.Get(N().status);
  NonNegativeFields(status,
                    {N().replicas, N().ready, N().current, N().updated, N().available, N().observed,
                     N().collision},
                    FieldPath("status"), errors);
  for (const Atom counter : {N().ready, N().current, N().updated, N().available}) {
    AtMost(status, counter, N().replicas, kReplicas, errors);
  }
  AtMost(status, N().available, N().ready, "cannot be greater than status.readyReplicas", errors);
}

void ValidateStatefulSetUpdate(const Value& tree, const Value& old, FieldErrorList* errors) {
  const bool history = errors->compat() == Compat::k1_36;
  const bool ordinals = errors->compat() != Compat::k1_25;
  Value now = tree.Get(N().spec);
  Value before = old.Get(N().spec);
  for (const char* free : {"replicas", "ordinals", "template", "updateStrategy",
                           "persistentVolumeClaimRetentionPolicy", "minReadySeconds"}) {
    now = now.Erase(free);
    before = before.Erase(free);
  }
  if (history) {
    now = now.Erase("revisionHistoryLimit");
    before = before.Erase("revisionHistoryLimit");
  }
  if (now == before) return;
  errors->Forbidden(
      FieldPath("spec"),
      fmt::format("updates to statefulset spec for fields other than 'replicas', {}'template', "
                  "'updateStrategy', {}'persistentVolumeClaimRetentionPolicy' and "
                  "'minReadySeconds' are forbidden",
                  ordinals ? "'ordinals', " : "", history ? "'revisionHistoryLimit', " : ""));
}

}  // namespace ksim::api
