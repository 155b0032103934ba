// The ports of the node that a pod's containers want to hold.
//
// Source: pkg/scheduler/framework/types.go HostPortInfo; component-helpers scheduling GetHostPorts.
#pragma once
#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "ksim/api/compat.h"
#include "ksim/api/object.h"

namespace ksim::api {

struct HostPort {
  HostPort() = default;
  HostPort(std::string i, std::string p, std::int64_t n)
      : ip(std::move(i)), protocol(std::move(p)), port(n) {}
  std::string ip;  // "0.0.0.0" = every address
  std::string protocol;
  std::int64_t port = 0;
  friend auto operator<=>(const HostPort&, const HostPort&) = default;
};

// The host ports of a pod's containers; those with port 0 left out.
std::vector<HostPort> HostPorts(const Object& pod);
// Those of its init containers that go on running.
std::vector<HostPort> SidecarHostPorts(const Object& pod);
// The host ports that the pod holds alone on its node; Profile::sidecars_hold_host_ports.
std::vector<HostPort> HeldHostPorts(const Object& pod, Compat compat);

// Both cannot be held at once: same port and protocol, and addresses that overlap.
bool PortsConflict(const HostPort& a, const HostPort& b);

}  // namespace ksim::api
