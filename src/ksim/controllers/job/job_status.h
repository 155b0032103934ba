// JobStatus: the status of a Job while a sync changes it, and its conditions.
//
// Source: pkg/controller/job/job_controller.go newCondition, ensureJobConditionStatus,
// findConditionByType, cleanUncountedPodsWithoutFinalizers; staging/src/k8s.io/api/batch/v1
// JobStatus.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/btree_set.h"
#include "ksim/api/object.h"
#include "ksim/base/time.h"
#include "ksim/value/value.h"

namespace ksim::controllers {

using UidSet = absl::btree_set<std::string>;

// A condition that is True.
struct JobCondition {
  JobCondition() = default;
  std::string type, reason, message;
  VirtualTime since;
};

struct JobStatus {
  JobStatus() = default;
  static JobStatus From(const api::Object& job);
  // As Go encodes it.
  value::Value ToTree() const;

  // The condition of that type if it is True.
  std::optional<JobCondition> Holds(std::string_view type) const;
  void Append(const JobCondition& condition, VirtualTime now);
  // Puts a condition in the place of the one of its type, or at the end; one that is False is not
  // added. False: nothing was changed.
  bool Ensure(std::string_view type, bool holds, std::string_view reason, std::string_view message,
              VirtualTime now);
  // Counts the pods that are in no such set any more, for good. False: there were none.
  bool CountThoseWithout(const UidSet& with_finalizer);

  value::Value conditions;  // array, or null
  std::optional<VirtualTime> start_time, completion_time;
  std::int64_t active = 0;
  std::int64_t succeeded = 0;
  std::int64_t failed = 0;
  std::optional<std::int64_t> ready, terminating;
  std::string completed_indexes;
  std::optional<std::string> failed_indexes;
  // uncountedTerminatedPods: the uids of pods that have ended and still have their finalizers.
  std::vector<std::string> uncounted_succeeded, uncounted_failed;
};

}  // namespace ksim::controllers
