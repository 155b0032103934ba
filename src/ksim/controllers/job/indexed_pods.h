// The pods of a Job with completion mode Indexed: which index each has, which indexes are done,
// failed or still to be started, and what a pod for an index is given.
//
// Source: pkg/controller/job/indexed_job_utils.go.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/controllers/job/index_intervals.h"
#include "ksim/controllers/job/job_spec.h"
#include "ksim/value/value.h"

namespace ksim::controllers {

using JobPods = std::vector<api::Object>;

inline constexpr std::int64_t kUnknownIndex = -1;
// By the annotation; kUnknownIndex where it names none.
std::int64_t CompletionIndexOf(const api::Object& pod);
IndexSet IndexesOf(const JobPods& pods);
// getIndexAbsoluteFailureCount: how often pods of its index failed before this one.
std::int64_t IndexFailuresBefore(const api::Object& pod);

// Those whose pods have succeeded and are not counted yet.
IndexSet NewSucceededIndexes(const JobPods& pods, const JobSpec& spec);
// Those that have failed for good, for their back-off limit or by the failure policy.
IndexSet NewFailedIndexes(const JobPods& pods, const JobSpec& spec);

// firstPendingIndexes: up to `count` indexes that have no pod and have neither succeeded nor
// failed, as far as `not_pending` says.
std::vector<std::int64_t> FirstPendingIndexes(const IndexIntervals& not_pending, std::int64_t count,
                                              std::int64_t completions);

// appendDuplicatedIndexPodsForRemoval: the pods that no index needs go to `remove`, the others to
// `left`.
void SplitByIndex(JobPods pods, std::int64_t completions, const Profile& profile, JobPods* remove,
                  JobPods* left);

// ActivePods: those that are worth least first; pods that are worth the same by name.
void SortActivePods(JobPods* pods, const Profile& profile);
void SortByIndex(JobPods* pods);

// The failed pod of each index, whose finalizer stays until another pod has taken over its count
// of failures.
using DelayedPods = std::map<std::int64_t, api::Object>;

// addCompletionIndexEnvVariables: each container is told of its index.
value::Value WithIndexVariable(value::Value pod_template, const Profile& profile);
// The template of the pod for an index. `replaced`: the failed pod whose place it takes, or empty.
value::Value TemplateForIndex(value::Value pod_template, std::string_view job, std::int64_t index,
                              const JobSpec& spec, const api::Object& replaced,
                              const Profile& profile);
// podGenerateNameWithIndex.
std::string GenerateNameForIndex(std::string_view job, std::int64_t index);

}  // namespace ksim::controllers
