// PodWorkers: one worker for each pod uid, in the states Sync, Terminating, Terminated, Finished,
// never back. A worker holds at most one pending update, the newest. A pod that begins to
// terminate, or whose grace period becomes shorter, cancels the sync that runs.
//
// A sync that succeeds is repeated after 60 s; one that failed after 10 s (from 1.35 on when the
// back-off of what it could not start is over; after 1 s if there is no network), each times
// [1, 1.5). The next sync's status says what the last one could not start, and why.
//
// A sync works out what to do (pod_actions.h); PodKiller stops containers, ContainerStarter starts
// them.
//
// Source: pkg/kubelet/pod_workers.go; kubelet.go SyncPod, SyncTerminatingPod, SyncTerminatedPod;
// reason_cache.go. KUBELET-04..07, 09..15, 28, 30.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "ksim/api/object.h"
#include "ksim/client/event_recorder.h"
#include "ksim/kubelet/core/profile.h"
#include "ksim/kubelet/objects/pod_objects.h"
#include "ksim/kubelet/pod_workers/container_starter.h"
#include "ksim/kubelet/pod_workers/pod_actions.h"
#include "ksim/kubelet/pod_workers/pod_killer.h"
#include "ksim/kubelet/pod_workers/pod_worker.h"
#include "ksim/kubelet/prober/prober.h"
#include "ksim/kubelet/runtime/runtime.h"
#include "ksim/kubelet/status/pod_status.h"
#include "ksim/kubelet/status/status_manager.h"
#include "ksim/kubelet/volumes/volume_manager.h"
#include "ksim/sim/mailbox.h"
#include "ksim/sim/process.h"

namespace ksim::kubelet {

class PodWorkers {
 public:
  PodWorkers(sim::Process& process, client::Environment& env, Runtime& runtime,
             StatusManager& statuses, client::EventRecorder& recorder, Prober& prober,
             PodObjects& objects, VolumeManager& volumes, std::string host_ip);
  ~PodWorkers();

  // The API server wants the pod on this node, as `pod` says.
  void Update(const api::Object& pod);
  // The API's copy of the pod has a new status: the next sync reads it, and ends a pod that is
  // over.
  void StatusSeen(const api::Object& pod);
  // An object that the pod names has come or changed: what failed for it is not tried before its
  // time, but the run waits for that.
  void ObjectsChanged(const std::string& uid);
  // A probe has a new result.
  void ProbeChanged(const std::string& uid);
  // The pod's object is gone: its worker kills what still runs, within the grace period.
  void Remove(const std::string& uid);
  // The PLEG saw a change of the pod in the runtime, which `origin` caused.
  void RuntimeChanged(const std::string& uid, const sim::Origin& origin);
  // Ends the pod for good at once: Failed, because of `why`; its object stays.
  void Evict(const std::string& uid, std::string why);
  bool Evicted(const std::string& uid) const;
  // The pod runs in the runtime, and no pod of the API server is it.
  void KillOrphan(const api::Object& pod);

  bool Known(const std::string& uid) const { return workers_.contains(uid); }
  std::vector<std::string> Uids() const;  // of all workers, sorted
  bool Finished(const std::string& uid) const;
  // Pods that have not stopped: what admission counts against the node.
  std::vector<api::Object> ActivePods() const;

 private:
  using State = PodWorker::State;

  PodWorker& WorkerOf(const api::Object& pod);  // makes it if there is none
  // False: the pod is terminating already, and its grace period is not shortened.
  bool BeginTermination(PodWorker& worker, std::optional<std::int64_t> grace_override = {});
  void Spawn(PodWorker& worker);
  sim::Task<void> Run(PodWorker* worker);
  sim::Task<void> Sync(PodWorker* worker);
  sim::Task<void> SyncTerminating(PodWorker* worker);
  void SyncTerminated(PodWorker* worker);
  PodActions Actions(const PodWorker& worker) const;
  bool LacksNetwork(const PodWorker& worker);
  sim::Task<bool> WaitForVolumes(PodWorker* worker);
  value::Value Status(const PodWorker& worker, bool terminal) const;
  value::Value EvictedStatus(const PodWorker& worker, const value::Value& status) const;
  Duration ResyncAfter(const PodWorker& worker);

  sim::Process& process_;
  client::Environment& env_;
  const Profile& profile_;
  Runtime& runtime_;
  StatusManager& statuses_;
  client::EventRecorder& recorder_;
  Prober& prober_;
  PodObjects& objects_;
  VolumeManager& volumes_;
  ContainerStarter starter_;
  PodKiller killer_;
  std::string host_ip_;
  sim::SiteId resync_site_;
  absl::btree_map<std::string, std::unique_ptr<PodWorker>> workers_;  // by uid
};

}  // namespace ksim::kubelet
