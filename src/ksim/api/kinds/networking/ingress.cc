// The kind Ingress of networking.k8s.io/v1.
//
// Source: pkg/printers/internalversion/printers.go printIngress.
#include <fmt/format.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/ip_warnings.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::string_view kIngressTypes = R"(
HTTPIngressPath: backend!=IngressBackend path=string pathType!=*s:PathType
HTTPIngressRuleValue: paths!=[]HTTPIngressPath
Ingress: apiVersion=string kind=string metadata=ObjectMeta spec=IngressSpec status=IngressStatus
IngressBackend: resource=*TypedLocalObjectReference service=*IngressServiceBackend
IngressLoadBalancerIngress: hostname=string ip=string ports=[]IngressPortStatus
IngressLoadBalancerStatus: ingress=[]IngressLoadBalancerIngress
IngressPortStatus: error=*string port!=int32 protocol!=s:Protocol
IngressRule: host=string http=*HTTPIngressRuleValue
IngressServiceBackend: name!=string port=ServiceBackendPort
IngressSpec: defaultBackend=*IngressBackend ingressClassName=*string rules=[]IngressRule
   tls=[]IngressTLS
IngressStatus: loadBalancer=IngressLoadBalancerStatus
IngressTLS: hosts=[]string secretName=string
ServiceBackendPort: name=string number=int32
)";

// formatHosts. Rules without a host count among the rest.
std::string IngressHosts(const Value& rules) {
  std::vector<std::string> hosts;
  for (const Value& rule : rules.items()) {
    if (hosts.size() == cells::kListedAtMost)
      return cells::ListWithRest(hosts, rules.size() - cells::kListedAtMost);
    if (!rule.Get("host").AsString().empty()) hosts.push_back(cells::Text(rule.Get("host")));
  }
  return hosts.empty() ? "*" : cells::ListWithRest(hosts, 0);
}

// ingressLoadBalancerStatusStringer without -o wide.
std::string LoadBalancerText(const Value& ingress) {
  constexpr std::size_t kWidth = 16;
  std::set<std::string> sorted;
  for (const Value& i : ingress.items()) {
    const Value& address = i.Get("ip").AsString().empty() ? i.Get("hostname") : i.Get("ip");
    if (!address.AsString().empty()) sorted.insert(cells::Text(address));
  }
  std::string out = fmt::format("{}", fmt::join(sorted, ","));
  return out.size() > kWidth ? out.substr(0, kWidth - 3) + "..." : out;
}

std::vector<std::string> IngressCells(const Object& o, VirtualTime now) {
  const Value& spec = o.spec();
  const Value& name = spec.Get("ingressClassName");
  return {cells::Name(o),
          name.is_null() ? "<none>" : cells::Text(name),
          IngressHosts(spec.Get("rules")),
          LoadBalancerText(o.status().Get("loadBalancer").Get("ingress")),
          spec.Get("tls").empty() ? "80" : "80, 443",
          cells::Age(o, now)};
}

std::vector<std::string> IngressWarnings(const Value& tree, Compat compat) {
  const bool named = tree.Get("metadata").Get("annotations").Has("kubernetes.io/ingress.class");
  if (!ProfileOf(compat).warns_of_ingress_class || !named ||
      !tree.Get("spec").Get("ingressClassName").is_null())
    return {};
  return {
      "annotation \"kubernetes.io/ingress.class\" is deprecated, please use "
      "'spec.ingressClassName' instead"};
}

std::vector<std::string> IngressStatusWarnings(const Value& updated, const Value&, Compat compat) {
  std::vector<std::string> warnings;
  WarnOfLoadBalancerIps(updated.Get("status"), ProfileOf(compat), &warnings);
  return warnings;
}

}  // namespace

extern const KindSpec kIngressKind = {
    .group = "networking.k8s.io",
    .kind = "Ingress",
    .resource = "ingresses",
    .short_names = {"ing"},
    .storage_prefix = "ingress",
    .has_status = true,
    .has_generation = true,
    .go_types = kIngressTypes,
    .columns = {{"Name"}, {"Class"}, {"Hosts"}, {"Address"}, {"Ports"}, {"Age"}},
    .cells = IngressCells,
    .warnings_on_create = IngressWarnings,
    .warnings_on_status_update = IngressStatusWarnings,
};

}  // namespace ksim::api
