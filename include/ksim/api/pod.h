// PodView: names and types over a pod's tree, and the predicates that controllers share.
//
// Sources: pkg/api/v1/pod/util.go (IsPodReady, IsPodAvailable, GetPodCondition, IsPodTerminal),
// pkg/controller/controller_utils.go (IsPodActive, IsPodTerminating, maxContainerRestarts).
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "ksim/api/compat.h"
#include "ksim/api/object.h"

namespace ksim::api {

// Shares the object; string_views and references live as long as any copy of it. Missing fields
// read as "", 0 or a null Value, never as their defaults.
class PodView {
 public:
  explicit PodView(Object pod) : pod_(std::move(pod)) {}
  const Object& object() const { return pod_; }

  // --- spec ---
  std::string_view node_name() const { return pod_.node_name(); }
  std::string_view restart_policy() const;
  std::string_view scheduler_name() const;
  std::int64_t priority() const;  // spec.priority
  std::optional<std::int64_t> termination_grace_period_seconds() const;
  bool has_scheduling_gates() const;
  const value::Value& containers() const;       // array
  const value::Value& init_containers() const;  // array
  const value::Value& tolerations() const;      // array
  // An init container that keeps running beside the others: restartPolicy Always.
  static bool IsSidecar(const value::Value& init_container);

  // --- metadata ---
  std::optional<std::int64_t> deletion_grace_period_seconds() const;

  // --- status ---
  std::string_view phase() const;  // Pending Running Succeeded Failed Unknown
  std::string_view reason() const;
  std::string_view message() const;
  std::string_view pod_ip() const;
  std::string_view qos_class() const;
  std::string_view nominated_node_name() const;
  std::optional<VirtualTime> start_time() const;
  const value::Value& conditions() const;
  const value::Value* Condition(std::string_view type) const;  // null pointer if missing
  const value::Value& container_statuses() const;              // array
  const value::Value& init_container_statuses() const;         // array
  const value::Value* ContainerStatus(std::string_view container) const;

  // --- predicates ---
  bool scheduled() const;                          // condition PodScheduled is True
  bool ready() const;                              // condition Ready is True
  std::optional<VirtualTime> ready_since() const;  // its lastTransitionTime
  bool terminal() const;                           // phase Succeeded or Failed
  bool active() const;                             // neither terminal nor being deleted
  bool terminating() const;                        // being deleted and not terminal
  // Ready for `min_ready` by `now`: up to 1.33 strictly longer, then at least as long.
  bool Available(Duration min_ready, VirtualTime now, Compat compat) const;
  std::int64_t MaxContainerRestarts() const;
  std::int64_t MaxSidecarRestarts() const;

 private:
  Object pod_;
};

inline constexpr std::string_view kPodDeletionCost = "controller.kubernetes.io/pod-deletion-cost";
// The annotation's number; nothing for what is no int32 as Go writes it ("+1", "010", "").
// pkg/apis/core/helper GetDeletionCostFromPodAnnotations.
std::optional<std::int32_t> ParseDeletionCost(std::string_view text);

}  // namespace ksim::api
