// Part of Scheduler: the binding cycle, and what it has to do with volumes. The volumes of a pod
// are bound before the pod is; meanwhile other pods are scheduled.
//
// Source: pkg/scheduler/schedule_one.go bindingCycle, handleBindingCycleError; eventhandlers.go
// addAllEventHandlers.
#include <fmt/format.h>

#include <utility>

#include "ksim/api/pod.h"
#include "ksim/scheduler/scheduler.h"

namespace ksim::scheduler {

using value::Value;

void Scheduler::LookAtVolumeEvent(const api::ResourceInfo& kind, const api::Object& before,
                                  const api::Object& after) {
  const bool is_new = before.empty();
  std::uint32_t bits = is_new ? ClusterEvent::kStorageClassAdd : ClusterEvent::kStorageClassUpdate;
  if (kind.kind == "PersistentVolumeClaim")
    bits = is_new ? ClusterEvent::kClaimAdd : ClusterEvent::kClaimUpdate;
  if (kind.kind == "PersistentVolume")
    bits = is_new ? ClusterEvent::kVolumeAdd : ClusterEvent::kVolumeUpdate;
  queue_.MoveOnEvent({bits, kind.kind + (is_new ? "Add" : "Update")}, before, after);
}

// A wait for volumes is one for their pod and its node, too.
void Scheduler::NotifyVolumes() {
  if (volumes_ != nullptr) volumes_->Notify();
}

sim::Task<std::optional<std::string>> Scheduler::BindVolumes(api::Object pod, std::string node,
                                                             PodVolumes volumes) {
  if (profile_.nominates_before_binding_volumes &&
      api::PodView(pod).nominated_node_name() != node) {
    const Value status = value::Obj({{"nominatedNodeName", Value::Of(node)}});
    co_await PatchStatus(pod, status);
  }
  const std::optional<std::string> error = co_await volumes_->Bind(pod, node, volumes);
  volumes_->Forget(volumes);
  if (!error) co_return std::nullopt;
  co_return fmt::format("running PreBind plugin \"VolumeBinding\": {}", *error);
}

sim::Task<void> Scheduler::Bind(QueuedPod queued, std::string node, PodVolumes volumes) {
  const api::Object pod = queued.pod;
  if (!volumes.empty()) {
    // bindingCycle: with hints the queue forgets what has happened meanwhile.
    if (profile_.queueing_hints) queue_.Done(queued.uid());
    const std::optional<std::string> error = co_await BindVolumes(pod, node, volumes);
    if (error) {
      co_await FailBinding(std::move(queued), node, *error);
      co_return;
    }
  }
  const Value body = value::Obj(
      {{"apiVersion", Value::Of("v1")},
       {"kind", Value::Of("Binding")},
       {"metadata", value::Obj({{"name", Value::String(pod.name())},
                                {"namespace", Value::String(pod.ns())},
                                {"uid", Value::String(pod.uid())}})},
       {"target", value::Obj({{"kind", Value::Of("Node")}, {"name", Value::String(node)}})}});
  client::Client::ObjectResult bound = co_await client_.CreateSubresource(
      pod_resource_, std::string(pod.ns()), std::string(pod.name()), "binding", body);
  if (bound.ok()) {
    queue_.Done(queued.uid());
    recorder_.Event(pod, "Normal", "Scheduled",
                    fmt::format("Successfully assigned {} to {}", pod.key(), node), "Binding");
    co_return;
  }
  const std::string message =
      fmt::format("{}running Bind plugin \"DefaultBinder\": {}",
                  profile_.bind_error_prefix ? "binding rejected: " : "", bound.status().message);
  co_await FailBinding(std::move(queued), node, message);
}

// handleBindingCycleError: the assumed pod's place is free again, which may help other pods.
sim::Task<void> Scheduler::FailBinding(QueuedPod queued, std::string node, std::string message) {
  const api::Object assumed = OnNode(queued.pod, node);
  const absl::Status forgotten = cache_.ForgetPod(assumed);
  if (forgotten.ok()) {
    queue_.MoveOnEvent({ClusterEvent::kAssignedPodDelete, "AssignedPodDelete"}, assumed, {});
  }
  const Nomination nomination = Nomination::Clear();
  co_await HandleFailure(std::move(queued), "SchedulerError", message, nomination);
}

}  // namespace ksim::scheduler
