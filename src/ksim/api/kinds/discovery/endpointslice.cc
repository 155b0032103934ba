// The kind EndpointSlice of discovery.k8s.io/v1.
//
// Sources: pkg/apis/discovery/validation; pkg/printers/internalversion/printers.go.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/api/kinds/shared/network.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/ip_text.h"
#include "ksim/api/rules/ip_warnings.h"
#include "ksim/api/rules/meta_validation.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::string_view kEndpointSliceTypes = R"(
discovery.EndpointPort: appProtocol=*string name=*string port=*int32 protocol=*s:Protocol
Endpoint: addresses!=[]string conditions=EndpointConditions deprecatedTopology={}string
   hints=*EndpointHints hostname=*string nodeName=*string targetRef=*ObjectReference zone=*string
EndpointConditions: ready=*bool serving=*bool terminating=*bool
EndpointHints: forNodes=[]ForNode forZones=[]ForZone
EndpointSlice: addressType!=s:AddressType apiVersion=string endpoints!=[]Endpoint kind=string
   metadata=ObjectMeta ports!=[]discovery.EndpointPort
ForNode: name!=string
ForZone: name!=string
)";

Value DefaultEndpointSlice(const Value& tree, Compat) {
  return EditField(tree, Fields().ports, [](const Value& ports) {
    return EditItems(ports, [](const Value& port) {
      return WithDefault(WithDefault(port, Fields().name, Value::String("")), Fields().protocol,
                         Value::Of("TCP"));
    });
  });
}

// validateEndpoints on one address. It checks IPv4 and IPv6 addresses and no host names.
void CheckSliceAddress(std::string_view type, std::string_view address, const FieldPath& path,
                       FieldErrorList* errors) {
  if (type != "IPv4" && type != "IPv6") return;
  const bool good = type == "IPv4" ? IsIpv4(address) : IsIpv6(address);
  if (errors->profile().slice_address_is_ip && !IsIp(address)) {
    return errors->Invalid(path, address,
                           "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
  }
  if (!good) errors->Invalid(path, address, fmt::format("must be a valid {} address", type));
  ValidateNonSpecialIp(address, path, errors);
}

void CheckSliceEndpoint(const Value& endpoint, std::string_view type, const FieldPath& path,
                        FieldErrorList* errors) {
  const FieldPath addresses = path.Child("addresses");
  const Value& list = endpoint.Get("addresses");
  if (list.empty()) errors->Required(addresses, "must contain at least 1 address");
  for (std::size_t i = 0; i < list.size(); ++i) {
    CheckSliceAddress(type, list.at(i).AsString(), addresses.Index(i), errors);
  }
  const Value& node = endpoint.Get("nodeName");
  if (node.is_string()) {
    errors->InvalidAll(path.Child("nodeName"), node.AsString(), Dns1123Subdomain(node.AsString()));
  }
  const Value& host = endpoint.Get("hostname");
  if (host.is_string()) {
    errors->InvalidAll(path.Child("hostname"), host.AsString(),
                       Dns1123Label(host.AsString(), errors->compat()));
  }
}

void CheckSlicePorts(const Value& ports, FieldErrorList* errors) {
  const FieldPath path("ports");
  std::vector<std::string_view> seen;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const FieldPath at = path.Index(i);
    const std::string_view name = ports.at(i).Get("name").AsString();
    if (!name.empty()) {
      errors->InvalidAll(at.Child("name"), name, Dns1123Label(name, errors->compat()));
    }
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
      errors->Duplicate(at.Child("name"), name);
    }
    seen.push_back(name);
    const Value& protocol = ports.at(i).Get("protocol");
    if (protocol.is_null()) {
      errors->Required(at.Child("protocol"));
    } else {
      ValidateProtocol(protocol.AsString(), at.Child("protocol"), errors);
    }
    const Value& app = ports.at(i).Get("appProtocol");
    if (app.is_string()) {
      errors->InvalidAll(at.Child("appProtocol"), app.AsString(),
                         QualifiedName(app.AsString(), errors->compat()));
    }
  }
}

