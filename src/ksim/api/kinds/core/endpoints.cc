// The kind Endpoints of v1.
//
// Sources: pkg/apis/core/v1/defaults.go; pkg/printers/internalversion/printers.go formatEndpoints.
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/ip_warnings.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::string_view kEndpointsTypes = R"(
EndpointAddress: hostname=string ip!=string nodeName=*string targetRef=*ObjectReference
EndpointPort: appProtocol=*string name=string port!=int32 protocol=s:Protocol
EndpointSubset: addresses=[]EndpointAddress notReadyAddresses=[]EndpointAddress
   ports=[]EndpointPort
Endpoints: apiVersion=string kind=string metadata=ObjectMeta subsets=[]EndpointSubset
)";

Value DefaultEndpoints(const Value& tree, Compat) {
  return EditField(tree, Fields().subsets, [](const Value& subsets) {
    return EditItems(subsets, [](const Value& subset) {
      return EditField(subset, Fields().ports, [](const Value& ports) {
        return EditItems(ports, [](const Value& p) {
          return WithNonEmpty(p, Fields().protocol, Value::Of("TCP"));
        });
      });
    });
  });
}

// formatEndpoints: addresses that are ready, with each port.
std::vector<std::string> EndpointsCells(const Object& o, VirtualTime now) {
  const Value& subsets = o.tree().Get("subsets");
  std::vector<std::string> all;
  for (const Value& subset : subsets.items()) {
    const Value& addresses = subset.Get("addresses");
    if (subset.Get("ports").empty())
      for (const Value& a : addresses.items()) all.push_back(cells::Text(a.Get("ip")));
    for (const Value& port : subset.Get("ports").items())
      for (const Value& a : addresses.items()) {
        const std::string ip = cells::Text(a.Get("ip"));
        const bool v6 = ip.find(':') != ip.npos;
        all.push_back(fmt::format("{}:{}", v6 ? "[" + ip + "]" : ip, port.Get("port").AsInt()));
      }
  }
  return {cells::Name(o), subsets.empty() ? "<none>" : cells::ShortList(std::move(all)),
          cells::Age(o, now)};
}

// endpointsWarnings; what the endpoints controller writes is not looked at.
std::vector<std::string> EndpointsWarnings(const Value& tree, Compat compat) {
  const Profile& profile = ProfileOf(compat);
  std::vector<std::string> warnings;
  if (!profile.warns_of_ip_forms ||
      tree.Get("metadata").Get("labels").Get("endpoints.kubernetes.io/managed-by").AsString() ==
          "endpoint-controller")
    return warnings;
  const Value& subsets = tree.Get("subsets");
  for (std::size_t i = 0; i < subsets.size(); ++i) {
    for (const char* list : {"addresses", "notReadyAddresses"}) {
      const Value& addresses = subsets.at(i).Get(list);
      for (std::size_t j = 0; j < addresses.size(); ++j)
        WarnOfIp(fmt::format("subsets[{}].{}[{}].ip", i, list, j),
                 addresses.at(j).Get("ip").AsString(), profile, &warnings);
    }
  }
  return warnings;
}

}  // namespace

extern const KindSpec kEndpointsKind = {
    .kind = "Endpoints",
    .resource = "endpoints",
    .short_names = {"ep"},
    .storage_prefix = "services/endpoints",
    .create_on_update = true,
    .go_types = kEndpointsTypes,
    .columns = {{"Name"}, {"Endpoints"}, {"Age"}},
    .cells = EndpointsCells,
    .defaults = DefaultEndpoints,
    .warnings_on_create = EndpointsWarnings,
    .warnings_on_update = [](const value::Value& updated, const value::Value&,
                             Compat compat) { return EndpointsWarnings(updated, compat); },
};

}  // namespace ksim::api
