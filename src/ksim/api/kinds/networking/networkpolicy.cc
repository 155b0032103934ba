// The kind NetworkPolicy of networking.k8s.io/v1.
#include <fmt/format.h>

#include <string>
#include <utility>
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

std::vector<std::string> NetworkPolicyCells(const Object& o, VirtualTime now) {
  return {cells::Name(o), SelectorText(o.spec().Get("podSelector")), cells::Age(o, now)};
}

// networkPolicyWarnings
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
    .columns = {{"Name"}, {"Pod-Selector"}, {"Age"}},
    .cells = NetworkPolicyCells,
    .warnings_on_create = NetworkPolicyWarnings,
    .warnings_on_update = [](const value::Value& updated, const value::Value&,
                             Compat compat) { return NetworkPolicyWarnings(updated, compat); },
};

}  // namespace ksim::api
