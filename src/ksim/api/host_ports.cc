#include "ksim/api/host_ports.h"

namespace ksim::api {

using value::Value;

namespace {
constexpr const char* kAnyAddress = "0.0.0.0";
}  // namespace

std::vector<HostPort> HostPorts(const Object& pod) {
  std::vector<HostPort> ports;
  for (const Value& container : pod.spec().Get("containers").items()) {
    for (const Value& p : container.Get("ports").items()) {
      const std::int64_t number = p.Get("hostPort").AsInt();
      if (number <= 0) continue;
      const std::string_view ip = p.Get("hostIP").AsString();
      const std::string_view protocol = p.Get("protocol").AsString();
      ports.emplace_back(ip.empty() ? kAnyAddress : std::string(ip),
                         protocol.empty() ? "TCP" : std::string(protocol), number);
    }
  }
  return ports;
}

bool PortsConflict(const HostPort& a, const HostPort& b) {
  if (a.port != b.port || a.protocol != b.protocol) return false;
  return a.ip == b.ip || a.ip == kAnyAddress || b.ip == kAnyAddress;
}

}  // namespace ksim::api
