// The kind CronJob of batch/v1.
//
// Source: pkg/apis/batch/validation/validation.go ValidateCronJob.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ksim/api/core/ascii_lower.h"
#include "ksim/api/core/fields.h"
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/core/timestamps.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/api/kinds/batch/job_policies.h"
#include "ksim/api/kinds/batch/job_spec.h"
#include "ksim/api/kinds/shared/pod_template.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/cron_schedule.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/workload_checks.h"
#include "ksim/api/schema/shared_patch_schemas.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Path;
using value::Value;

namespace {

constexpr std::string_view kCronJobTypes = R"(
CronJob: apiVersion=string kind=string metadata=ObjectMeta spec=CronJobSpec status=CronJobStatus
CronJobSpec: concurrencyPolicy=s:ConcurrencyPolicy failedJobsHistoryLimit=*int32
   jobTemplate!=JobTemplateSpec schedule!=string startingDeadlineSeconds=*int64
   successfulJobsHistoryLimit=*int32 suspend=*bool timeZone=*string
CronJobStatus: active=[]ObjectReference lastScheduleTime=*Time lastSuccessfulTime=*Time
JobTemplateSpec: metadata=ObjectMeta spec=JobSpec
)";

Value DefaultCronJob(const Value& tree, Compat compat) {
  return EditSpec(tree, [&](const Value& s) {
    Value spec = WithNonEmpty(s, Fields().concurrency_policy, Value::Of("Allow"));
    spec = WithDefault(std::move(spec), Fields().suspend, Value::Bool(false));
    spec = WithDefault(std::move(spec), Fields().successful_jobs_history_limit, Value::Of(3));
    spec = WithDefault(std::move(spec), Fields().failed_jobs_history_limit, Value::Of(1));
    // The job template gets the defaults of its pod template and of its failure policy only. A Job
    // gets its own when the controller creates it.
    spec = WithDefault(std::move(spec), Fields().job_template, Value::EmptyObject());
    return EditField(std::move(spec), Fields().job_template, [&](const Value& t) {
      return EditSpec(t, [&](const Value& job) {
        return WithDefaultTemplate(DefaultFailurePolicy(job), compat);
      });
    });
  });
}

bool NamesTimeZone(const Value& spec) {
  return spec.Get("schedule").AsString().find("TZ") != std::string_view::npos;
}

