// The kind NetworkPolicy of networking.k8s.io/v1.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/api/kinds/shared/pod_template.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/ip_warnings.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::string_view kNetworkPolicyTypes = R"(
IPBlock: cidr!=string except=[]string
NetworkPolicy: apiVersion=string kind=string metadata=ObjectMeta spec=NetworkPolicySpec
NetworkPolicyEgressRule: ports=[]NetworkPolicyPort to=[]NetworkPolicyPeer
NetworkPolicyIngressRule: from=[]NetworkPolicyPeer ports=[]NetworkPolicyPort
NetworkPolicyPeer: ipBlock=*IPBlock namespaceSelector=*LabelSelector podSelector=*LabelSelector
NetworkPolicyPort: endPort=*int32 port=*IntOrString protocol=*s:Protocol
NetworkPolicySpec: egress=[]NetworkPolicyEgressRule ingress=[]NetworkPolicyIngressRule
   podSelector!=LabelSelector policyTypes=[]s:PolicyType
)";

std::vector<std::string> NetworkPolicyCells(const Object& o, VirtualTime now) {
  return {cells::Name(o), SelectorText(o.spec().Get("podSelector")), cells::Age(o, now)};
}

// networkPolicyWarnings
// The ports of the rules of one direction.
Value DefaultRules(const Value& rules) {
  return EditItems(rules, [](const Value& rule) {
    return EditField(rule, value::Atom("ports"), [](const Value& ports) {
      return EditItems(ports, [](const Value& port) {
        return WithDefault(port, Fields().protocol, Value::Of("TCP"));
      });
    });
  });
}

// pkg/apis/networking/v1/defaults.go SetDefaults_NetworkPolicy, SetDefaults_NetworkPolicyPort
Value DefaultNetworkPolicy(const Value& tree, Compat) {
  return EditSpec(tree, [](const Value& spec) {
    Value out = EditField(spec, value::Atom("ingress"), DefaultRules);
    out = EditField(std::move(out), value::Atom("egress"), DefaultRules);
    if (!out.Get("policyTypes").empty()) return out;
    std::vector<Value> types = {Value::Of("Ingress")};
    if (!out.Get("egress").empty()) types.push_back(Value::Of("Egress"));
    return out.Set("policyTypes", Value::Array(std::move(types)));
  });
}

std::vector<std::string> NetworkPolicyWarnings(const Value& tree, Compat compat) {
  const Profile& profile = ProfileOf(compat);
  std::vector<std::string> warnings;
  if (!profile.warns_of_ip_forms) return warnings;
  for (const auto& [direction, peers] : {std::pair{"ingress", "from"}, {"egress", "to"}}) {
    const Value& rules = tree.Get("spec").Get(direction);
    for (std::size_t i = 0; i < rules.size(); ++i) {
      const Value& list = rules.at(i).Get(peers);
      for (std::size_t j = 0; j < list.size(); ++j) {
        const Value& block = list.at(j).Get("ipBlock");
        const std::string path = fmt::format("spec.{}[{}].{}[{}].ipBlock", direction, i, peers, j);
        WarnOfCidr(path + ".cidr", block.Get("cidr").AsString(), profile, &warnings);
        for (std::size_t k = 0; k < block.Get("except").size(); ++k)
          WarnOfCidr(fmt::format("{}.except[{}]", path, k), block.Get("except").at(k).AsString(),
                     profile, &warnings);
      }
    }
  }
  return warnings;
}

}  // namespace

extern const KindSpec kNetworkPolicyKind = {
    .group = "networking.k8s.io",
    .kind = "NetworkPolicy",
    .resource = "networkpolicies",
    .short_names = {"netpol"},
    .has_generation = true,
    .go_types = kNetworkPolicyTypes,
    .columns = {{"Name"}, {"Pod-Selector"}, {"Age"}},
    .cells = NetworkPolicyCells,
    .defaults = DefaultNetworkPolicy,
    .warnings_on_create = NetworkPolicyWarnings,
    .warnings_on_update = [](const value::Value& updated, const value::Value&,
                             Compat compat) { return NetworkPolicyWarnings(updated, compat); },
};

}  // namespace ksim::api
