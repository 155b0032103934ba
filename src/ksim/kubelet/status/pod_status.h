// The status of a pod as its kubelet reports it: phase, container statuses and conditions. They
// follow from the pod's spec and the runtime's state.
//
// Source: pkg/kubelet/kubelet_pods.go generateAPIPodStatus, getPhase, convertStatusToAPIStatus,
// convertToAPIContainerStatuses; pkg/kubelet/status/{generate,status_manager}.go;
// container/helpers.go ShouldContainerBeRestarted. KUBELET-10, 12, 18..22, 25, 27.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "absl/container/btree_map.h"
#include "ksim/api/object.h"
#include "ksim/base/time.h"
#include "ksim/kubelet/core/profile.h"
#include "ksim/kubelet/runtime/runtime.h"
#include "ksim/value/value.h"

namespace ksim::kubelet {

// Why a container that should run does not: CrashLoopBackOff, ErrImageNeverPull.
struct WaitingReason {
  WaitingReason() = default;
  std::string reason, message;
};
using WaitingReasons = absl::btree_map<std::string, WaitingReason>;  // by container

// The health of a running container, from its probes.
struct Health {
  bool started = true, ready = true;
};

struct StatusInput {
  StatusInput() = default;
  api::Object pod;                          // the spec acted on
  value::Value old_status;                  // last status computed, or the API's
  const PodSandbox* sandbox = nullptr;      // null: the runtime knows nothing of the pod
  bool terminal = false;                    // the worker says it is over: Succeeded or Failed
  const WaitingReasons* waiting = nullptr;  // null: none
  std::function<Health(const Container&)> health;  // empty: there are no probes
  std::string host_ip;
  VirtualTime now;
  const Profile* profile = nullptr;  // never null where a whole status is made
};

// A whole PodStatus tree.
value::Value GeneratePodStatus(const StatusInput& input);

// Whether a container is to be started: it never was, or it has ended and the restart policy says
// so. `container` null: it never was. Nothing of a pod that is being deleted is.
bool ShouldRestart(const api::Object& pod, const value::Value& spec, const Container* container);

// A container that has ended for good may not run again (checkContainerStateTransition).
bool IsLegalTransition(const api::Object& pod, const value::Value& old_status,
                       const value::Value& new_status);

// The condition Ready of the API's copy differs from what its other conditions and its readiness
// gates amount to (NeedToReconcilePodReadiness).
bool ReadinessDiffers(const api::Object& pod);

// Where the pod's spec has the container: "spec.initContainers{NAME}" (GenerateContainerRef).
std::string ContainerFieldPath(const api::Object& pod, std::string_view container);

// A condition that only the kubelet writes (kubelet/types PodConditionByKubelet).
bool IsOwnedByKubelet(std::string_view condition_type);

}  // namespace ksim::kubelet