// `old` is the spec before an update, or null.
void CheckSchedule(const Value& spec, const Value& old, const FieldPath& path,
                   FieldErrorList* errors) {
  const std::string_view schedule = spec.Get("schedule").AsString();
  const FieldPath at = path.Child("schedule");
  if (schedule.empty()) return errors->Required(at);
  const std::string problem = CronProblem(schedule);
  if (!problem.empty()) errors->Invalid(at, schedule, problem);
  if (!NamesTimeZone(spec)) return;
  // One that was there before may stay.
  if (errors->profile().cron_refuses_time_zone && !NamesTimeZone(old)) {
    errors->Invalid(at, schedule,
                    "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
  } else if (spec.Get("timeZone").is_string()) {
    errors->Invalid(at, schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule");
  }
}

// validTimeZoneCharacters: what may stand between the slashes of a zone's name.
bool IsTimeZonePart(std::string_view part) {
  if (part.empty() || part.size() > 14 || part == "." || part == ".." || part.starts_with('-'))
    return false;
  return std::all_of(part.begin(), part.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_' || c == '+';
  });
}

void CheckTimeZone(const Value& zone, const FieldPath& at, FieldErrorList* errors) {
  if (!zone.is_string()) return;
  const std::string_view name = zone.AsString();
  if (name.empty()) return errors->Invalid(at, name, "timeZone must be nil or non-empty string");
  for (std::string_view rest = name;;) {
    const std::size_t slash = rest.find('/');
    if (!IsTimeZonePart(rest.substr(0, slash)))
      return errors->Invalid(at, name, fmt::format("unknown time zone {}", name));
    if (slash == rest.npos) break;
    rest.remove_prefix(slash + 1);
  }
  if (AsciiLower(name) == "local")
    errors->Invalid(at, name,
                    "timeZone must be an explicit time zone as defined in "
                    "https://www.iana.org/time-zones");
  const std::string problem = TimeZoneProblem(name);
  if (!problem.empty()) errors->Invalid(at, name, problem);
}

// validateCronJobSpec. `old` is the spec before an update, or null.
void CheckCronJobSpec(const Value& spec, const Value& old, FieldErrorList* errors) {
  const FieldPath path("spec");
  CheckSchedule(spec, old, path, errors);
  NonNegativeFields(spec, {Fields().starting_deadline_seconds}, path, errors);
  if (old.is_null() || old.Get("timeZone") != spec.Get("timeZone"))
    CheckTimeZone(spec.Get("timeZone"), path.Child("timeZone"), errors);
  const std::string_view policy = spec.Get("concurrencyPolicy").AsString();
  if (policy.empty()) {
    errors->Required(path.Child("concurrencyPolicy"));
  } else if (policy != "Allow" && policy != "Forbid" && policy != "Replace") {
    errors->NotSupported(path.Child("concurrencyPolicy"), policy, {"Allow", "Forbid", "Replace"});
  }
  const FieldPath tmpl = path.Child("jobTemplate");
  const FieldPath job = tmpl.Child("spec");
  const Value& job_spec = spec.Get("jobTemplate").Get(Fields().spec);
  CheckJobSpec(job_spec, job, errors);
  if (!job_spec.Get(Fields().selector).is_null()) {
    errors->Invalid(job.Child("selector"), job_spec.Get(Fields().selector), GoShape::kLabelSelector,
                    "`selector` will be auto-generated");
  }
  if (job_spec.Get("manualSelector").AsBool()) {
    errors->Add("FieldValueNotSupported",
                "Unsupported value: true: supported values: \"nil\", \"false\"",
                job.Child("manualSelector").ToString());
  }
  NonNegativeFields(spec,
                    {Fields().successful_jobs_history_limit, Fields().failed_jobs_history_limit},
                    path, errors);
}

void ValidateCronJob(const Value& tree, FieldErrorList* errors) {
  CheckCronJobSpec(tree.Get(Fields().spec), Value(), errors);
}

void ValidateCronJobUpdate(const Value& updated, const Value& old, FieldErrorList* errors) {
  CheckCronJobSpec(updated.Get(Fields().spec), old.Get(Fields().spec), errors);
}

// ValidateCronJobCreate: the names of its Jobs are eleven letters longer.
void ValidateCronJobName(const Value& tree, FieldErrorList* errors) {
  const FieldPath metadata("metadata");
  const std::string_view name = tree.Get(Fields().metadata).Get("name").AsString();
  if (name.size() <= 52) return;
  errors->Invalid(metadata.Child("name"), name, "must be no more than 52 characters");
}

void WarnOfJobTemplate(const Value& tree, Compat compat, std::vector<std::string>* warnings) {
  static const Path kJob{"spec", "jobTemplate", "spec"};
  WarnOfJobSpec(tree.Get(kJob), "spec.jobTemplate.spec", compat, warnings);
}

void WarnOfTimeZone(const Value& tree, Compat compat, std::vector<std::string>* warnings) {
  if (tree.Get("spec").Get("schedule").AsString().find("TZ") == std::string_view::npos) return;
  constexpr std::string_view kSee =
      "see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details";
  warnings->push_back(
      ProfileOf(compat).cron_time_zone_is_refused
          ? fmt::format("cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, {}",
                        kSee)
          : fmt::format("CRON_TZ or TZ used in spec.spec.schedule is not officially supported, {}",
                        kSee));
}

std::vector<std::string> CronJobWarnings(const Value& tree, Compat compat) {
  std::vector<std::string> warnings = PodNameWarnings(tree, compat);
  WarnOfJobTemplate(tree, compat, &warnings);
  // Where a time zone is refused, validation says so.
  if (!ProfileOf(compat).cron_time_zone_is_refused) WarnOfTimeZone(tree, compat, &warnings);
  return warnings;
}

std::vector<std::string> CronJobUpdateWarnings(const Value& updated, const Value& old,
                                               Compat compat) {
  std::vector<std::string> warnings;
  if (HasNewGeneration(updated, old)) WarnOfJobTemplate(updated, compat, &warnings);
  WarnOfTimeZone(updated, compat, &warnings);
  return warnings;
}

std::vector<std::string> CronJobCells(const Object& o, VirtualTime now) {
  const std::optional<VirtualTime> last = TimeOf(o.status().Get("lastScheduleTime"));
  const Value& zone = o.spec().Get("timeZone");
  static const value::Path kContainers{"spec",     "jobTemplate", "spec",
                                       "template", "spec",        "containers"};
  static const value::Path kSelector{"spec", "jobTemplate", "spec", "selector"};
  return {cells::Name(o),
          cells::Text(o.spec().Get("schedule")),
          zone.is_null() ? "<none>" : cells::Text(zone),
          o.spec().Get("suspend").AsBool() ? "True" : "False",
          std::to_string(o.status().Get("active").size()),
          last ? AgeSince(last, now) : "<none>",
          cells::Age(o, now),
          cells::JoinField(o.Get(kContainers), "name"),
          cells::JoinField(o.Get(kContainers), "image"),
          o.Get(kSelector).is_null() ? "<none>" : SelectorText(o.Get(kSelector))};
}

constexpr value::PatchField kJobTemplatePatchFields[] = {Nested("metadata", &kMetaPatch),
                                                         Nested("spec", &kWorkloadSpecPatch)};
constexpr value::PatchSchema kJobTemplatePatch{kJobTemplatePatchFields};
constexpr value::PatchField kCronJobSpecPatchFields[] = {Nested("jobTemplate", &kJobTemplatePatch)};
constexpr value::PatchSchema kCronJobSpecPatch{kCronJobSpecPatchFields};
constexpr value::PatchField kCronJobPatchFields[] = {Nested("metadata", &kMetaPatch),
                                                     Nested("spec", &kCronJobSpecPatch)};
constexpr value::PatchSchema kCronJobPatch{kCronJobPatchFields};

}  // namespace

extern const KindSpec kCronJobKind = {
    .group = "batch",
    .kind = "CronJob",
    .resource = "cronjobs",
    .short_names = {"cj"},
    .category = "all",
    .has_status = true,
    .has_generation = true,
    .go_types = kCronJobTypes,
    .patch_schema = &kCronJobPatch,
    .columns = {{"Name"},
                {"Schedule"},
                {"Timezone"},
                {"Suspend"},
                {"Active"},
                {"Last Schedule"},
                {"Age"},
                {"Containers", kWide},
                {"Images", kWide},
                {"Selector", kWide}},
    .cells = CronJobCells,
    .defaults = DefaultCronJob,
    .validation =
        {
            .on_create = {kCheckMeta, kCheckObject, kCheckNewObject},
            .on_update = {kCheckMetaUpdate, kCheckChange},
            .on_status_update = {},
            .object = ValidateCronJob,
            .new_object = ValidateCronJobName,
            .change = ValidateCronJobUpdate,
        },
    .warnings_on_create = CronJobWarnings,
    .warnings_on_update = CronJobUpdateWarnings,
};

}  // namespace ksim::api