void ValidateEndpointSlice(const Value& tree, FieldErrorList* errors) {
  const std::string_view type = tree.Get("addressType").AsString();
  const FieldPath at("addressType");
  if (type.empty()) {
    errors->Required(at);
  } else if (type != "FQDN" && type != "IPv4" && type != "IPv6") {
    errors->NotSupported(at, type, {"FQDN", "IPv4", "IPv6"});
  }
  const FieldPath path("endpoints");
  const Value& endpoints = tree.Get("endpoints");
  for (std::size_t i = 0; i < endpoints.size(); ++i) {
    CheckSliceEndpoint(endpoints.at(i), type, path.Index(i), errors);
  }
  CheckSlicePorts(tree.Get("ports"), errors);
}

void ValidateEndpointSliceUpdate(const Value& tree, const Value& old, FieldErrorList* errors) {
  ValidateImmutable(tree.Get("addressType"), old.Get("addressType"), GoShape::kOther,
                    FieldPath("addressType"), errors);
}

std::string OrUnset(std::string text) { return text.empty() ? "<unset>" : text; }

// formatDiscoveryPorts, formatDiscoveryEndpoints.
std::vector<std::string> SliceCells(const Object& o, VirtualTime now) {
  std::vector<std::string> ports, addresses;
  for (const Value& p : o.tree().Get("ports").items()) {
    const Value& port = p.Get("port");
    const Value& name = p.Get("name");
    ports.push_back(port.is_int()    ? std::to_string(port.AsInt())
                    : name.is_null() ? "*"
                                     : cells::Text(name));
  }
  for (const Value& e : o.tree().Get("endpoints").items())
    for (const Value& a : e.Get("addresses").items()) addresses.push_back(cells::Text(a));
  return {cells::Name(o), cells::Text(o.tree().Get("addressType")),
          OrUnset(cells::ShortList(std::move(ports))),
          OrUnset(cells::ShortList(std::move(addresses))), cells::Age(o, now)};
}

// warnOnBadIPs; what upstream's controllers write is not looked at.
void WarnOfAddresses(const Value& tree, const Profile& profile,
                     std::vector<std::string>* warnings) {
  const std::string_view manager = tree.Get(Fields().metadata)
                                       .Get(Fields().labels)
                                       .Get("endpointslice.kubernetes.io/managed-by")
                                       .AsString();
  if (!profile.warns_of_ip_forms || manager == "endpointslice-controller.k8s.io" ||
      manager == "endpointslicemirroring-controller.k8s.io")
    return;
  const Value& endpoints = tree.Get("endpoints");
  for (std::size_t i = 0; i < endpoints.size(); ++i) {
    const Value& addresses = endpoints.at(i).Get(Fields().addresses);
    for (std::size_t j = 0; j < addresses.size(); ++j)
      WarnOfIp(fmt::format("endpoints[{}].addresses[{}]", i, j), addresses.at(j).AsString(),
               profile, warnings);
  }
}

std::vector<std::string> SliceWarnings(const Value& tree, Compat compat) {
  const Profile& profile = ProfileOf(compat);
  std::vector<std::string> warnings;
  if (profile.warns_of_fqdn_slices && tree.Get("addressType").AsString() == "FQDN")
    warnings.emplace_back("spec.addressType: FQDN endpoints are deprecated");
  WarnOfAddresses(tree, profile, &warnings);
  return warnings;
}

std::vector<std::string> SliceUpdateWarnings(const Value& updated, const Value&, Compat compat) {
  std::vector<std::string> warnings;
  WarnOfAddresses(updated, ProfileOf(compat), &warnings);
  return warnings;
}

}  // namespace

extern const KindSpec kEndpointSliceKind = {
    .group = "discovery.k8s.io",
    .kind = "EndpointSlice",
    .resource = "endpointslices",
    .has_generation = true,
    .go_types = kEndpointSliceTypes,
    .columns = {{"Name"}, {"AddressType"}, {"Ports"}, {"Endpoints"}, {"Age"}},
    .cells = SliceCells,
    .defaults = DefaultEndpointSlice,
    .validation =
        {
            .on_create = {kCheckMeta, kCheckObject},
            .on_update = {kCheckMeta, kCheckObject, kCheckChange},
            .on_status_update = {},
            .object = ValidateEndpointSlice,
            .change = ValidateEndpointSliceUpdate,
        },
    .warnings_on_create = SliceWarnings,
    .warnings_on_update = SliceUpdateWarnings,
};

}  // namespace ksim::api
