// Actors as readers want them: which process one belongs to, and who stands above whom.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace ksim::trace {

// "kube-controller-manager" of "kube-controller-manager/replicaset"; a kubelet is a process each
// ("kubelet/node-1").
std::string_view ProcessOf(std::string_view actor);

// "replicaset" of "kube-controller-manager/replicaset"; "" of a process.
std::string_view PartOf(std::string_view actor);

// Whether `name` means the actor: itself, or the process or group that it is part of ("kubelet").
bool IsOrIsPartOf(std::string_view actor, std::string_view name);

// In the order of a picture: those who ask, etcd, API servers, controllers, scheduler, others,
// kubelets; a process before its parts, numbers by value (node-2 before node-10).
bool StandsAbove(std::string_view a, std::string_view b);

}  // namespace ksim::trace
