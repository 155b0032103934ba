// Jobs and CronJobs.
//
// Source: pkg/apis/batch/validation/validation.go.
#include <fmt/format.h>

#include <string>
#include <utility>

#include "ksim/api/kinds/kind_validation.h"
#include "ksim/api/rules/cron_schedule.h"
#include "ksim/api/rules/meta_validation.h"
#include "ksim/api/rules/pod/pod_validation.h"
#include "ksim/api/rules/workload_checks.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

struct Names {
  Atom completions{"completions"}, failed_indexes{"maxFailedIndexes"}, metadata{"metadata"},
      mode{"completionMode"}, parallelism{"parallelism"}, per_index{"backoffLimitPerIndex"},
      policy{"podFailurePolicy"}, selector{"selector"}, spec{"spec"}, tmpl{"template"};
};
const Names& N() {
  static const Names names;
  return names;
}

void CheckCompletionMode(const Value& spec, const FieldPath& path, FieldErrorList* errors) {
  const std::string_view mode = spec.Get(N().mode).AsString();
  if (!mode.empty() && mode != "NonIndexed" && mode != "Indexed") {
    errors->NotSupported(path.Child("completionMode"), mode, {"NonIndexed", "Indexed"});
  }
  if (mode == "Indexed") {
    const Value& parallelism = spec.Get(N().parallelism);
    if (spec.Get(N().completions).is_null()) {
      errors->Required(path.Child("completions"), "when completion mode is Indexed");
    }
    if (parallelism.AsInt() > 100000) {
      errors->Invalid(path.Child("parallelism"), parallelism.AsInt(),
                      "must be less than or equal to 100000 when completion mode is Indexed");
    }
  } else if (mode.empty() || mode == "NonIndexed") {
    for (const Atom field : {N().per_index, N().failed_indexes}) {
      if (spec.Get(field).is_null()) continue;
      errors->Invalid(path.Child(field.text()), spec.Get(field).AsInt(),
                      "requires indexed completion mode");
    }
  }
}

void CheckReplacement(const Value& spec, const FieldPath& path, FieldErrorList* errors) {
  const Value& replacement = spec.Get("podReplacementPolicy");
  if (replacement.is_null()) return;
  const FieldPath at = path.Child("podReplacementPolicy");
  const std::string_view policy = replacement.AsString();
  if (!spec.Get(N().policy).is_null()) {
    if (policy != "Failed") errors->NotSupported(at, policy, {"Failed"});
  } else if (policy != "Failed" && policy != "TerminatingOrFailed") {
    errors->NotSupported(at, policy, {"Failed", "TerminatingOrFailed"});
  }
}

void CheckRestartPolicy(const Value& spec, const FieldPath& path, FieldErrorList* errors) {
  const FieldPath tmpl = path.Child("template");
  const FieldPath pod = tmpl.Child("spec");
  const std::string_view policy = spec.Get(N().tmpl).Get(N().spec).Get("restartPolicy").AsString();
  if (policy.empty() || policy == "Always") {
    errors->Required(pod.Child("restartPolicy"), "valid values: \"OnFailure\", \"Never\"");
  } else if (policy != "OnFailure" && policy != "Never") {
    errors->NotSupported(pod.Child("restartPolicy"), policy, {"OnFailure", "Never"});
  } else if (policy != "Never" && !spec.Get(N().policy).is_null()) {
    errors->Invalid(pod.Child("restartPolicy"), policy,
                    "only \"Never\" is supported when podFailurePolicy is specified");
  }
}

// validateJobSpec: what a Job and a CronJob's template have in common. Of the failure and success
// policies nothing is looked at.
void CheckJob(const Value& spec, const FieldPath& path, FieldErrorList* errors) {
  static const Atom kDeadline("activeDeadlineSeconds"), kBackoff("backoffLimit"),
      kTtl("ttlSecondsAfterFinished");
  NonNegativeFields(spec,
                    {N().parallelism, N().completions, kDeadline, kBackoff, kTtl, N().per_index,
                     N().failed_indexes},
                    path, errors);
  if (!spec.Get(N().failed_indexes).is_null() && spec.Get(N().per_index).is_null()) {
    errors->Required(path.Child("backoffLimitPerIndex"), "when maxFailedIndexes is specified");
  }
  CheckCompletionMode(spec, path, errors);
  CheckReplacement(spec, path, errors);
  ValidatePodTemplate(spec.Get(N().tmpl), path.Child("template"), errors);
  CheckRestartPolicy(spec, path, errors);
}

