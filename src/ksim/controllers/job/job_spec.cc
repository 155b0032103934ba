#include "ksim/controllers/job/job_spec.h"

#include <algorithm>

#include "ksim/api/core/fields.h"
#include "ksim/api/pod.h"
#include "ksim/controllers/common/finalizers.h"

namespace ksim::controllers {

using value::Value;

namespace {

constexpr std::string_view kJobControllerName = "kubernetes.io/job-controller";

std::optional<std::int64_t> OptionalInt(const Value& v) {
  return v.is_int() ? std::optional<std::int64_t>(v.AsInt()) : std::nullopt;
}

}  // namespace

JobSpec::JobSpec(const api::Object& job, const Profile& profile) {
  const Value& spec = job.spec();
  const api::FieldNames& f = api::Fields();
  parallelism = OptionalInt(spec.Get(f.parallelism)).value_or(1);
  backoff_limit = OptionalInt(spec.Get(f.backoff_limit)).value_or(6);
  completions = OptionalInt(spec.Get(f.completions));
  const std::optional<std::int64_t> deadline = OptionalInt(spec.Get(f.active_deadline_seconds));
  if (deadline) active_deadline = Seconds(*deadline);
  const std::string_view mode = spec.Get(f.completion_mode).AsString();
  indexed = mode == "Indexed";
  known_mode = indexed || mode.empty() || mode == "NonIndexed";
  suspended = spec.Get(f.suspend).AsBool();
  restarts_on_failure =
      spec.Get(f.template_).Get(f.spec).Get("restartPolicy").AsString() == "OnFailure";
  if (profile.job_backoff_limit_per_index) {
    backoff_limit_per_index = OptionalInt(spec.Get(f.backoff_limit_per_index));
    max_failed_indexes = OptionalInt(spec.Get(f.max_failed_indexes));
  }
  if (profile.job_pod_failure_policy) failure_policy = spec.Get(f.pod_failure_policy);
  if (profile.job_success_policy) success_policy = spec.Get("successPolicy");
  const bool wants_failed = spec.Get(f.pod_replacement_policy).AsString() == "Failed";
  replaces_failed_only =
      (profile.job_pod_replacement_policy && wants_failed) || !failure_policy.is_null();
  const Value& manager = spec.Get("managedBy");
  if (profile.job_managed_by && manager.is_string() && manager.AsString() != kJobControllerName)
    managed_by = std::string(manager.AsString());
}

std::string_view JobFinishedBy(const api::Object& job) {
  for (const Value& condition : job.status().Get(api::Fields().conditions).items()) {
    const std::string_view type = condition.Get("type").AsString();
    if (condition.Get("status").AsString() != "True") continue;
    if (type == "Complete") return "Complete";
    if (type == "Failed") return "Failed";
  }
  return "";
}

bool RepeatsAnother(const api::Object& job, const std::vector<api::Object>& jobs) {
  const std::optional<api::OwnerReference> owner = job.controller();
  if (!owner || owner->kind != "CronJob") return false;
  return std::any_of(jobs.begin(), jobs.end(), [&](const api::Object& other) {
    const std::optional<api::OwnerReference> its = other.controller();
    return its && its->uid == owner->uid && other.creation_time() < job.creation_time();
  });
}

bool HasTrackingFinalizer(const api::Object& pod) {
  return HasFinalizer(pod, kJobTrackingFinalizer);
}

bool CountsAsFailed(const api::Object& pod, const JobSpec& spec) {
  const std::string_view phase = api::PodView(pod).phase();
  if (phase == "Failed") return true;
  if (spec.replaces_failed_only) return false;
  // Orphans may never reach the phase Failed.
  return pod.deleting() && phase != "Succeeded";
}

}  // namespace ksim::controllers
