// The kind Job of batch/v1.
//
// Sources: pkg/apis/batch/validation/validation.go ValidateJob; pkg/registry/batch/job/strategy.go.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ksim/api/conditions.h"
#include "ksim/api/core/fields.h"
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/core/timestamps.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/api/kinds/batch/job_policies.h"
#include "ksim/api/kinds/batch/job_rules.h"
#include "ksim/api/kinds/batch/job_spec.h"
#include "ksim/api/kinds/batch/job_status_rules.h"
#include "ksim/api/kinds/shared/pod_template.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/meta_validation.h"
#include "ksim/api/rules/workload_checks.h"
#include "ksim/api/schema/shared_patch_schemas.h"
#include "ksim/value/selector.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Path;
using value::Value;

namespace {

constexpr std::string_view kJobTypes = R"(
Job: apiVersion=string kind=string metadata=ObjectMeta spec=JobSpec status=JobStatus
JobCondition: lastProbeTime=Time lastTransitionTime=Time message=string reason=string
   status!=s:ConditionStatus type!=s:JobConditionType
JobSpec: activeDeadlineSeconds=*int64 backoffLimit=*int32 backoffLimitPerIndex=*int32
   completionMode=*s:CompletionMode completions=*int32 managedBy=*string manualSelector=*bool
   maxFailedIndexes=*int32 parallelism=*int32 podFailurePolicy=*PodFailurePolicy
   podReplacementPolicy=*s:PodReplacementPolicy selector=*LabelSelector
   successPolicy=*SuccessPolicy suspend=*bool template!=PodTemplateSpec
   ttlSecondsAfterFinished=*int32
JobStatus: active=int32 completedIndexes=string completionTime=*Time conditions=[]JobCondition
   failed=int32 failedIndexes=*string ready=*int32 startTime=*Time succeeded=int32
   terminating=*int32 uncountedTerminatedPods=*UncountedTerminatedPods
PodFailurePolicy: rules!=[]PodFailurePolicyRule
PodFailurePolicyOnExitCodesRequirement: containerName=*string
   operator!=s:PodFailurePolicyOnExitCodesOperator values!=[]int32
PodFailurePolicyOnPodConditionsPattern: status!=s:ConditionStatus type!=s:PodConditionType
PodFailurePolicyRule: action!=s:PodFailurePolicyAction
   onExitCodes=*PodFailurePolicyOnExitCodesRequirement
   onPodConditions=[]PodFailurePolicyOnPodConditionsPattern
SuccessPolicy: rules!=[]SuccessPolicyRule
SuccessPolicyRule: succeededCount=*int32 succeededIndexes=*string
UncountedTerminatedPods: failed=[]s:types.UID succeeded=[]s:types.UID
)";

// batch/v1 SetDefaults_Job.
Value DefaultJobSpec(const Value& s, Compat compat) {
  Value spec = s;
  if (spec.Get(Fields().completions).is_null() && spec.Get(Fields().parallelism).is_null()) {
    spec = WithDefault(std::move(spec), Fields().completions, Value::Of(1));
  }
  spec = WithDefault(std::move(spec), Fields().parallelism, Value::Of(1));
  const bool per_index = !spec.Get(Fields().backoff_limit_per_index).is_null();
  spec =
      WithDefault(std::move(spec), Fields().backoff_limit, Value::Of(per_index ? 2147483647 : 6));
  spec = WithDefault(std::move(spec), Fields().completion_mode, Value::Of("NonIndexed"));
  spec = WithDefault(std::move(spec), Fields().suspend, Value::Bool(false));
  if (ProfileOf(compat).job_pod_replacement_policy) {
    const bool failed = !spec.Get(Fields().pod_failure_policy).is_null();
    spec = WithDefault(std::move(spec), Fields().pod_replacement_policy,
                       Value::Of(failed ? "Failed" : "TerminatingOrFailed"));
  }
  if (ProfileOf(compat).job_manual_selector)
    spec = WithDefault(std::move(spec), Fields().manual_selector, Value::Bool(false));
  return WithDefaultTemplate(DefaultFailurePolicy(spec), compat);
}

