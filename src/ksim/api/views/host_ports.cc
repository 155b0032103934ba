#include "ksim/api/views/host_ports.h"

#include "ksim/api/core/profile.h"
#include "ksim/api/pod.h"

namespace ksim::api {

using value::Value;

namespace {
constexpr const char* kAnyAddress = "0.0.0.0";

void AddPortsOf(const Value& container, std::vector<HostPort>* ports) {
  for (const Value& p : container.Get("ports").items()) {
    const std::int64_t number = p.Get("hostPort").AsInt();
    if (number <= 0) continue;
    const std::string_view ip = p.Get("hostIP").AsString();
    const std::string_view protocol = p.Get("protocol").AsString();
    ports->emplace_back(ip.empty() ? kAnyAddress : std::string(ip),
                        protocol.empty() ? "TCP" : std::string(protocol), number);
  }
}
}  // namespace

std::vector<HostPort> HostPorts(const Object& pod) {
  std::vector<HostPort> ports;
  for (const Value& container : pod.spec().Get("containers").items()) AddPortsOf(container, &ports);
  return ports;
}

std::vector<HostPort> SidecarHostPorts(const Object& pod) {
  std::vector<HostPort> ports;
  for (const Value& container : pod.spec().Get("initContainers").items())
    if (PodView::IsSidecar(container)) AddPortsOf(container, &ports);
  return ports;
}

std::vector<HostPort> HeldHostPorts(const Object& pod, Compat compat) {
  std::vector<HostPort> ports = HostPorts(pod);
  if (!ProfileOf(compat).sidecars_hold_host_ports) return ports;
  const std::vector<HostPort> sidecars = SidecarHostPorts(pod);
  ports.insert(ports.end(), sidecars.begin(), sidecars.end());
  return ports;
}

bool PortsConflict(const HostPort& a, const HostPort& b) {
  if (a.port != b.port || a.protocol != b.protocol) return false;
  return a.ip == b.ip || a.ip == kAnyAddress || b.ip == kAnyAddress;
}

}  // namespace ksim::api