void CheckSchedule(const Value& spec, const FieldPath& path, FieldErrorList* errors) {
  const std::string_view schedule = spec.Get("schedule").AsString();
  const FieldPath at = path.Child("schedule");
  if (schedule.empty()) return errors->Required(at);
  const std::string problem = CronProblem(schedule);
  if (!problem.empty()) errors->Invalid(at, schedule, problem);
  if (schedule.find("TZ") != schedule.npos && errors->compat() != Compat::k1_25) {
    errors->Invalid(at, schedule,
                    "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
  }
}

}  // namespace

void ValidateJobSpec(const Value& tree, FieldErrorList* errors) {
  const FieldPath path("spec");
  const Value& spec = tree.Get(N().spec);
  CheckJob(spec, path, errors);
  const Value& selector = spec.Get(N().selector);
  if (selector.is_null()) {
    errors->Required(path.Child("selector"));
  } else {
    ValidateLabelSelector(selector, path.Child("selector"), errors);
  }
  const auto parsed = value::LabelSelector::FromObject(selector);
  if (parsed.ok()) CheckMatch(*parsed, spec, path, errors);
}

// ValidateJobSpecUpdate.
void ValidateJobUpdate(const Value& tree, const Value& old, FieldErrorList* errors) {
  const FieldPath path("spec");
  const Value& now = tree.Get(N().spec);
  const Value& before = old.Get(N().spec);
  const bool indexed = now.Get(N().mode).AsString() == "Indexed";
  const Value& completions = now.Get(N().completions);
  if (!indexed || errors->compat() == Compat::k1_25) {
    ValidateImmutable(completions, before.Get(N().completions), GoShape::kOther,
                      path.Child("completions"), errors);
  } else if (completions.is_int() && completions != before.Get(N().completions) &&
             completions != now.Get(N().parallelism)) {
    errors->Invalid(path.Child("completions"), completions.AsInt(),
                    "can only be modified in tandem with spec.parallelism");
  }
  ValidateImmutable(now.Get(N().selector), before.Get(N().selector), GoShape::kLabelSelector,
                    path.Child("selector"), errors);
  for (const char* field : {"template", "completionMode", "podFailurePolicy",
                            "backoffLimitPerIndex", "managedBy", "successPolicy"}) {
    ValidateImmutable(now.Get(field), before.Get(field), GoShape::kOther, path.Child(field),
                      errors);
  }
}

void ValidateCronJobSpec(const Value& tree, FieldErrorList* errors) {
  static const Atom kDeadline("startingDeadlineSeconds"), kKept("successfulJobsHistoryLimit"),
      kFailed("failedJobsHistoryLimit");
  const FieldPath path("spec");
  const Value& spec = tree.Get(N().spec);
  CheckSchedule(spec, path, errors);
  NonNegativeFields(spec, {kDeadline}, path, errors);
  const std::string_view policy = spec.Get("concurrencyPolicy").AsString();
  if (policy.empty()) {
    errors->Required(path.Child("concurrencyPolicy"));
  } else if (policy != "Allow" && policy != "Forbid" && policy != "Replace") {
    errors->NotSupported(path.Child("concurrencyPolicy"), policy, {"Allow", "Forbid", "Replace"});
  }
  const FieldPath tmpl = path.Child("jobTemplate");
  const FieldPath job = tmpl.Child("spec");
  const Value& job_spec = spec.Get("jobTemplate").Get(N().spec);
  CheckJob(job_spec, job, errors);
  if (!job_spec.Get(N().selector).is_null()) {
    errors->Invalid(job.Child("selector"), job_spec.Get(N().selector), GoShape::kLabelSelector,
                    "`selector` will be auto-generated");
  }
  if (job_spec.Get("manualSelector").AsBool()) {
    errors->Add("FieldValueNotSupported",
                "Unsupported value: true: supported values: \"nil\", \"false\"",
                job.Child("manualSelector").ToString());
  }
  NonNegativeFields(spec, {kKept, kFailed}, path, errors);
}

// Its jobs' names are eleven letters longer.
void ValidateCronJobName(const Value& tree, FieldErrorList* errors) {
  const FieldPath metadata("metadata");
  const std::string_view name = tree.Get(N().metadata).Get("name").AsString();
  if (name.size() <= 52) return;
  errors->Invalid(metadata.Child("name"), name, "must be no more than 52 characters");
}

}  // namespace ksim::api