Value DefaultJob(const Value& tree, Compat compat) {
  return LabelsFromTemplate(
      EditSpec(tree, [&](const Value& s) { return DefaultJobSpec(s, compat); }));
}

// pkg/registry/batch/job/strategy.go PrepareForCreate: fields whose gates are off are dropped. In
// 1.25 an annotation says that the Job is tracked with finalizers.
Value DropDisabledJobFields(Value tree, Compat compat) {
  const Profile& profile = ProfileOf(compat);
  const auto drop = [&tree](const char* field) {
    const Path place{"spec", field};
    tree = tree.Erase(place);
  };
  if (!profile.job_managed_by) {
    drop("managedBy");
    drop("successPolicy");
  }
  if (!profile.job_backoff_limit_per_index) {
    drop("backoffLimitPerIndex");
    drop("maxFailedIndexes");
    drop("podFailurePolicy");
  }
  if (!profile.job_pod_replacement_policy) drop("podReplacementPolicy");
  static const Path kTracking{"metadata", "annotations", "batch.kubernetes.io/job-tracking"};
  if (profile.job_tracking_annotation) tree = std::move(tree).Set(kTracking, Value::Of(""));
  return tree;
}

// generateSelector: the job's own uid selects its pods, unless the user wants to do it
// (manualSelector).
Value PrepareNewJob(Value tree, Compat compat) {
  tree = DropDisabledJobFields(std::move(tree), compat);
  static const Path kManual{"spec", "manualSelector"};
  static const Path kLabels{"spec", "template", "metadata", "labels"};
  static const Path kOwnLabels{"metadata", "labels"};
  static const Path kMatchLabels{"spec", "selector", "matchLabels"};
  static const Path kUid{"metadata", "uid"};
  static const Path kName{"metadata", "name"};
  if (tree.Get(kManual).AsBool()) return tree;
  const Value uid = tree.Get(kUid);
  const Value name = tree.Get(kName);
  Value labels = tree.Get(kLabels);
  if (!labels.is_object()) labels = Value::EmptyObject();
  // A label that is there stays; validation refuses one that is wrong.
  const auto add = [&labels](std::string_view label, const Value& value) {
    if (!labels.Has(label)) labels = std::move(labels).Set(label, value);
  };
  const bool prefixed = ProfileOf(compat).job_prefixed_labels;
  add("job-name", name);
  add("controller-uid", uid);
  if (prefixed) {
    add("batch.kubernetes.io/job-name", name);
    add("batch.kubernetes.io/controller-uid", uid);
  }
  Value matched = tree.Get(kMatchLabels);
  if (!matched.is_object()) matched = Value::EmptyObject();
  const std::string_view selected =
      prefixed ? "batch.kubernetes.io/controller-uid" : "controller-uid";
  if (!matched.Has(selected)) matched = std::move(matched).Set(selected, uid);
  // A Job without labels has those of its template, with the ones that this function adds: the
  // server defaults an object whenever it reads it (pkg/apis/batch/v1/defaults.go SetDefaults_Job).
  if (tree.Get(kOwnLabels).empty()) tree = std::move(tree).Set(kOwnLabels, labels);
  return std::move(tree).Set(kLabels, std::move(labels)).Set(kMatchLabels, std::move(matched));
}

void ValidateJob(const Value& tree, FieldErrorList* errors) {
  const FieldPath path("spec");
  const Value& spec = tree.Get(Fields().spec);
  CheckGeneratedSelector(tree, errors);
  CheckJobSpec(spec, path, errors);
  const Value& selector = spec.Get(Fields().selector);
  if (selector.is_null()) {
    errors->Required(path.Child("selector"));
  } else {
    ValidateLabelSelector(selector, path.Child("selector"), errors);
  }
  const auto parsed = value::LabelSelector::FromObject(selector);
  if (parsed.ok()) CheckMatch(*parsed, spec, path, errors);
  CheckPodHostname(tree, errors);
}

