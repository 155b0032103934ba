// PodWorkers::Worker: what the kubelet knows of one pod beside its object, its runtime and its
// status. Only the sources of PodWorkers see it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "absl/container/btree_map.h"
#include "ksim/kubelet/pod_workers/pod_workers.h"

namespace ksim::kubelet {

// kuberuntime minimumGracePeriodInSeconds
inline constexpr Duration kMinimumGrace = Seconds(2);

struct PodWorkers::Worker {
  explicit Worker(sim::Simulation& sim) : wake(sim) {}
  api::Object pod;
  State state = State::kSync;
  bool dirty = false;       // an update or a change in the runtime not yet synced
  bool removed = false;     // the object is gone
  bool orphan = false;      // was never anything but a sandbox that nobody wanted
  std::int64_t grace = 0;   // seconds; 0: it is not terminating
  std::string evicted;      // why; "": it is not
  bool no_network = false;  // as the last sync found it
  // Of the last sync: whether it failed, when the first container that backs off may start, and why
  // containers wait.
  bool failed = false;
  std::optional<VirtualTime> retry_at;
  std::optional<VirtualTime> pull_at;  // the same of the first image whose pull backs off
  WaitingReasons waiting;
  absl::btree_map<std::string, std::string> pull_errors;  // by image: of its last pull
  sim::Process::TaskId task;
  sim::Origin origin;
  sim::Signal wake;

  std::string uid() const { return std::string(pod.uid()); }
};

}  // namespace ksim::kubelet
