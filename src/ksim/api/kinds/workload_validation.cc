#include <fmt/format.h>

#include <string>

#include "ksim/api/kinds/kind_validation.h"
#include "ksim/api/rules/meta_validation.h"
#include "ksim/api/rules/workload_checks.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

struct Names {
  Atom available{"availableReplicas"}, collision{"collisionCount"}, history{"revisionHistoryLimit"},
      labelled{"fullyLabeledReplicas"}, min_ready{"minReadySeconds"},
      observed{"observedGeneration"}, progress{"progressDeadlineSeconds"}, ready{"readyReplicas"},
      replicas{"replicas"}, rolling{"rollingUpdate"}, selector{"selector"}, spec{"spec"},
      status{"status"}, strategy{"strategy"}, surge{"maxSurge"}, tmpl{"template"}, type{"type"},
      unavailable{"maxUnavailable"}, updated{"updatedReplicas"};
};
const Names& N() {
  static const Names names;
  return names;
}

// ReplicaSets and Deployments word an empty selector alike.
void CheckSelectorAndTemplate(const Value& spec, const FieldPath& path, FieldErrorList* errors) {
  const Value& selector = spec.Get(N().selector);
  const FieldPath at = path.Child("selector");
  if (selector.is_null()) {
    errors->Required(at);
  } else {
    ValidateLabelSelector(selector, at, errors);
    if (IsEmptySelector(selector)) {
      errors->Invalid(at, selector, GoShape::kLabelSelector,
                      "empty selector is invalid for deployment");
    }
  }
  const auto parsed = value::LabelSelector::FromObject(selector);
  if (parsed.ok()) {
    CheckTemplate("ReplicaSet", *parsed, spec, path, errors);
  } else {
    errors->Invalid(at, selector, GoShape::kLabelSelector, "invalid label selector");
  }
}

void CheckRollingUpdate(const Value& rolling, const FieldPath& path, FieldErrorList* errors) {
  const Value& unavailable = rolling.Get(N().unavailable);
  const Value& surge = rolling.Get(N().surge);
  CheckIntOrPercent(unavailable, path.Child("maxUnavailable"), errors);
  CheckIntOrPercent(surge, path.Child("maxSurge"), errors);
  if (PercentOrNumber(unavailable) == 0 && PercentOrNumber(surge) == 0) {
    errors->Invalid(path.Child("maxUnavailable"), unavailable, GoShape::kIntOrString,
                    "may not be 0 when `maxSurge` is 0");
  }
  CheckAtMost100Percent(unavailable, path.Child("maxUnavailable"), errors);
}

void CheckStrategy(const Value& strategy, const FieldPath& path, FieldErrorList* errors) {
  const std::string_view type = strategy.Get(N().type).AsString();
  const Value& rolling = strategy.Get(N().rolling);
  if (type == "Recreate") {
    if (!rolling.is_null()) {
      errors->Forbidden(path.Child("rollingUpdate"),
                        "may not be specified when strategy `type` is 'Recreate'");
    }
  } else if (type == "RollingUpdate") {
    if (rolling.is_null()) {
      errors->Required(path.Child("rollingUpdate"), "this should be defaulted and never be nil");
    } else {
      CheckRollingUpdate(rolling, path.Child("rollingUpdate"), errors);
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

constexpr std::string_view kMoreThanReplicas = "cannot be greater than status.replicas";
constexpr std::string_view kMoreThanReady = "cannot be greater than readyReplicas";

}  // namespace

void ValidateReplicaSetSpec(const Value& tree, FieldErrorList* errors) {
  const FieldPath path("spec");
  const Value& spec = tree.Get(N().spec);
  NonNegativeFields(spec, {N().replicas, N().min_ready}, path, errors);
  CheckSelectorAndTemplate(spec, path, errors);
}

void ValidateReplicaSetStatus(const Value& tree, FieldErrorList* errors) {
  const Value& status = tree.Get(N().status);
  NonNegativeFields(status, {N().replicas, N().labelled, N().ready, N().available, N().observed},
                    FieldPath("status"), errors);
  AtMost(status, N().labelled, N().replicas, kMoreThanReplicas, errors);
  AtMost(status, N().ready, N().replicas, kMoreThanReplicas, errors);
  AtMost(status, N().available, N().replicas, kMoreThanReplicas, errors);
  AtMost(status, N().available, N().ready, kMoreThanReady, errors);
}

void ValidateDeploymentSpec(const Value& tree, FieldErrorList* errors) {
  const FieldPath path("spec");
  const Value& spec = tree.Get(N().spec);
  NonNegativeFields(spec, {N().replicas}, path, errors);
  CheckSelectorAndTemplate(spec, path, errors);
  CheckStrategy(spec.Get(N().strategy), path.Child("strategy"), errors);
  NonNegativeFields(spec, {N().min_ready, N().history, N().progress}, path, errors);
  const Value& progress = spec.Get(N().progress);
  if (progress.is_int() && progress.AsInt() <= spec.Get(N().min_ready).AsInt()) {
    errors->Invalid(path.Child("progressDeadlineSeconds"), progress.AsInt(),
                    "must be greater than minReadySeconds");
  }
}

void ValidateDeploymentStatus(const Value& tree, FieldErrorList* errors) {
  static const Atom kUnavailable("unavailableReplicas");
  const Value& status = tree.Get(N().status);
  NonNegativeFields(status,
                    {N().observed, N().replicas, N().updated, N().ready, N().available,
                     kUnavailable, N().collision},
                    FieldPath("status"), errors);
  AtMost(status, N().updated, N().replicas, kMoreThanReplicas, errors);
  AtMost(status, N().ready, N().replicas, kMoreThanReplicas, errors);
  AtMost(status, N().available, N().replicas, kMoreThanReplicas, errors);
  AtMost(status, N().available, N().ready, kMoreThanReady, errors);
}

void ValidateReplicationControllerSpec(const Value& tree, FieldErrorList* errors) {
  const FieldPath path("spec");
  const Value& spec = tree.Get(N().spec);
  const Value& selector = spec.Get(N().selector);
  NonNegativeFields(spec, {N().min_ready}, path, errors);
  if (selector.empty()) errors->Required(path.Child("selector"));
  NonNegativeFields(spec, {N().replicas}, path, errors);
  if (spec.Get(N().tmpl).is_null()) return errors->Required(path.Child("template"));
  CheckTemplate("ReplicationController", value::LabelSelector::FromSet(selector), spec, path,
                errors);
}

// That of a ReplicaSet word for word.
void ValidateReplicationControllerStatus(const Value& tree, FieldErrorList* errors) {
  ValidateReplicaSetStatus(tree, errors);
}

}  // namespace ksim::api
