// The Job controller: runs pods until so many have succeeded, or too many have failed.
//
// A pod that has ended is counted once: the status tells its uid first (uncountedTerminatedPods),
// then its finalizer goes, then a later write of the status has it in its counters. So a crash
// between two of these loses no pod and counts none twice. A restart loses the work queues, the
// expectations, the back-off of new pods and what the cache is behind, and nothing else.
//
// Source: pkg/controller/job/job_controller.go.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ksim/client/client.h"
#include "ksim/client/event_recorder.h"
#include "ksim/client/informer.h"
#include "ksim/client/reconciler.h"
#include "ksim/client/workqueue.h"
#include "ksim/controllers/common/consistency_store.h"
#include "ksim/controllers/common/expectations.h"
#include "ksim/controllers/common/pod_control.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/controllers/controller.h"
#include "ksim/controllers/job/finalizer_removals.h"
#include "ksim/controllers/job/job_sync.h"
#include "ksim/controllers/job/pod_backoff.h"

namespace ksim::controllers {

inline constexpr int kJobWorkers = 5;
// Events of pods, and of a Job's status, are gathered for so long.
inline constexpr Duration kSyncJobBatchPeriod = Seconds(1);
// Pods created or deleted in one sync at most.
inline constexpr std::int64_t kMaxJobPodsPerSync = 500;

class JobController : public Controller, public client::Reconciler {
 public:
  explicit JobController(ControllerContext context);
  ~JobController() override;
  void Start() override;
  // The deadline of a Job is near.
  bool HasWorkAhead(const Heartbeats& heartbeats) const override;

 private:
  // --- handlers (addPod ... deleteJob) ---
  void RegisterHandlers();
  void AddPod(const api::Object& pod);
  void UpdatePod(const api::Object& old_pod, const api::Object& new_pod);
  void DeletePod(const api::Object& pod, bool is_gone);
  void UpdateJob(const api::Object& old_job, const api::Object& new_job);
  void DeleteJob(const api::Object& job);
  void EnqueueBatched(const std::string& key, bool pod_failed = false);
  // The Job that a reference names, if the cache has it under that name with that uid.
  api::Object OwnerOf(const api::Object& pod) const;
  void EnqueueMatchingJobs(const api::Object& pod);

  // --- pods that nobody counts and that still have a finalizer (syncOrphanPod) ---
  void EnqueueOrphan(const api::Object& pod);
  void EnqueueOrphansOf(const api::Object& job);
  sim::Task<void> StartOrphanWorkers();
  sim::Task<void> OrphanWorker();
  sim::Task<bool> SyncOrphans(std::string key);  // false: to be tried again
  sim::Task<bool> FreeOrphan(api::Object pod);

  // --- sync (syncJob; job_reconcile.cc) ---
  sim::Task<client::ReconcileResult> Reconcile(std::string key) override;
  sim::Task<client::ReconcileResult> SyncJob(api::Object job, bool expectations_met, JobPods pods);
  // getPodsForJob: adopts and releases.
  struct ClaimedPods;
  sim::Task<ClaimedPods> ClaimPods(api::Object job);
  void WatchDeadline(const JobSync& sync);
  // Returns true if the condition Suspended, or its end, is new.
  bool UpdateSuspended(JobSync* sync);

  // --- pods (manageJob; job_pods.cc). The sync lives in the frame of its caller; an error is what
  // went wrong first ---
  using CallError = std::optional<std::string>;
  struct Calls;
  sim::Task<CallError> ManagePods(JobSync* sync);
  sim::Task<CallError> CreatePods(JobSync* sync, std::int64_t count,
                                  std::vector<std::int64_t> indexes);
  // deleteActivePods: their finalizers stay. `deleted` is how many are gone, or going.
  sim::Task<CallError> DeleteActivePods(JobSync* sync, std::int64_t* deleted);
  // deleteJobPods: their finalizers go first.
  sim::Task<CallError> RemovePods(JobSync* sync, JobPods pods);
  sim::Task<void> CreateOne(Calls* calls, api::Object job, value::Value pod_template,
                            std::string generate_name);
  sim::Task<void> DeleteOne(Calls* calls, api::Object job, api::Object pod, bool free_first);
  void CountDeleted(JobSync* sync, const Calls& calls);

  // --- counting (trackJobStatusAndRemoveFinalizers; job_tracking.cc) ---
  sim::Task<CallError> Track(JobSync* sync, bool changed);
  sim::Task<CallError> WriteStatus(JobSync* sync);
  sim::Task<CallError> RemoveFinalizers(JobSync* sync, JobPods pods, UidSet* with_finalizer);
  sim::Task<void> RemoveFinalizer(Calls* calls, std::string key, api::Object pod,
                                  UidSet* with_finalizer);
  sim::Task<std::optional<api::Status>> PatchFinalizer(api::Object pod);
  void RecordFinished(const JobSync& sync);

  ControllerContext context_;
  const Profile& profile_;
  const api::ResourceInfo* resource_;
  const api::ResourceInfo* pod_resource_;
  client::Client client_;
  client::EventRecorder recorder_;
  PodControl pods_;
  client::SharedInformer& job_informer_;
  client::SharedInformer& pod_informer_;
  client::HandlerFuncs job_handlers_, pod_handlers_;
  client::WorkQueue queue_;
  client::WorkQueue orphans_;  // "pod NS/NAME", "selector NS/SELECTOR"
  Expectations expectations_;
  FinalizerRemovals removals_;
  bool forgets_removals_;  // the variant job.finalizerUIDs
  PodBackoffStore backoffs_;
  ConsistencyStore consistency_;
  // The uids of Jobs whose end is written and whose cache does not show it yet.
  UidSet finished_;
  std::unique_ptr<client::ReconcileLoop> loop_;
};

}  // namespace ksim::controllers
