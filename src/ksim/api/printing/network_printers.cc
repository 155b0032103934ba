#include "ksim/api/printing/network_printers.h"

#include <fmt/format.h>

#include <set>

namespace ksim::api {
namespace {

using value::Value;
using Cells = std::vector<std::string>;

using cells::Age;
using cells::Name;
using cells::Text;

constexpr std::size_t kShown = 3;

std::string Shown(const std::vector<std::string>& texts, std::size_t more) {
  std::string out = fmt::format("{}", fmt::join(texts, ","));
  return more == 0 ? out : fmt::format("{} + {} more...", out, more);
}

// The first three, and how many there are besides.
std::string FirstOf(std::vector<std::string> texts) {
  const std::size_t more = texts.size() > kShown ? texts.size() - kShown : 0;
  texts.resize(texts.size() - more);
  return Shown(texts, more);
}

// formatEndpoints: addresses that are ready, with each port.
Cells EndpointsCells(const Object& o, VirtualTime now) {
  const Value& subsets = o.tree().Get("subsets");
  std::vector<std::string> all;
  for (const Value& subset : subsets.items()) {
    const Value& addresses = subset.Get("addresses");
    if (subset.Get("ports").empty())
      for (const Value& a : addresses.items()) all.push_back(Text(a.Get("ip")));
    for (const Value& port : subset.Get("ports").items())
      for (const Value& a : addresses.items()) {
        const std::string ip = Text(a.Get("ip"));
        const bool v6 = ip.find(':') != ip.npos;
        all.push_back(fmt::format("{}:{}", v6 ? "[" + ip + "]" : ip, port.Get("port").AsInt()));
      }
  }
  return {Name(o), subsets.empty() ? "<none>" : FirstOf(std::move(all)), Age(o, now)};
}

std::string OrUnset(std::string text) { return text.empty() ? "<unset>" : text; }

// formatDiscoveryPorts, formatDiscoveryEndpoints.
Cells SliceCells(const Object& o, VirtualTime now) {
  std::vector<std::string> ports, addresses;
  for (const Value& p : o.tree().Get("ports").items()) {
    const Value& port = p.Get("port");
    const Value& name = p.Get("name");
    ports.push_back(port.is_int()    ? std::to_string(port.AsInt())
                    : name.is_null() ? "*"
                                     : Text(name));
  }
  for (const Value& e : o.tree().Get("endpoints").items())
    for (const Value& a : e.Get("addresses").items()) addresses.push_back(Text(a));
  return {Name(o), Text(o.tree().Get("addressType")), OrUnset(FirstOf(std::move(ports))),
          OrUnset(FirstOf(std::move(addresses))), Age(o, now)};
}

// formatHosts: rules without a host count among those left out.
std::string Hosts(const Value& rules) {
  std::vector<std::string> hosts;
  for (const Value& rule : rules.items()) {
    if (hosts.size() == kShown) return Shown(hosts, rules.size() - kShown);
    if (!rule.Get("host").AsString().empty()) hosts.push_back(Text(rule.Get("host")));
  }
  return hosts.empty() ? "*" : Shown(hosts, 0);
}

// ingressLoadBalancerStatusStringer, as it is without -o wide.
std::string LoadBalancers(const Value& ingress) {
  constexpr std::size_t kWidth = 16;
  std::set<std::string> sorted;
  for (const Value& i : ingress.items()) {
    const Value& address = i.Get("ip").AsString().empty() ? i.Get("hostname") : i.Get("ip");
    if (!address.AsString().empty()) sorted.insert(Text(address));
  }
  std::string out = fmt::format("{}", fmt::join(sorted, ","));
  return out.size() > kWidth ? out.substr(0, kWidth - 3) + "..." : out;
}

Cells IngressCells(const Object& o, VirtualTime now) {
  const Value& spec = o.spec();
  const Value& name = spec.Get("ingressClassName");
  return {Name(o),
          name.is_null() ? "<none>" : Text(name),
          Hosts(spec.Get("rules")),
          LoadBalancers(o.status().Get("loadBalancer").Get("ingress")),
          spec.Get("tls").empty() ? "80" : "80, 443",
          Age(o, now)};
}

Cells IngressClassCells(const Object& o, VirtualTime now) {
  const bool is_default =
      o.annotations().Get("ingressclass.kubernetes.io/is-default-class").AsString() == "true";
  const Value& p = o.spec().Get("parameters");
  std::string parameters = "<none>";
  if (p.is_object()) {
    const std::string group = p.Get("apiGroup").is_null() ? "" : "." + Text(p.Get("apiGroup"));
    parameters = Text(p.Get("kind")) + group + "/" + Text(p.Get("name"));
  }
  return {Name(o) + (is_default ? " (default)" : ""), Text(o.spec().Get("controller")), parameters,
          Age(o, now)};
}

std::string YesNo(const Value& v, bool otherwise) {
  return (v.is_null() ? otherwise : v.AsBool()) ? "true" : "false";
}

Cells AttachmentCells(const Object& o, VirtualTime now) {
  const Value& spec = o.spec();
  return {Name(o),
          Text(spec.Get("attacher")),
          Text(spec.Get("source").Get("persistentVolumeName")),
          Text(spec.Get("nodeName")),
          YesNo(o.status().Get("attached"), false),
          Age(o, now)};
}

// A driver without modes has the mode Persistent by default.
Cells DriverCells(const Object& o, VirtualTime now) {
  const Value& spec = o.spec();
  std::vector<std::string> modes;
  for (const Value& m : spec.Get("volumeLifecycleModes").items()) modes.push_back(Text(m));
  const Value& tokens = spec.Get("tokenRequests");
  return {Name(o),
          YesNo(spec.Get("attachRequired"), true),
          YesNo(spec.Get("podInfoOnMount"), false),
          YesNo(spec.Get("storageCapacity"), false),
          tokens.is_null() ? "<unset>" : cells::Join(tokens, "audience"),
          YesNo(spec.Get("requiresRepublish"), false),
          modes.empty() ? "Persistent" : Shown(modes, 0),
          Age(o, now)};
}

Cells DriversCells(const Object& o, VirtualTime now) {
  return {Name(o), std::to_string(o.spec().Get("drivers").size()), Age(o, now)};
}

constexpr Printer kPrinters[] = {
    {"", "Endpoints", "Name|Endpoints|Age", EndpointsCells},
    {"discovery.k8s.io", "EndpointSlice", "Name|AddressType|Ports|Endpoints|Age", SliceCells},
    {"networking.k8s.io", "Ingress", "Name|Class|Hosts|Address|Ports|Age", IngressCells},
    {"networking.k8s.io", "IngressClass", "Name|Controller|Parameters|Age", IngressClassCells},
    {"storage.k8s.io", "VolumeAttachment", "Name|Attacher|PV|Node|Attached|Age", AttachmentCells},
    {"storage.k8s.io", "CSIDriver",
     "Name|AttachRequired|PodInfoOnMount|StorageCapacity|TokenRequests|RequiresRepublish|Modes|Age",
     DriverCells},
    {"storage.k8s.io", "CSINode", "Name|Drivers|Age", DriversCells},
};

}  // namespace

const Printer* NetworkPrinterOf(const ResourceInfo& kind) {
  for (const Printer& p : kPrinters)
    if (kind.kind == p.kind && kind.group == p.group) return &p;
  return nullptr;
}

}  // namespace ksim::api
