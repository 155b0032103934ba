// Trouble: what can be wrong with a machine while it goes on: it is short of something, or its
// pods have no network. Scripted by the fault nodeTrouble; the machine has it, so it survives the
// kubelet, and the kubelet notices when it looks.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace ksim::kubelet {

enum class Trouble : std::uint8_t { kMemory, kDisk, kPids, kNetwork };

// In the order in which the kubelet reports and relieves them.
inline constexpr Trouble kPressures[] = {Trouble::kMemory, Trouble::kDisk, Trouble::kPids};

constexpr std::optional<Trouble> ParseTrouble(std::string_view name) {
  if (name == "memory") return Trouble::kMemory;
  if (name == "disk") return Trouble::kDisk;
  if (name == "pids") return Trouble::kPids;
  if (name == "network") return Trouble::kNetwork;
  return std::nullopt;
}

// The runtime's error while pods have no network (pkg/kubelet/kubelet.go updateRuntimeUp).
inline constexpr std::string_view kNetworkNotReady =
    "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady "
    "message:Network plugin returns error: cni plugin not initialized";

// The type of the node's condition that says so.
constexpr std::string_view ConditionOf(Trouble pressure) {
  switch (pressure) {
    case Trouble::kMemory:
      return "MemoryPressure";
    case Trouble::kDisk:
      return "DiskPressure";
    case Trouble::kPids:
      return "PIDPressure";
    case Trouble::kNetwork:
      return "Ready";
  }
  return {};
}

}  // namespace ksim::kubelet
