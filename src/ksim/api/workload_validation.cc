#include <charconv>
#include <string>

#include "ksim/api/kind_validation.h"
#include "ksim/api/meta_validation.h"
#include "ksim/api/pod_validation.h"
#include "ksim/value/selector.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

struct Names {
  Atom available{"availableReplicas"}, deadline{"activeDeadlineSeconds"},
      expressions{"matchExpressions"}, history{"revisionHistoryLimit"},
      labelled{"fullyLabeledReplicas"}, labels{"labels"}, match_labels{"matchLabels"},
      metadata{"metadata"}, min_ready{"minReadySeconds"}, progress{"progressDeadlineSeconds"},
      ready{"readyReplicas"}, replicas{"replicas"}, restart_policy{"restartPolicy"},
      rolling{"rollingUpdate"}, selector{"selector"}, spec{"spec"}, status{"status"},
      strategy{"strategy"}, surge{"maxSurge"}, tmpl{"template"}, type{"type"},
      unavailable{"maxUnavailable"}, updated{"updatedReplicas"}, manual{"manualSelector"};
};
const Names& N() {
  static const Names names;
  return names;
}

bool IsEmptySelector(const Value& selector) {
  return selector.Get(N().match_labels).empty() && selector.Get(N().expressions).empty();
}

// spec.template.metadata.labels must be what the selector selects.
void CheckMatch(const value::LabelSelector& selector, const Value& spec, const FieldPath& path,
                FieldErrorList* errors) {
  const Value& labels = spec.Get(N().tmpl).Get(N().metadata).Get(N().labels);
  if (selector.empty() || selector.Matches(labels)) return;
  const FieldPath tmpl = path.Child("template");
  const FieldPath metadata = tmpl.Child("metadata");
  errors->Invalid(metadata.Child("labels"), labels, GoShape::kStringMap,
                  "`selector` does not match template `labels`");
}

// Pods of the workload run for ever.
void CheckAlways(std::string_view kind, const Value& spec, const FieldPath& path,
                 FieldErrorList* errors) {
  const FieldPath tmpl = path.Child("template");
  const FieldPath pod = tmpl.Child("spec");
  const Value& pod_spec = spec.Get(N().tmpl).Get(N().spec);
  const std::string_view policy = pod_spec.Get(N().restart_policy).AsString();
  if (policy != "Always") errors->NotSupported(pod.Child("restartPolicy"), policy, {"Always"});
  if (pod_spec.Get(N().deadline).is_int()) {
    errors->Forbidden(pod.Child("activeDeadlineSeconds"),
                      "activeDeadlineSeconds in " + std::string(kind) + " is not Supported");
  }
}

// ValidatePodTemplateSpecForReplicaSet.
void CheckTemplate(const value::LabelSelector& selector, const Value& spec, const FieldPath& path,
                   FieldErrorList* errors) {
  CheckMatch(selector, spec, path, errors);
  ValidatePodTemplate(spec.Get(N().tmpl), path.Child("template"), errors);
  CheckAlways("ReplicaSet", spec, path, errors);
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
    CheckTemplate(*parsed, spec, path, errors);
  } else {
    errors->Invalid(at, selector, GoShape::kLabelSelector, "invalid label selector");
  }
}

// "25%" as 25, 3 as 3; nullopt-like -1 for a text that is neither.
std::int64_t PercentOrNumber(const Value& v) {
  if (!v.is_string()) return v.AsInt();
  const std::string_view text = v.AsString();
  std::int64_t percent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  const bool whole = error == std::errc() && end + 1 == text.data() + text.size() && *end == '%';
  return whole && percent >= 0 ? percent : -1;
}

void CheckIntOrPercent(const Value& v, const FieldPath& path, FieldErrorList* errors) {
  if (v.is_string() && PercentOrNumber(v) < 0) {
    errors->Invalid(path, v, GoShape::kIntOrString,
                    "a valid percent string must be a numeric string followed by an ending '%' "
                    "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')");
  } else if (v.is_int()) {
    errors->NonNegative(path, v);
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
  if (unavailable.is_string() && PercentOrNumber(unavailable) > 100) {
    errors->Invalid(path.Child("maxUnavailable"), unavailable, GoShape::kIntOrString,
                    "must not be greater than 100%");
  }
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
    errors->NotSupported(path.Child("type"), type, {"Recreate", "RollingUpdate"});
  }
}

