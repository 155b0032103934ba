#include "ksim/api/kinds/batch/job_status_rules.h"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <string>

#include "ksim/api/conditions.h"
#include "ksim/api/core/fields.h"
#include "ksim/api/core/timestamps.h"
#include "ksim/api/kinds/batch/job_policies.h"
#include "ksim/api/rules/workload_checks.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::string_view kJobEnds[] = {"Failed", "Complete", "FailureTarget"};

bool ConditionHolds(const Value& status, std::string_view condition) {
  return ConditionStatus(status.Get(Fields().conditions), condition) == "True";
}
bool IsFinishedStatus(const Value& status) {
  return ConditionHolds(status, "Complete") || ConditionHolds(status, "Failed");
}

// One write: the new status, the one before, and the spec.
struct StatusWrite {
  const Value& spec;
  const Value& now;
  const Value& before;
  const FieldPath path;
  FieldErrorList* errors;

  bool Changed(std::string_view field) const { return now.Get(field) != before.Get(field); }
  bool Flipped(std::string_view condition) const {
    return ConditionHolds(now, condition) != ConditionHolds(before, condition);
  }
  bool FinishedChanged() const { return IsFinishedStatus(now) != IsFinishedStatus(before); }
  void Refuse(std::string_view detail) const {
    errors->Add("FieldValueInvalid", fmt::format("Invalid value: {}", detail),
                path.Child("conditions").ToString());
  }
  void Refuse(std::string_view field, std::string_view detail) const {
    const Value& bad = now.Get(field);
    const FieldPath at = path.Child(field);
    if (bad.is_int()) return errors->Invalid(at, bad.AsInt(), detail);
    if (bad.is_string()) return errors->Invalid(at, bad.AsString(), detail);
    errors->Invalid(at, bad, GoShape::kOther, detail);
  }
};

void CheckUncounted(const StatusWrite& w) {
  const FieldPath at = w.path.Child("uncountedTerminatedPods");
  std::set<std::string> seen;
  for (const char* list : {"succeeded", "failed"}) {
    const FieldPath list_at = at.Child(list);
    const Value& uids = w.now.Get("uncountedTerminatedPods").Get(list);
    for (std::size_t i = 0; i < uids.size(); ++i) {
      const std::string_view uid = uids.at(i).AsString();
      if (uid.empty()) {
        w.errors->Invalid(list_at.Index(i), uid, "must not be empty");
      } else if (!seen.emplace(uid).second) {
        w.errors->Duplicate(list_at.Index(i), uid);
      }
    }
  }
}

// Conditions and times that belong together.
void CheckEndings(const StatusWrite& w) {
  const bool complete = ConditionHolds(w.now, "Complete"), failed = ConditionHolds(w.now, "Failed");
  const bool complete_changed = w.Flipped("Complete");
  if ((complete_changed || w.Flipped("Failed")) && complete && failed)
    w.Refuse("cannot set Complete=True and Failed=true conditions");
  if ((complete_changed || w.Flipped("FailureTarget")) && complete &&
      ConditionHolds(w.now, "FailureTarget"))
    w.Refuse("cannot set Complete=True and FailureTarget=true conditions");
  const bool completion_changed = complete_changed || w.Changed("completionTime");
  const bool has_completion = w.now.Has("completionTime");
  if (completion_changed && has_completion && !complete)
    w.Refuse("completionTime",
             "cannot set completionTime when there is no Complete=True condition");
  if (completion_changed && !has_completion && complete)
    w.errors->Required(w.path.Child("completionTime"),
                       "completionTime is required for Complete jobs");
  const std::optional<VirtualTime> start = TimeOf(w.now.Get("startTime"));
  const std::optional<VirtualTime> end = TimeOf(w.now.Get("completionTime"));
  if ((w.Changed("startTime") || w.Changed("completionTime")) && start && end && *end < *start)
    w.Refuse("completionTime", "must be equal to or after `startTime`");
  if ((w.Flipped("Failed") || w.Changed("failedIndexes")) && failed &&
      !ConditionHolds(w.now, "FailureTarget"))
    w.Refuse("cannot set Failed=True condition without the FailureTarget=true condition");
  if ((complete_changed || w.Flipped("SuccessCriteriaMet")) && complete &&
      !ConditionHolds(w.now, "SuccessCriteriaMet"))
    w.Refuse("cannot set Complete=True condition without the SuccessCriteriaMet=true condition");
}

// A finished Job must have this, and must not have that.
void CheckFinished(const StatusWrite& w) {
  const bool finished = IsFinishedStatus(w.now);
  const bool changed = w.FinishedChanged();
  if ((changed || w.Changed("active")) && finished && w.now.Get("active").AsInt() > 0)
    w.Refuse("active", "active>0 is invalid for finished job");
  const bool never_starts =
      w.spec.Get(Fields().suspend).AsBool() && w.spec.Get(Fields().completions) == Value::Of(0);
  if ((changed || w.Changed("startTime")) && !never_starts && finished && !w.now.Has("startTime"))
    w.errors->Required(w.path.Child("startTime"), "startTime is required for finished job");
  const Value& uncounted = w.now.Get("uncountedTerminatedPods");
  if ((changed || w.Changed("uncountedTerminatedPods")) && finished &&
      uncounted.Get("failed").size() + uncounted.Get("succeeded").size() > 0)
    w.Refuse("uncountedTerminatedPods", "must be empty for finished job");
}

