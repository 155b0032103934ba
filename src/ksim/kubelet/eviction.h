// EvictionManager: what a kubelet does about a machine that is short of something. Every 10 s it
// looks; while a threshold is passed it ends one pod after the other, waiting up to 30 s for each;
// the node's condition says so, and pods are refused, until 5 minutes after it was last seen.
//
// All thresholds are hard, as by default, and what pods use is not known: a pod without a request
// of what is short counts as using more than it asked for. Nothing is looked at while nothing is
// wrong with the machine and no condition holds.
//
// Source: pkg/kubelet/eviction/eviction_manager.go synchronize, Admit, evictPod,
// waitForPodsCleanup; helpers.go rankMemoryPressure, evictionMessage, nodeConditionsObservedSince.
// KUBELET-31.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "ksim/api/object.h"
#include "ksim/client/event_recorder.h"
#include "ksim/kubelet/admission.h"
#include "ksim/kubelet/core/profile.h"
#include "ksim/kubelet/pod_workers/pod_workers.h"
#include "ksim/kubelet/runtime/runtime.h"
#include "ksim/kubelet/runtime/trouble.h"
#include "ksim/sim/mailbox.h"
#include "ksim/sim/process.h"

namespace ksim::kubelet {

// types.IsCriticalPod: static, a mirror of a static one, or of a system's priority.
bool IsCriticalPod(const api::Object& pod);

// Sorts the pods in the order of their eviction: first those that use more than they requested,
// then the lower priority, then by name.
void RankForEviction(Trouble pressure, std::vector<api::Object>* pods);

// "The node was low on resource: memory. ", and from 1.30 on how low.
std::string EvictionMessage(Trouble pressure, const value::Value& capacity, const Profile& profile);

class EvictionManager {
 public:
  EvictionManager(sim::Process& process, client::Environment& env, Runtime& runtime,
                  PodWorkers& workers, client::EventRecorder& recorder, std::string node,
                  value::Value capacity);
  void Start();
  // The machine's trouble has changed.
  void TroubleChanged();

  // Whether the node's condition is true now.
  bool Under(Trouble pressure) const;
  // nullopt: the pod may come.
  std::optional<Refusal> Admit(const api::Object& pod) const;

 private:
  sim::Task<void> Run();
  // The worst of what the machine is short of now; takes it down in the conditions.
  std::optional<Trouble> Observe();
  // Ends one pod, and its uid; "" if there is none to end.
  std::string EvictOne(Trouble pressure);
  sim::Task<void> WaitForCleanup(std::string uid);
  api::Object NodeReference() const;

  sim::Process& process_;
  const Profile& profile_;
  Runtime& runtime_;
  PodWorkers& workers_;
  client::EventRecorder& recorder_;
  std::string node_;
  value::Value capacity_;
  VirtualTime started_;
  absl::btree_map<Trouble, VirtualTime> last_observed_;
  sim::Signal changed_;
};

}  // namespace ksim::kubelet
