// The payload of a kubelet's events on the bus: kind `runtime`.
#pragma once
#include <cstdint>
#include <string>
#include <utility>

#include "ksim/base/hash.h"
#include "ksim/sim/bus.h"

namespace ksim::kubelet {

// Something done to a pod's sandbox or to one of its containers.
struct RuntimePayload : sim::Payload {
  std::string ns, pod, uid, node;
  std::string container;  // "" = the sandbox
  std::string action;     // sandbox pull create start, exit (by itself), kill, remove,
                          // stages (they play the pod), stage (one is played)
  std::string result;     // "ok", "exit 143", ...; of a stage its name, and why it failed

  std::uint64_t ContentHash() const override {
    Hasher h;
    h.Add(ns).Add(pod).Add(uid).Add(node).Add(container).Add(action).Add(result);
    return h.Digest();
  }
};

}  // namespace ksim::kubelet