void CheckIndexes(const StatusWrite& w) {
  const Value& completions = w.spec.Get(Fields().completions);
  const Value& completed = w.now.Get("completedIndexes");
  const Value& failed = w.now.Get("failedIndexes");
  const bool per_index = !w.spec.Get(Fields().backoff_limit_per_index).is_null();
  std::int64_t total = 0;
  if (w.Changed("completedIndexes") && completions.is_int()) {
    const std::string problem = IndexesProblem(completed.AsString(), completions.AsInt(), &total);
    if (!problem.empty())
      w.Refuse("completedIndexes", fmt::format("error parsing completedIndexes: {}", problem));
  }
  if (w.Changed("failedIndexes") && completions.is_int() && per_index && failed.is_string()) {
    const std::string problem = IndexesProblem(failed.AsString(), completions.AsInt(), &total);
    if (!problem.empty())
      w.Refuse("failedIndexes", fmt::format("error parsing failedIndexes: {}", problem));
  }
  if (w.Changed("completedIndexes") && !completed.AsString().empty() &&
      w.spec.Get(Fields().completion_mode).AsString() != "Indexed")
    w.Refuse("completedIndexes",
             "cannot set non-empty completedIndexes when non-indexed completion mode");
  if (w.Changed("failedIndexes") && !per_index && failed.is_string())
    w.Refuse("failedIndexes",
             "cannot set non-null failedIndexes when backoffLimitPerIndex is null");
}

// Numbers and times that only go one way.
void CheckMoves(const StatusWrite& w) {
  for (const std::string_view end : kJobEnds) {
    if (ConditionHolds(w.before, end) && !ConditionHolds(w.now, end))
      w.Refuse(fmt::format("cannot disable the terminal {}=True condition", end));
  }
  if (w.now.Get("failed").AsInt() < w.before.Get("failed").AsInt())
    w.Refuse("failed", "cannot decrease the failed counter");
  const bool may_shrink = w.spec.Get(Fields().completion_mode).AsString() == "Indexed" &&
                          w.spec.Get(Fields().completions) == w.spec.Get(Fields().parallelism);
  if (!may_shrink && w.now.Get("succeeded").AsInt() < w.before.Get("succeeded").AsInt())
    w.Refuse("succeeded", "cannot decrease the succeeded counter");
  if (w.now.Has("completionTime") && w.before.Has("completionTime") && w.Changed("completionTime"))
    w.Refuse("completionTime", "field is immutable");
  const bool resumes = ConditionHolds(w.before, "Suspended") &&
                       ConditionStatus(w.now.Get(Fields().conditions), "Suspended") == "False";
  if (w.before.Has("startTime") && w.Changed("startTime") && !resumes &&
      !w.spec.Get(Fields().suspend).AsBool())
    w.Refuse("startTime", "field is immutable for unsuspended job once set");
}

// pkg/apis/batch/validation, validateJobStatus: `narrow` while no other Job than an indexed one
// with a success policy may meet its criteria (AllowForSuccessCriteriaMetInExtendedScope is not
// set).
void CheckSuccessCriteria(const StatusWrite& w, bool narrow) {
  const bool met = ConditionHolds(w.now, "SuccessCriteriaMet");
  if (narrow && met && w.spec.Get(Fields().completion_mode).AsString() != "Indexed")
    w.Refuse("cannot set SuccessCriteriaMet to NonIndexed Job");
  if (met && ConditionHolds(w.now, "Failed"))
    w.Refuse("cannot set SuccessCriteriaMet=True and Failed=true conditions");
  if (met && ConditionHolds(w.now, "FailureTarget"))
    w.Refuse("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions");
  if (narrow && met && w.spec.Get("successPolicy").is_null())
    w.Refuse("cannot set SuccessCriteriaMet=True for Job without SuccessPolicy");
  if (!w.spec.Get("successPolicy").is_null() && !met && ConditionHolds(w.now, "Complete"))
    w.Refuse("cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True");
}

}  // namespace

void ValidateJobStatusUpdate(const Value& updated, const Value& old, FieldErrorList* errors) {
  const StatusWrite w{updated.Get(Fields().spec), updated.Get(Fields().status),
                      old.Get(Fields().status), FieldPath("status"), errors};
  const bool strict = errors->profile().job_managed_by;
  for (const char* field : {"active", "succeeded", "failed", "ready", "terminating"})
    if (w.now.Has(field)) errors->NonNegative(w.path.Child(field), w.now.Get(field));
  CheckUncounted(w);
  if (strict) {
    CheckEndings(w);
    CheckFinished(w);
    CheckIndexes(w);
    if ((w.FinishedChanged() || w.Changed("terminating")) && IsFinishedStatus(w.now) &&
        w.now.Get("terminating").AsInt() > 0)
      w.Refuse("terminating", "terminating>0 is invalid for finished job");
    if ((w.Changed("ready") || w.Changed("active")) &&
        w.now.Get("ready").AsInt() > w.now.Get("active").AsInt())
      w.Refuse("ready", "cannot set more ready pods than active");
  }
  const bool has_criteria = errors->profile().job_pod_replacement_policy;  // newer than 1.25
  if (has_criteria) CheckSuccessCriteria(w, !strict);
  if (strict) CheckMoves(w);
  if (!has_criteria) return;
  if (ConditionHolds(w.before, "SuccessCriteriaMet") &&
      !ConditionHolds(w.now, "SuccessCriteriaMet"))
    w.Refuse("cannot disable the SuccessCriteriaMet=True condition");
  if (ConditionHolds(w.before, "Complete") && !ConditionHolds(w.before, "SuccessCriteriaMet") &&
      ConditionHolds(w.now, "SuccessCriteriaMet"))
    w.Refuse("cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions");
}

}  // namespace ksim::api
