#include "ksim/api/kinds/core/service_fields.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/tree_edit.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

std::string_view TypeOf(const Value& spec) { return spec.Get(Fields().type).AsString(); }

bool IsBalancer(const Value& spec) { return TypeOf(spec) == "LoadBalancer"; }

// ExternallyAccessible.
bool IsAccessible(const Value& spec) {
  return NeedsNodePorts(spec) || (TypeOf(spec) == "ClusterIP" && !spec.Get("externalIPs").empty());
}

std::set<std::int64_t> NodePortsOf(const Value& spec) {
  std::set<std::int64_t> ports;
  for (const Value& port : spec.Get(Fields().ports).items())
    if (port.Get("nodePort").AsInt() != 0) ports.insert(port.Get("nodePort").AsInt());
  return ports;
}

// Ports that lack a node port get that of the old port of the same name, unless another has it.
Value WithOldNodePorts(Value spec, const Value& old) {
  if (!NeedsNodePorts(spec) || !NeedsNodePorts(old)) return spec;
  const std::set<std::int64_t> used = NodePortsOf(spec);
  std::map<std::string_view, std::int64_t> by_name;
  for (const Value& port : old.Get(Fields().ports).items())
    by_name[port.Get(Fields().name).AsString()] = port.Get("nodePort").AsInt();
  return EditField(std::move(spec), Fields().ports, [&](const Value& ports) {
    return EditItems(ports, [&](const Value& port) {
      const auto known = by_name.find(port.Get(Fields().name).AsString());
      const bool lacks = port.Get("nodePort").AsInt() == 0 && known != by_name.end() &&
                         known->second != 0 && !used.contains(known->second);
      return lacks ? port.Set("nodePort", Value::Int(known->second)) : port;
    });
  });
}

Value WithoutNodePorts(Value spec) {
  return EditField(std::move(spec), Fields().ports, [](const Value& ports) {
    return EditItems(ports, [](const Value& port) { return port.Erase("nodePort"); });
  });
}

// The addresses of a Service that needs none any more.
Value WithoutAddresses(Value spec, const Value& old) {
  const bool same = spec.Get(Fields().cluster_ip) == old.Get(Fields().cluster_ip) &&
                    spec.Get(Fields().cluster_ips) == old.Get(Fields().cluster_ips);
  for (const Atom field : {Fields().cluster_ip, Fields().cluster_ips, Fields().ip_families,
                           Fields().ip_family_policy, Fields().internal_traffic_policy}) {
    const bool address = field == Fields().cluster_ip || field == Fields().cluster_ips;
    if (address ? same : spec.Get(field) == old.Get(field)) spec = value::EraseField(spec, field);
  }
  return spec;
}

Value WithoutField(Value spec, const Value& old, const char* field) {
  return spec.Get(field) == old.Get(field) ? spec.Erase(field) : spec;
}

}  // namespace

bool NeedsClusterIp(const Value& spec) {
  return spec.is_object() && TypeOf(spec) != "ExternalName";
}

bool IsHeadlessService(const Value& spec) {
  return spec.Get(Fields().cluster_ip).AsString() == "None";
}

bool NeedsNodePorts(const Value& spec) { return TypeOf(spec) == "NodePort" || IsBalancer(spec); }

bool NeedsHealthPort(const Value& spec) {
  return IsBalancer(spec) && spec.Get(Fields().external_traffic_policy).AsString() == "Local";
}

Value WithServiceAddresses(Value spec) {
  if (!spec.is_object()) return spec;
  const Value ip = spec.Get(Fields().cluster_ip);
  if (!ip.AsString().empty())
    spec = WithDefault(std::move(spec), Fields().cluster_ips, value::Arr({ip}));
  if (!NeedsClusterIp(spec)) return spec;
  const bool bare = ip.AsString() == "None" && spec.Get(Fields().selector).empty();
  const bool six = ip.AsString().find(':') != std::string_view::npos;
  const Value four = Value::Of("IPv4");
  Value families = value::Arr({six ? Value::Of("IPv6") : four});
  if (bare) families = value::Arr({four, Value::Of("IPv6")});
  spec = WithDefault(std::move(spec), Fields().ip_families, families);
  return WithDefault(std::move(spec), Fields().ip_family_policy,
                     Value::Of(bare ? "RequireDualStack" : "SingleStack"));
}

Value WithOldServiceValues(Value spec, const Value& old) {
  if (!NeedsClusterIp(spec)) return WithServiceAddresses(std::move(spec));
  if (!old.Get(Fields().cluster_ip).is_null())
    spec = WithNonEmpty(std::move(spec), Fields().cluster_ip, old.Get(Fields().cluster_ip));
  for (const Atom field : {Fields().cluster_ips, Fields().ip_families, Fields().ip_family_policy}) {
    const bool other = spec.Get(Fields().cluster_ip) != old.Get(Fields().cluster_ip);
    if (old.Get(field).is_null() || (field == Fields().cluster_ips && other)) continue;
    spec = WithDefault(std::move(spec), field, old.Get(field));
  }
  spec = WithOldNodePorts(std::move(spec), old);
  if (NeedsHealthPort(spec) && NeedsHealthPort(old))
    spec =
        WithNonEmpty(std::move(spec), Atom("healthCheckNodePort"), old.Get("healthCheckNodePort"));
  return WithServiceAddresses(std::move(spec));
}

Value WithoutUnneededServiceFields(Value service, const Value& old_service) {
  const Value& old = old_service.Get(Fields().spec);
  Value edited = EditField(std::move(service), Fields().spec, [&old](Value spec) {
    if (NeedsClusterIp(old) && !NeedsClusterIp(spec)) spec = WithoutAddresses(spec, old);
    const std::set<std::int64_t> had = NodePortsOf(old), has = NodePortsOf(spec);
    if (NeedsNodePorts(old) && !NeedsNodePorts(spec) &&
        std::includes(had.begin(), had.end(), has.begin(), has.end()))
      spec = WithoutNodePorts(std::move(spec));
    if (NeedsHealthPort(old) && !NeedsHealthPort(spec))
      spec = WithoutField(std::move(spec), old, "healthCheckNodePort");
    if (IsBalancer(old) && !IsBalancer(spec)) {
      spec = WithoutField(std::move(spec), old, "allocateLoadBalancerNodePorts");
      spec = WithoutField(std::move(spec), old, "loadBalancerClass");
    }
    if (IsAccessible(old) && !IsAccessible(spec))
      spec = WithoutField(std::move(spec), old, "externalTrafficPolicy");
    return spec;
  });
  if (IsBalancer(edited.Get(Fields().spec)) || !IsBalancer(old)) return edited;
  static const value::Path kBalancer{"status", "loadBalancer"};
  return std::move(edited).Set(kBalancer, Value::EmptyObject());
}

}  // namespace ksim::api
