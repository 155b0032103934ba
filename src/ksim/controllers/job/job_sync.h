// JobSync: what one sync of a Job knows, counts and decides, without asking anybody.
//
// Source: pkg/controller/job/job_controller.go syncJobCtx, syncJob, getNewFinishedPods,
// pastBackoffLimitOnFailure, getFailJobMessage, activePodsForRemoval, canRemoveFinalizer.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/controllers/job/indexed_pods.h"
#include "ksim/controllers/job/job_spec.h"
#include "ksim/controllers/job/job_status.h"
#include "ksim/controllers/job/pod_backoff.h"

namespace ksim::controllers {

inline constexpr std::int64_t kMaxUncountedPods = 500;

struct JobSync {
  // `owned`: the pods that the Job claims. `removals`: those whose finalizers are gone already.
  JobSync(const api::Object& cached, const Profile& p, JobPods owned, UidSet removals);

  // Counts succeeded and failed pods, with those that the status does not have yet.
  void CountFinished(const PodBackoffStore& backoffs);
  // Whether the Job is at its end by what was written before, by its failure policy, its back-off
  // limit or its deadline.
  void EvaluateFailure(VirtualTime now);
  // The same by the indexes of an Indexed Job: too many have failed, or its success policy is met.
  void EvaluateIndexes();
  // All completions that are wanted are there.
  bool IsComplete() const;
  void Complete() { finished = Success(); }

  // The number of pods that should be active.
  std::int64_t WantedActive() const;
  JobPods PodsToRemove(std::int64_t at_least) const;
  // Indexes for up to `count` new pods.
  std::vector<std::int64_t> PendingIndexes(std::int64_t count) const;
  // getPodCreationInfoForIndependentIndexes: those whose back-off is over; if there are none,
  // `wait` is the time to the first.
  std::vector<std::int64_t> DueIndexes(const std::vector<std::int64_t>& pending, VirtualTime now,
                                       Duration* wait) const;

  // trackJobStatusAndRemoveFinalizers up to its first write: puts what has ended into the status
  // and returns the pods that lose their finalizer. True in `changed`: the status is to be written.
  JobPods CollectUncounted(bool* changed, bool* reached_max);
  // Writes the condition that announces the end, and has `finished` be the one that is the end.
  void AnnounceEnd(VirtualTime now, bool* changed);
  // enactJobFinished: false as long as something is uncounted or still terminating.
  bool EnactFinished(VirtualTime now);

  bool IsTracked(const api::Object& pod) const;  // it has its finalizer, as far as is known
  JobCondition Failure(std::string_view reason, std::string_view message) const;
  JobCondition Success() const;

  const Profile& profile;
  api::Object job;  // as the cache has it, or as the last write answered
  JobSpec spec;
  JobStatus status;
  JobPods pods, active_pods;
  std::int64_t active = 0, ready = 0, succeeded = 0, failed = 0;
  std::optional<std::int64_t> terminating;  // absent where the profile does not count them
  // How the Job ends: FailureTarget and SuccessCriteriaMet announce it.
  std::optional<JobCondition> finished;
  IndexIntervals prev_succeeded, succeeded_indexes;
  std::optional<IndexIntervals> failed_indexes;  // with a back-off limit per index
  BackoffRecord backoff;
  DelayedPods delayed;

 private:
  JobPods NewlyFinished(bool succeeded_ones) const;
  std::optional<std::string> FailJobMessage() const;
  bool PastBackoffLimitOnFailure() const;
  DelayedPods FindDelayed() const;
  bool MayLoseFinalizer(const api::Object& pod, bool failed_pod) const;
  void Collect(const api::Object& pod, bool failed_pod, IndexSet* new_indexes, bool* changed);

  UidSet removals_;
  UidSet uncounted_succeeded_, uncounted_failed_;  // as the sync found them
};

}  // namespace ksim::controllers
