// PodWorkers: one worker for each pod uid, in the states Sync, Terminating, Terminated, Finished,
// never back. A worker holds at most one pending update, the newest. Going to Terminating, or a
// shorter grace, cuts the running sync short.
//
// Source: pkg/kubelet/pod_workers.go; kubelet.go SyncPod, SyncTerminatingPod, SyncTerminatedPod;
// kuberuntime SyncPod, computePodActions. KUBELET-04..07, 09, 10, 13..15, 28, 30.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/container/btree_map.h"
#include "ksim/api/object.h"
#include "ksim/client/event_recorder.h"
#include "ksim/kubelet/runtime.h"
#include "ksim/kubelet/status_manager.h"
#include "ksim/sim/mailbox.h"
#include "ksim/sim/process.h"

namespace ksim::kubelet {

class PodWorkers {
 public:
  PodWorkers(sim::Process& process, client::Environment& env, Runtime& runtime,
             StatusManager& statuses, client::EventRecorder& recorder, std::string host_ip);
  ~PodWorkers();

  // The pod is (still) wanted here, as this version says.
  void Update(const api::Object& pod);
  // The API has the pod in a terminal phase, as this version says: the next sync ends it.
  void PhaseIsOver(const api::Object& pod);
  // The pod's object is gone: whatever still runs is killed.
  void Remove(const std::string& uid);
  // The runtime's state of the pod has been looked at again, because of `origin`.
  void RuntimeChanged(const std::string& uid, const sim::Origin& origin);
  // Runs in the runtime, but nobody wants it.
  void KillOrphan(const api::Object& pod);

  bool Known(const std::string& uid) const { return workers_.contains(uid); }
  bool Finished(const std::string& uid) const;
  // Pods that have not stopped: what admission counts against the node.
  std::vector<api::Object> ActivePods() const;

 private:
  enum class State { kSync, kTerminating, kTerminated, kFinished };
  struct Worker;

  Worker& WorkerOf(const api::Object& pod);
  void BeginTermination(Worker& worker, Duration grace);
  void Spawn(Worker& worker);
  sim::Task<void> Run(Worker* worker);
  sim::Task<void> Sync(Worker* worker);
  sim::Task<void> StartContainers(Worker* worker);
  sim::Task<void> StartOne(Worker* worker, value::Value spec, bool init);
  sim::Task<bool> EnsureImage(Worker* worker, value::Value spec);
  sim::Task<void> SyncTerminating(Worker* worker);
  sim::Task<void> KillOne(Worker* worker, std::string container, int* left, sim::Signal* done);
  sim::Task<void> SyncTerminated(Worker* worker);
  void Event(const Worker& worker, const value::Value& spec, bool init, std::string_view type,
             std::string_view reason, std::string_view message);
  value::Value Status(const Worker& worker, bool terminal) const;
  Duration ResyncAfter(Worker& worker);

  sim::Process& process_;
  client::Environment& env_;
  Runtime& runtime_;
  StatusManager& statuses_;
  client::EventRecorder& recorder_;
  std::string host_ip_;
  sim::SiteId resync_site_;
  absl::btree_map<std::string, std::unique_ptr<Worker>> workers_;  // by uid
};

}  // namespace ksim::kubelet