void NonNegativeFields(const Value& v, std::initializer_list<Atom> fields, const FieldPath& path,
                       FieldErrorList* errors) {
  for (const Atom field : fields) errors->NonNegative(path.Child(field.text()), v.Get(field));
}

void AtMost(const Value& status, Atom field, Atom limit, std::string_view text,
            FieldErrorList* errors) {
  const FieldPath path("status");
  const std::int64_t count = status.Get(field).AsInt();
  if (count > status.Get(limit).AsInt()) errors->Invalid(path.Child(field.text()), count, text);
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
  static const Atom kObserved("observedGeneration");
  const Value& status = tree.Get(N().status);
  NonNegativeFields(status, {N().replicas, N().labelled, N().ready, N().available, kObserved},
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
  static const Atom kObserved("observedGeneration"), kUnavailable("unavailableReplicas");
  const Value& status = tree.Get(N().status);
  NonNegativeFields(status,
                    {kObserved, N().replicas, N().updated, N().ready, N().available, kUnavailable},
                    FieldPath("status"), errors);
  AtMost(status, N().updated, N().replicas, kMoreThanReplicas, errors);
  AtMost(status, N().ready, N().replicas, kMoreThanReplicas, errors);
  AtMost(status, N().available, N().replicas, kMoreThanReplicas, errors);
  AtMost(status, N().available, N().ready, kMoreThanReady, errors);
}

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
  NonNegativeFields(spec, {N().min_ready, N().history}, path, errors);
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
  NonNegativeFields(spec, {N().replicas, N().min_ready}, path, errors);
  const Value& selector = spec.Get(N().selector);
  if (selector.is_null()) {
    errors->Required(path.Child("selector"));
  } else {
    ValidateLabelSelector(selector, path.Child("selector"), errors);
    if (IsEmptySelector(selector)) {
      errors->Invalid(path.Child("selector"), selector, GoShape::kLabelSelector,
                      "empty selector is invalid for statefulset");
    }
  }
  const auto parsed = value::LabelSelector::FromObject(selector);
  if (parsed.ok()) {
    CheckMatch(*parsed, spec, path, errors);
    ValidatePodTemplate(spec.Get(N().tmpl), path.Child("template"), errors);
  } else {
    errors->Invalid(path.Child("selector"), selector, GoShape::kLabelSelector,
                    "invalid label selector");
  }
  CheckAlways("StatefulSet", spec, path, errors);
}

void ValidateJobSpec(const Value& tree, FieldErrorList* errors) {
  static const Atom kParallelism("parallelism"), kCompletions("completions"),
      kBackoff("backoffLimit"), kTtl("ttlSecondsAfterFinished");
  const FieldPath path("spec");
  const Value& spec = tree.Get(N().spec);
  NonNegativeFields(spec, {kParallelism, kCompletions, N().deadline, kBackoff, kTtl}, path, errors);
  const Value& selector = spec.Get(N().selector);
  if (selector.is_null()) {
    errors->Required(path.Child("selector"));
  } else {
    ValidateLabelSelector(selector, path.Child("selector"), errors);
  }
  const auto parsed = value::LabelSelector::FromObject(selector);
  if (parsed.ok()) CheckMatch(*parsed, spec, path, errors);
  ValidatePodTemplate(spec.Get(N().tmpl), path.Child("template"), errors);
  const FieldPath tmpl = path.Child("template");
  const FieldPath pod = tmpl.Child("spec");
  const std::string_view policy =
      spec.Get(N().tmpl).Get(N().spec).Get(N().restart_policy).AsString();
  if (policy.empty() || policy == "Always") {
    errors->Required(pod.Child("restartPolicy"), "valid values: \"OnFailure\", \"Never\"");
  } else if (policy != "OnFailure" && policy != "Never") {
    errors->NotSupported(pod.Child("restartPolicy"), policy, {"OnFailure", "Never"});
  }
}

}  // namespace ksim::api
