// The scheduler: gives pending pods their node. One pod at a time is filtered, scored and assumed
// on the best node; the bind (POST pods/NAME/binding) goes on beside, so that the next pod need not
// wait for it.
//
// Source: pkg/scheduler/{scheduler,schedule_one,eventhandlers,util/utils}.go; what asks victims to
// go (scheduler_preemption.cc): pkg/scheduler/framework/preemption/executor.go.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ksim/client/client.h"
#include "ksim/client/core/backoff.h"
#include "ksim/client/event_recorder.h"
#include "ksim/client/informer.h"
#include "ksim/scheduler/algorithm.h"
#include "ksim/scheduler/cache.h"
#include "ksim/scheduler/framework/framework.h"
#include "ksim/scheduler/framework/profile.h"
#include "ksim/scheduler/nominator.h"
#include "ksim/scheduler/preemption.h"
#include "ksim/scheduler/queue.h"
#include "ksim/scheduler/volumes/volume_binder.h"
#include "ksim/sim/process.h"

namespace ksim::scheduler {

// The part of a KubeSchedulerConfiguration that ksim knows.
struct SchedulerOptions {
  SchedulerOptions() = default;
  int percentage_of_nodes_to_score = 0;  // 0 to 100; 0: as many as the scheduler thinks fit
  // Somebody binds claims to volumes. Where nobody does, pods are placed as if they had none.
  bool claims_are_bound = true;
};

class Scheduler {
 public:
  // Made at every start of the process; its informers must not have started yet.
  Scheduler(sim::Process& process, client::Connection& connection,
            client::InformerFactory& informers, const SchedulerOptions& options = {});
  ~Scheduler();
  void Start();

  const SchedulingQueue& queue() const { return queue_; }
  const SchedulerCache& cache() const { return cache_; }

 private:
  // --- eventhandlers.go ---
  void RegisterHandlers();
  bool IsResponsibleFor(const api::Object& pod) const;  // our schedulerName
  void AddPod(const api::Object& pod);
  void UpdatePod(const api::Object& before, const api::Object& after);
  void UpdatePending(const api::Object& before, const api::Object& after);
  void ReleaseNominatedNode(const api::Object& pod);
  void DeletePod(const api::Object& pod);
  void AddToCache(const api::Object& pod);
  PodCheck PodsWithAffinityTo(const api::Object& pod) const;
  PodCheck PodsThatPassPreCheck(const api::Object& node) const;
  void AddNode(const api::Object& node);
  void UpdateNode(const api::Object& before, const api::Object& after);
  void DeleteNode(const client::Deleted& deleted);
  void LookAtVolumeEvent(const api::ResourceInfo& kind, const api::Object& before,
                         const api::Object& after);
  void NotifyVolumes();

  // --- schedule_one.go ---
  sim::Task<void> Run();
  bool IsSkipped(const api::Object& pod);
  sim::Task<void> ScheduleOne(QueuedPod queued);
  static api::Object OnNode(const api::Object& pod, const std::string& node);
  sim::Task<void> HandleFailure(QueuedPod queued, std::string reason, std::string message,
                                Nomination nomination);
  void Nominate(const api::Object& pod, const Nomination& nomination);
  sim::Task<void> PatchUnscheduled(api::Object pod, std::string reason, std::string message,
                                   Nomination nomination);
  bool Retriable(const api::Status& status) const;
  // Sends the patch again if the connection is refused, and after the errors that the profile
  // names.
  sim::Task<client::Client::ObjectResult> PatchStatus(api::Object pod, value::Value status);
  // The patch of the status that gives the pod this condition; null if the pod has it.
  value::Value StatusWith(const api::Object& pod, std::string_view type, std::string_view status,
                          std::string_view reason, std::string_view message) const;

  // --- scheduler_binding.cc ---
  sim::Task<void> Bind(QueuedPod queued, std::string node, PodVolumes volumes);
  // RunPreBindPlugins: nullopt once the pod's volumes are bound.
  sim::Task<std::optional<std::string>> BindVolumes(api::Object pod, std::string node,
                                                    PodVolumes volumes);
  sim::Task<void> FailBinding(QueuedPod queued, std::string node, std::string message);

  // --- executor.go ---
  struct Eviction;
  sim::Task<void> PostFilter(QueuedPod queued, ScheduleResult result);
  bool EndsInDynamicResources(const ScheduleResult& result) const;
  sim::Task<std::optional<api::Status>> Evict(Candidate candidate, api::Object pod);
  sim::Task<void> EvictInBackground(Candidate candidate, api::Object pod);
  sim::Task<std::optional<api::Status>> EvictAll(std::vector<api::Object> victims, api::Object pod,
                                                 std::string node);
  sim::Task<void> EvictInBatch(Eviction* eviction, api::Object victim, api::Object pod,
                               std::string node);
  sim::Task<std::optional<api::Status>> EvictOne(api::Object victim, api::Object pod,
                                                 std::string node);
  sim::Task<void> ClearLowerNominations(api::Object pod, std::string node);
  sim::Task<void> ClearNomination(api::Object pod);
  bool IsPreempting(const api::Object& pod) const;

  std::vector<value::LabelSelector> DefaultSelectors(const api::Object& pod) const;

  sim::Process& process_;
  client::Environment& env_;
  const Profile& profile_;
  client::InformerFactory& informers_;
  const api::ResourceInfo* pod_resource_;
  client::Client client_;
  client::EventRecorder recorder_;
  client::JitterSource patch_jitter_;
  SchedulerCache cache_;
  std::unique_ptr<VolumeBinder> volumes_;  // null: pods are placed as if they had no claims
  Plugins plugins_;
  Nominator nominator_;
  Algorithm algorithm_;
  Preemption preemption_;
  // Pods whose victims are being evicted in the background (async_preemption), by uid, each with
  // its last victim once that one's turn has come.
  std::map<std::string, std::optional<api::Object>, std::less<>> preempting_;
  SchedulingQueue queue_;
  client::SharedInformer& pods_;
  client::SharedInformer& nodes_;
  client::SharedInformer& budgets_;
  std::vector<client::SharedInformer*> workloads_;  // services, rcs, rss, statefulsets
  client::HandlerFuncs pod_handlers_, node_handlers_;
};

}  // namespace ksim::scheduler
