// PodWorkers: one worker for each pod uid, in the states Sync, Terminating, Terminated, Finished,
// never back. A worker holds at most one pending update, the newest. Going to Terminating, or a
// shorter grace, cuts the running sync short.
//
// A sync that fails is tried again in 10 s (from 1.35 on when the back-off of what it could not
// start is over; in 1 s if there is no network), one that does not in 60 s, each times [1, 1.5).
// What it could not start, and why, is in the status that the next sync begins with.
//
// Source: pkg/kubelet/pod_workers.go; kubelet.go SyncPod, SyncTerminatingPod, SyncTerminatedPod;
// kuberuntime SyncPod, computePodActions, doBackOff; images/image_manager.go; reason_cache.go.
// KUBELET-04..07, 09..15, 28, 30.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "ksim/api/object.h"
#include "ksim/client/event_recorder.h"
#include "ksim/kubelet/core/profile.h"
#include "ksim/kubelet/pod_workers/pod_actions.h"
#include "ksim/kubelet/pod_workers/restart_backoff.h"
#include "ksim/kubelet/prober/prober.h"
#include "ksim/kubelet/runtime/runtime.h"
#include "ksim/kubelet/status/pod_status.h"
#include "ksim/kubelet/status/status_manager.h"
#include "ksim/sim/mailbox.h"
#include "ksim/sim/process.h"

namespace ksim::kubelet {

// calculateEffectiveGracePeriod: the shortest of what was asked for so far (`current`, 0 =
// nothing), the deletion's and the override's; else the spec's; at least a second. `zero_counts`: a
// grace of 0 is one (1.28), not none.
std::int64_t EffectiveGrace(std::int64_t current, const api::Object& pod,
                            std::optional<std::int64_t> grace_override, bool zero_counts);

// newTerminationOrdering: the containers that must have stopped before this one is told to: for a
// sidecar all but the sidecars, and the next sidecar.
std::vector<std::string> StopsAfter(const api::Object& pod, std::string_view container);

class PodWorkers {
 public:
  PodWorkers(sim::Process& process, client::Environment& env, Runtime& runtime,
             StatusManager& statuses, client::EventRecorder& recorder, Prober& prober,
             std::string host_ip);
  ~PodWorkers();

  // The pod is (still) wanted here, as this version says.
  void Update(const api::Object& pod);
  // The API's copy has another status: the next sync sees it, and ends a pod that is over.
  void StatusSeen(const api::Object& pod);
  // A probe has a new result.
  void ProbeChanged(const std::string& uid);
  // The pod's object is gone: whatever still runs is killed, in its own time.
  void Remove(const std::string& uid);
  // The runtime's state of the pod has been looked at again, because of `origin`.
  void RuntimeChanged(const std::string& uid, const sim::Origin& origin);
  // Ends the pod for good at once: Failed, because of `why`; its object stays.
  void Evict(const std::string& uid, std::string why);
  bool Evicted(const std::string& uid) const;
  // Runs in the runtime, but nobody wants it.
  void KillOrphan(const api::Object& pod);

  bool Known(const std::string& uid) const { return workers_.contains(uid); }
  std::vector<std::string> Uids() const;  // of all workers, sorted
  bool Finished(const std::string& uid) const;
  // Pods that have not stopped: what admission counts against the node.
  std::vector<api::Object> ActivePods() const;

 private:
  enum class State { kSync, kTerminating, kTerminated, kFinished };
  struct Worker;

  Worker& WorkerOf(const api::Object& pod);
  // False: it is terminating already, and its grace is not shortened.
  bool BeginTermination(Worker& worker, std::optional<std::int64_t> grace_override = {});
  void Spawn(Worker& worker);
  sim::Task<void> Run(Worker* worker);
  sim::Task<void> Sync(Worker* worker);
  PodActions Actions(const Worker& worker) const;
  sim::Task<void> KillCondemned(Worker* worker, std::vector<PodActions::Kill> kills);
  sim::Task<void> StartContainers(Worker* worker, PodActions actions);
  bool BacksOff(Worker& worker, const PodActions::Start& start);
  sim::Task<void> StartOne(Worker* worker, value::Value spec, bool init);
  sim::Task<bool> EnsureImage(Worker* worker, value::Value spec);
  bool PullBacksOff(Worker& worker, const value::Value& spec);
  void NoImage(Worker& worker, const value::Value& spec, std::string_view reason,
               std::string message);
  sim::Task<void> SyncTerminating(Worker* worker);
  sim::Task<void> KillPod(Worker* worker, std::int64_t grace);
  struct Kills;
  sim::Task<void> KillOne(Worker* worker, std::string container, Kills* kills);
  void Failed(Worker& worker, const value::Value& spec, std::string_view reason,
              std::string message);
  sim::Task<void> SyncTerminated(Worker* worker);
  void Event(const Worker& worker, const value::Value& spec, std::string_view type,
             std::string_view reason, std::string_view message);
  value::Value Status(const Worker& worker, bool terminal) const;
  value::Value EvictedStatus(const Worker& worker, const value::Value& status) const;
  bool NoNetwork(const Worker& worker);
  Duration ResyncAfter(const Worker& worker);

  sim::Process& process_;
  client::Environment& env_;
  const Profile& profile_;
  Runtime& runtime_;
  StatusManager& statuses_;
  client::EventRecorder& recorder_;
  Prober& prober_;
  RestartBackoff restarts_;
  RestartBackoff pulls_;  // by pod and image
  std::string host_ip_;
  sim::SiteId resync_site_;
  absl::btree_map<std::string, std::unique_ptr<Worker>> workers_;  // by uid
};

}  // namespace ksim::kubelet