// ValidateJobSpecUpdate.
void ValidateJobUpdate(const Value& tree, const Value& old, FieldErrorList* errors) {
  const FieldPath path("spec");
  const Value& now = tree.Get(Fields().spec);
  const Value& before = old.Get(Fields().spec);
  const bool indexed = now.Get(Fields().completion_mode).AsString() == "Indexed";
  const Value& completions = now.Get(Fields().completions);
  if (!indexed || !errors->profile().elastic_indexed_job) {
    ValidateImmutable(completions, before.Get(Fields().completions), GoShape::kOther,
                      path.Child("completions"), errors);
  } else if (completions.is_int() && completions != before.Get(Fields().completions) &&
             completions != now.Get(Fields().parallelism)) {
    errors->Invalid(path.Child("completions"), completions.AsInt(),
                    "can only be modified in tandem with spec.parallelism");
  }
  ValidateImmutable(now.Get(Fields().selector), before.Get(Fields().selector),
                    GoShape::kLabelSelector, path.Child("selector"), errors);
  CheckTemplateUpdate(tree, old, path, errors);
  for (const char* field : {"completionMode", "podFailurePolicy", "backoffLimitPerIndex",
                            "managedBy", "successPolicy"}) {
    ValidateImmutable(now.Get(field), before.Get(field), GoShape::kOther, path.Child(field),
                      errors);
  }
}

std::string JobStatusText(const Object& o) {
  const Value& conditions = o.status().Get("conditions");
  const auto has = [&](const char* type) { return ConditionStatus(conditions, type) == "True"; };
  if (has("Complete")) return "Complete";
  if (has("Failed")) return "Failed";
  if (o.deleting()) return "Terminating";
  for (const char* type : {"Suspended", "FailureTarget", "SuccessCriteriaMet"})
    if (has(type)) return type;
  return "Running";
}

std::vector<std::string> JobCells(const Object& o, VirtualTime now) {
  const std::int64_t done = o.status().Get("succeeded").AsInt();
  const Value& wanted = o.spec().Get("completions");
  const std::int64_t parallelism = o.spec().Get("parallelism").AsInt();
  std::string completions = fmt::format("{}/1", done);
  if (wanted.is_int()) {
    completions = fmt::format("{}/{}", done, wanted.AsInt());
  } else if (parallelism > 1) {
    completions += fmt::format(" of {}", parallelism);
  }
  const std::optional<VirtualTime> start = TimeOf(o.status().Get("startTime"));
  const std::optional<VirtualTime> end = TimeOf(o.status().Get("completionTime"));
  const std::string duration = start ? AgeSince(start, end.value_or(now)) : "";
  return cells::WithSelector(
      {cells::Name(o), JobStatusText(o), completions, duration, cells::Age(o, now)}, o);
}

std::vector<std::string> JobWarnings(const Value& tree, Compat compat) {
  std::vector<std::string> warnings = PodNameWarnings(tree, compat);
  WarnOfJobSpec(tree.Get("spec"), "spec", compat, &warnings);
  return warnings;
}

std::vector<std::string> JobUpdateWarnings(const Value& updated, const Value& old, Compat compat) {
  std::vector<std::string> warnings;
  if (HasNewGeneration(updated, old)) WarnOfJobSpec(updated.Get("spec"), "spec", compat, &warnings);
  return warnings;
}

}  // namespace

extern const KindSpec kJobKind = {
    .group = "batch",
    .kind = "Job",
    .resource = "jobs",
    .category = "all",
    .has_status = true,
    .has_generation = true,
    .go_types = kJobTypes,
    .patch_schema = &kWorkloadPatch,
    .columns = {{"Name"},
                {"Status"},
                {"Completions"},
                {"Duration"},
                {"Age"},
                {"Containers", kWide},
                {"Images", kWide},
                {"Selector", kWide}},
    .cells = JobCells,
    .defaults = DefaultJob,
    .prepare_create = PrepareNewJob,
    .validation =
        {
            .on_create = {kCheckMeta, kCheckObject},
            .on_update = {kCheckMeta, kCheckObject, kCheckMetaUpdate, kCheckObject, kCheckChange},
            .on_status_update = {kCheckMetaUpdate, kCheckChange},
            .object = ValidateJob,
            .change = ValidateJobUpdate,
            .status_change = ValidateJobStatusUpdate,
        },
    .warnings_on_create = JobWarnings,
    .warnings_on_update = JobUpdateWarnings,
};

}  // namespace ksim::api
