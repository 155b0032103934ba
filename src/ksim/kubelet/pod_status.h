// What a kubelet says of a pod: phase, container statuses and conditions, from the pod's spec and
// what the runtime has.
//
// Source: pkg/kubelet/kubelet_pods.go generateAPIPodStatus, getPhase, convertStatusToAPIStatus;
// pkg/kubelet/status/generate.go. KUBELET-19..22, 27.
#pragma once
#include <string>
#include <string_view>

#include "ksim/api/compat.h"
#include "ksim/api/object.h"
#include "ksim/base/time.h"
#include "ksim/kubelet/runtime.h"
#include "ksim/value/value.h"

namespace ksim::kubelet {

struct StatusInput {
  StatusInput() = default;
  api::Object pod;                      // the spec acted on
  value::Value old_status;              // last status computed, or the API's
  const PodSandbox* sandbox = nullptr;  // null: the runtime knows nothing of the pod
  bool terminal = false;                // the worker says it is over: Succeeded or Failed
  std::string host_ip;
  VirtualTime now;
  api::Compat compat = api::Compat::k1_30;
};

// A whole PodStatus tree.
value::Value GeneratePodStatus(const StatusInput& input);

// The phase that the container statuses of `status` amount to.
std::string_view PhaseOf(const api::Object& pod, const value::Value& status, bool terminal);

// All init containers that must end have ended with 0, and the restartable ones have started.
bool InitContainersDone(const api::Object& pod, const PodSandbox* sandbox);

}  // namespace ksim::kubelet
