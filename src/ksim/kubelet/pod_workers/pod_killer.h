// PodKiller: stops containers: those that a sync failed_probe, or all of a pod that ends.
//
// Source: kuberuntime_container.go killContainer, killContainersWithSyncResult;
// executePreStopHook, kuberuntime_termination_order.go; pod_workers.go
// calculateEffectiveGracePeriod. KUBELET-07, 14, 39.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/client/client.h"
#include "ksim/client/event_recorder.h"
#include "ksim/kubelet/pod_workers/pod_actions.h"
#include "ksim/kubelet/pod_workers/pod_worker.h"
#include "ksim/kubelet/runtime/runtime.h"
#include "ksim/sim/process.h"
#include "ksim/sim/task.h"

namespace ksim::kubelet {

// calculateEffectiveGracePeriod, in seconds: the shortest of the grace periods that were asked for:
// `current` (0: none so far), the deletion's and the override's; else the spec's; at least 1.
// `zero_counts`: a grace period of 0 is one that was asked for (Profile::zero_grace_counts).
std::int64_t EffectiveGrace(std::int64_t current, const api::Object& pod,
                            std::optional<std::int64_t> grace_override, bool zero_counts);

// newTerminationOrdering: the containers that must have stopped before this one is stopped: for a
// sidecar all regular containers, and the sidecar that comes next in the spec.
std::vector<std::string> StopsAfter(const api::Object& pod, std::string_view container);

class PodKiller {
 public:
  PodKiller(sim::Process& process, client::Environment& env, Runtime& runtime,
            client::EventRecorder& recorder)
      : process_(process), env_(env), runtime_(runtime), recorder_(recorder) {}

  // Stops all containers at once, but each sidecar in its turn; then the sandbox.
  sim::Task<void> KillPod(PodWorker* worker, std::int64_t grace);
  // Stops containers one after the other, each with the grace period of the probe that failed.
  sim::Task<void> KillContainers(PodWorker* worker, std::vector<PodActions::Kill> kills);

 private:
  struct Batch;
  sim::Task<void> KillInTurn(PodWorker* worker, std::string container, Batch* batch);
  sim::Task<Duration> RunPreStop(PodWorker* worker, std::string container, Duration grace);

  sim::Process& process_;
  client::Environment& env_;
  Runtime& runtime_;
  client::EventRecorder& recorder_;
};

}  // namespace ksim::kubelet
