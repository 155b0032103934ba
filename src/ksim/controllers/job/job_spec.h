// JobSpec: the spec of a Job as its controller reads it, once a sync. What a version does not know
// is as if it were not there.
//
// Source: pkg/controller/job/job_controller.go jobSuspended, onlyReplaceFailedPods,
// managedByExternalController; indexed_job_utils.go isIndexedJob, hasBackoffLimitPerIndex;
// util/utils.go FinishedCondition.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/base/time.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/value/value.h"

namespace ksim::controllers {

inline constexpr std::string_view kJobTrackingFinalizer = "batch.kubernetes.io/job-tracking";

struct JobSpec {
  JobSpec() = default;
  JobSpec(const api::Object& job, const Profile& profile);

  std::int64_t parallelism = 1;
  std::int64_t backoff_limit = 6;
  std::optional<std::int64_t> completions;
  std::optional<std::int64_t> backoff_limit_per_index;
  std::optional<std::int64_t> max_failed_indexes;
  std::optional<Duration> active_deadline;
  bool indexed = false;
  bool known_mode = true;  // false: a completion mode that nobody knows
  bool suspended = false;
  bool restarts_on_failure = false;  // restartPolicy OnFailure
  value::Value failure_policy;       // null: none
  value::Value success_policy;
  // A pod that is being deleted is replaced once it has ended, and counts as failed then.
  bool replaces_failed_only = false;
  // The controller that the Job names, which is not this one.
  std::optional<std::string> managed_by;

  // An index is one of the Job's.
  bool HasIndex(std::int64_t index) const { return index >= 0 && index < completions.value_or(0); }
};

// "Complete" or "Failed" where that condition is True; "" of a Job that goes on.
std::string_view JobFinishedBy(const api::Object& job);
inline bool IsJobFinished(const api::Object& job) { return !JobFinishedBy(job).empty(); }

// The Job's CronJob has started another one before it: there will always be a next one, and no run
// waits for what becomes of it. `jobs` are those that there are.
bool RepeatsAnother(const api::Object& job, const std::vector<api::Object>& jobs);

bool HasTrackingFinalizer(const api::Object& pod);
// isPodFailed: it has failed, or counts as failed since it is being deleted.
bool CountsAsFailed(const api::Object& pod, const JobSpec& spec);

}  // namespace ksim::controllers
