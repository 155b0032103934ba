// The kind NetworkPolicy of networking.k8s.io/v1.
#include <string>
#include <vector>

#include "ksim/api/core/kind_spec.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"

namespace ksim::api {

namespace {

std::vector<std::string> NetworkPolicyCells(const Object& o, VirtualTime now) {
  return {cells::Name(o), SelectorText(o.spec().Get("podSelector")), cells::Age(o, now)};
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
};

}  // namespace ksim::api
