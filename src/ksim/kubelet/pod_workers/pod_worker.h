// PodWorker: what the kubelet knows of one pod beside its object, its runtime and its status. The
// PodWorkers own it; the image puller, the container starter and the pod killer work on it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/container/btree_map.h"
#include "ksim/api/object.h"
#include "ksim/client/event_recorder.h"
#include "ksim/kubelet/status/pod_status.h"
#include "ksim/sim/mailbox.h"
#include "ksim/sim/process.h"

namespace ksim::kubelet {

struct PodWorker {
  explicit PodWorker(sim::Simulation& sim) : wake(sim) {}
  enum class State { kSync, kTerminating, kTerminated, kFinished };

  api::Object pod;
  State state = State::kSync;
  bool dirty = false;       // an update or a change of the runtime is not yet synced
  bool removed = false;     // the object is gone
  bool orphan = false;      // it never was anything but a sandbox that no pod of the API names
  std::int64_t grace = 0;   // seconds; 0: it is not terminating
  std::string evicted;      // why; "": it is not
  bool no_network = false;  // as the last sync found it

  // --- results of the last sync ---
  bool failed = false;                  // a container could not be started
  std::optional<VirtualTime> retry_at;  // when the first container that backs off may start
  std::optional<VirtualTime> pull_at;   // when the first image whose pull backs off may be pulled
  bool news = false;                    // an object that the pod names has come or changed
  WaitingReasons waiting;               // why containers wait (reason_cache.go)
  absl::btree_map<std::string, std::string> pull_errors;  // by image: the error of its last pull

  sim::Process::TaskId task;
  sim::Origin origin;
  sim::Signal wake;

  std::string uid() const { return std::string(pod.uid()); }
  // The sync could not start the container, for this reason.
  void SetWaiting(const value::Value& container, std::string_view reason, std::string message);
};

// An Event about one container of the pod.
void RecordContainerEvent(client::EventRecorder& recorder, const PodWorker& worker,
                          const value::Value& container, std::string_view type,
                          std::string_view reason, std::string_view message);

}  // namespace ksim::kubelet
