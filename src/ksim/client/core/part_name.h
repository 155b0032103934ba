// PartName: which part of a process an actor is.
#pragma once
#include <string>
#include <string_view>

#include "ksim/sim/process.h"

namespace ksim::client {

// "replicaset" of kube-controller-manager/replicaset; "" for the process itself.
inline std::string PartName(const sim::Process& process, sim::ActorId actor) {
  const std::string_view name = actor.name();
  const std::string prefix = process.name() + "/";
  return name.starts_with(prefix) ? std::string(name.substr(prefix.size())) : std::string();
}

}  // namespace ksim::client
