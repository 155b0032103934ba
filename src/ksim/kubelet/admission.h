// Admission: whether a pod that names this node can run on it. A stale scheduler shows here.
//
// Source: pkg/kubelet/lifecycle/predicate.go, pkg/kubelet/kubelet.go rejectPod. KUBELET-08.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/kubelet/core/profile.h"

namespace ksim::kubelet {

struct Refusal {
  Refusal() = default;
  Refusal(std::string r, std::string m) : reason(std::move(r)), message(std::move(m)) {}
  std::string reason;  // OutOfcpu, NodeAffinity, NodePorts, ...
  std::string message;
};

// nullopt: admitted. `others` are the pods that already run here; `node` as last seen.
std::optional<Refusal> Admit(const api::Object& pod, const std::vector<api::Object>& others,
                             const api::Object& node, const Profile& profile);

// The status of a refused pod: Failed, never tried again, and nothing else: no containers, none of
// the kubelet's conditions.
value::Value RefusedStatus(const api::Object& pod, const Refusal& refusal, const Profile& profile,
                           VirtualTime now);

}  // namespace ksim::kubelet
