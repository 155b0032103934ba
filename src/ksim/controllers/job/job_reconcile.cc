// Part of job_controller.h: one sync of a Job (syncJob).
#include <fmt/format.h>

#include <utility>

#include "ksim/api/core/fields.h"
#include "ksim/base/status.h"
#include "ksim/controllers/common/controller_ref.h"
#include "ksim/controllers/common/pod_owner_index.h"
#include "ksim/controllers/job/job_controller.h"
#include "ksim/sim/probe.h"
#include "ksim/value/selector.h"

namespace ksim::controllers {

using value::Path;
using value::Value;

struct JobController::ClaimedPods {
  ClaimedPods() = default;
  JobPods pods;
  std::optional<std::string> error;
};

sim::Task<client::ReconcileResult> JobController::Reconcile(std::string key) {
  // 1. The caches must have taken in the controller's own last writes.
  const std::optional<std::string> behind = consistency_.NotReady(key);
  if (behind) co_return client::ReconcileResult::Error(*behind);

  // 2. Read the Job; if it is gone, forget it. A finished one is left alone.
  const absl::StatusOr<client::ObjectKey> id = client::SplitKey(key);
  if (!id.ok()) co_return client::ReconcileResult::Error(std::string(Message(id.status())));
  const api::Object job = job_informer_.lister().Get(id->ns, id->name);
  if (job.empty()) {
    expectations_.Delete(key);
    removals_.Delete(key);
    consistency_.Clear(key, "");
    backoffs_.Remove(key);
    co_return client::ReconcileResult::Done();
  }
  const JobSpec spec(job, profile_);
  if (spec.managed_by) co_return client::ReconcileResult::Done();
  const std::string uid(job.uid());
  if (IsJobFinished(job)) {
    backoffs_.Remove(key);
    consistency_.Clear(key, uid);
    finished_.erase(uid);
    co_return client::ReconcileResult::Done();
  }
  if (finished_.contains(uid)) co_return client::ReconcileResult::Done();
  if (!spec.known_mode) {
    recorder_.Event(job, "Warning", "UnknownCompletionMode",
                    "Skipped Job sync because completion mode is unknown");
    co_return client::ReconcileResult::Done();
  }

  // 3. Expectations before pods: what arrives between the two only costs another sync.
  const bool expectations_met = expectations_.Satisfied(key);
  const ClaimedPods claimed = co_await ClaimPods(job);
  if (claimed.error) co_return client::ReconcileResult::Error(*claimed.error);
  const client::ReconcileResult result = co_await SyncJob(job, expectations_met, claimed.pods);
  co_return result;
}

sim::Task<JobController::ClaimedPods> JobController::ClaimPods(api::Object job) {
  ClaimedPods out;
  const auto selector = value::LabelSelector::FromObject(job.spec().Get("selector"));
  if (!selector.ok()) {
    out.error = fmt::format("couldn't convert Job selector: {}", Message(selector.status()));
    co_return out;
  }
  JobPods candidates = PodsOfOwner(pod_informer_, job);
  const JobPods orphans = OrphanPods(pod_informer_, job.ns());
  candidates.insert(candidates.end(), orphans.begin(), orphans.end());
  PodClaimer claimer(client_, pods_, resource_, job, *selector);
  PodClaimer::Claimed claimed = co_await claimer.Claim(candidates);
  for (const api::Object& pod : claimed.adopted) {
    consistency_.WroteAt(job.key(), job.uid(), pod_resource_->group_resource(),
                         pod.resource_version());
  }
  if (claimed.error) {
    out.error = claimed.error->message.str();
    co_return out;
  }
  // Adopted pods are as they were listed, but for the finalizer that they have got.
  static const Path kFinalizers{"metadata", "finalizers"};
  for (api::Object& pod : claimed.pods) {
    if (!pod.controller() && !HasTrackingFinalizer(pod)) {
      const Value finalizers =
          pod.Get(kFinalizers).Append(Value::Of(std::string(kJobTrackingFinalizer)));
      pod = api::Object::FromTree(pod.tree().Set(kFinalizers, finalizers), pod.resource_version());
    }
    out.pods.push_back(std::move(pod));
  }
  co_return out;
}

sim::Task<client::ReconcileResult> JobController::SyncJob(api::Object job, bool expectations_met,
                                                          JobPods pods) {
  const std::string key = job.key();
  UidSet removals = removals_.Expected(key);
  if (forgets_removals_ && !removals.empty()) {
    KSIM_PROBE("variant/job.finalizerUIDs");
    removals.clear();
  }
  JobSync sync(job, profile_, std::move(pods), std::move(removals));

  // 1. What has ended, and whether that is the end of the Job.
  sync.CountFinished(backoffs_);
  const bool has_new_failure = sync.failed > sync.status.failed;
  const bool starts = !sync.status.start_time && !sync.spec.suspended;
  if (starts) sync.status.start_time = context_.process.Now();
  sync.EvaluateFailure(context_.process.Now());
  if (!sync.finished) WatchDeadline(sync);
  sync.EvaluateIndexes();

  // 2. At its end the pods that still run are deleted; else pods are created or deleted.
  CallError manage_error;
  bool changed = false;
  if (sync.finished) {
    const std::int64_t active = sync.active;
    std::int64_t deleted = 0;
    manage_error = co_await DeleteActivePods(&sync, &deleted);
    // There may be finalizers left, or pods that the cache does not show yet.
    if (deleted != active || !expectations_met) sync.finished.reset();
  } else {
    const bool manages = expectations_met && !job.deleting();
    if (manages) manage_error = co_await ManagePods(&sync);
    if (sync.IsComplete()) {
      sync.Complete();
    } else if (manages) {
      changed = UpdateSuspended(&sync);
    }
  }

  // 3. The status, and the finalizers of what it counts.
  changed = changed || sync.active != sync.status.active || sync.status.ready != sync.ready ||
            sync.status.terminating != sync.terminating;
  sync.status.active = sync.active;
  sync.status.ready = sync.ready;
  sync.status.terminating = sync.terminating;
  const CallError track_error = co_await Track(&sync, changed);
  if (track_error)
    co_return client::ReconcileResult::Error(fmt::format("tracking status: {}", *track_error));
  // Up to 1.27 an error makes the Job wait.
  if (!profile_.job_backoff_record && has_new_failure && !IsJobFinished(sync.job))
    co_return client::ReconcileResult::Error(
        fmt::format("failed pod(s) detected for job key \"{}\"", key));
  if (manage_error) co_return client::ReconcileResult::Error(*manage_error);
  co_return client::ReconcileResult::Done();
}

// A deadline does not keep a run from being quiet by itself: most Jobs end before it
// (HasWorkAhead).
void JobController::WatchDeadline(const JobSync& sync) {
  if (!sync.spec.active_deadline || sync.spec.suspended || !sync.status.start_time) return;
  queue_.AddAfterInBackground(sync.job.key(), *sync.status.start_time + *sync.spec.active_deadline -
                                                  context_.process.Now());
}

bool JobController::UpdateSuspended(JobSync* sync) {
  const VirtualTime now = context_.process.Now();
  if (sync->spec.suspended) {
    if (!sync->status.Ensure("Suspended", true, "JobSuspended", "Job suspended", now)) return false;
    recorder_.Event(sync->job, "Normal", "Suspended", "Job suspended");
    if (profile_.job_suspended_has_no_start) sync->status.start_time.reset();
    return true;
  }
  if (!sync->status.Ensure("Suspended", false, "JobResumed", "Job resumed", now)) return false;
  recorder_.Event(sync->job, "Normal", "Resumed", "Job resumed");
  // The deadline counts from here.
  sync->status.start_time = now;
  return true;
}

}  // namespace ksim::controllers
