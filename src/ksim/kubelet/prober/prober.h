// Prober: a worker for each probe of each container (and sidecar) of the pods here. It looks every
// period at the container that the pod's status names, counts results in a row, and says what has
// come of it: whether the container has started, is ready, or must be killed.
//
//   before the first result   readiness: not ready, liveness: fine, startup: not started
//   startup                   until it has succeeded the two others do not run
//   liveness, startup failed  the worker is on hold until there is a new container
//
// The pod's annotations say what a probe finds (kubelet/runtime/behaviour.h).
//
// Source: pkg/kubelet/prober/{worker,prober_manager}.go, results/results_manager.go.
// KUBELET-16..18.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>

#include "absl/container/btree_map.h"
#include "ksim/api/object.h"
#include "ksim/client/client.h"
#include "ksim/client/event_recorder.h"
#include "ksim/kubelet/core/profile.h"
#include "ksim/kubelet/runtime/behaviour.h"
#include "ksim/kubelet/status/pod_status.h"
#include "ksim/kubelet/status/status_manager.h"
#include "ksim/sim/mailbox.h"
#include "ksim/sim/process.h"

namespace ksim::kubelet {

class Prober {
 public:
  // `changed` is called when a result asks for another sync of the pod. `takes_over`: containers
  // that began before the simulation keep what their status says until they are probed.
  Prober(sim::Process& process, client::Environment& env, const StatusManager& statuses,
         client::EventRecorder& recorder, bool takes_over,
         std::function<void(const std::string& uid)> changed);
  ~Prober();

  void AddPod(const api::Object& pod);  // those that have a worker keep it
  void StopLivenessAndStartup(const std::string& uid);
  void RemovePod(const std::string& uid);

  // --- of a running container ---
  bool Started(const std::string& uid, const std::string& container, std::string_view id) const;
  // For the status: `was_started` as the last one had it. A readiness probe that has not succeeded
  // yet runs at once.
  Health HealthOf(const api::Object& pod, const Container& container, bool was_started);
  // The type of the probe that failed, so that the container must be killed; nullopt if none did.
  std::optional<ProbeType> FailedProbe(const std::string& uid, const std::string& container,
                                       std::string_view id) const;

 private:
  enum class Result : std::uint8_t { kUnknown, kSuccess, kFailure };
  struct Worker;
  using Key = std::tuple<std::string, std::string, ProbeType>;  // uid, container, type

  const Worker* Find(const std::string& uid, const std::string& container, ProbeType type) const;
  void AddWorker(const api::Object& pod, const value::Value& container, ProbeType type);
  static sim::Task<void> Run(Prober* self, std::shared_ptr<Worker> worker);
  bool Probe(Worker& worker);  // false: there is nothing to probe any more
  void Count(Worker& worker, bool success);
  void Set(Worker& worker, Result result);
  void RecordFailure(const Worker& worker);
  void Stop(const Key& key);
  sim::TimerKind KindOf(const Worker& worker) const;
  // The container has survived a restart of the kubelet, and keeps what its status said
  // (Profile::probes_survive_restart).
  bool HasSurvivedRestart(VirtualTime since) const;

  sim::Process& process_;
  client::Environment& env_;
  const Profile& profile_;
  const StatusManager& statuses_;
  client::EventRecorder& recorder_;
  const bool takes_over_;
  std::function<void(const std::string&)> changed_;
  VirtualTime started_;
  sim::SiteId delay_site_;
  // Shared with the tasks, whose frames may outlive a stop by a step.
  absl::btree_map<Key, std::shared_ptr<Worker>> workers_;
};

}  // namespace ksim::kubelet
