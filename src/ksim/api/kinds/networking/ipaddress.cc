// The kind IPAddress of networking.k8s.io/v1: an address of a service, by which its name is taken.
//
// Sources: pkg/registry/networking/ipaddress/strategy.go; pkg/apis/networking/validation/
// validation.go ValidateIPAddress; pkg/printers/internalversion/printers.go printIPAddress.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/core/ascii_lower.h"
#include "ksim/api/core/fields.h"
#include "ksim/api/core/go_text.h"
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/ip_text.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::string_view kIPAddressTypes = R"(
IPAddress: apiVersion=string kind=string metadata=ObjectMeta spec=IPAddressSpec
IPAddressSpec: parentRef=*ParentReference
ParentReference: group=string name=string namespace=string resource=string
)";

// validation.IsValidIP: no form of an address but the usual one.
std::vector<std::string> AddressProblems(std::string_view name, Compat) {
  const std::optional<ParsedIp> ip = ParseIp(name);
  if (!ip) return {"must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"};
  if (ip->leading_zeros) return {"must not have leading 0s"};
  if (!ip->written_v4 && ip->Maps4()) return {"must not be an IPv4-mapped IPv6 address"};
  const std::string usual = ip->ToString();
  if (usual == name) return {};
  return {fmt::format("must be in canonical form ({})", GoQuote(usual))};
}

const Value& ParentOf(const Value& tree) { return tree.Get(Fields().spec).Get("parentRef"); }

// validateIPAddressParentReference
void ValidateAddress(const Value& tree, FieldErrorList* errors) {
  const FieldPath spec("spec");
  const FieldPath path = spec.Child("parentRef");
  const Value& parent = ParentOf(tree);
  if (parent.is_null()) return errors->Required(path);
  const std::string_view group = parent.Get("group").AsString();
  if (!group.empty()) errors->InvalidAll(path.Child("group"), group, Dns1123Subdomain(group));
  for (const char* field : {"resource", "name", "namespace"}) {
    const std::string_view text = parent.Get(field).AsString();
    if (!text.empty()) {
      errors->InvalidAll(path.Child(field), text, PathSegmentName(text));
    } else if (std::string_view(field) != "namespace") {
      errors->Required(path.Child(field));
    }
  }
}

// ValidateIPAddressUpdate. The bad value is Go's internal type, which has no tags.
void CheckParentStays(const Value& updated, const Value& old, FieldErrorList* errors) {
  const Value& parent = ParentOf(updated);
  if (parent == ParentOf(old)) return;
  std::string text;
  for (const auto& [go, json] : {std::pair{"Group", "group"},
                                 {"Resource", "resource"},
                                 {"Namespace", "namespace"},
                                 {"Name", "name"}}) {
    if (!text.empty()) text += ',';
    text += fmt::format("\"{}\":{}", go, GoQuote(parent.Get(json).AsString()));
  }
  text = parent.is_null() ? "null" : fmt::format("{{{}}}", text);
  errors->Add("FieldValueInvalid", fmt::format("Invalid value: {}: field is immutable", text),
              "spec.parentRef");
}

std::vector<std::string> AddressCells(const Object& o, VirtualTime) {
  const Value& parent = ParentOf(o.tree());
  if (parent.is_null()) return {cells::Name(o), "<none>"};
  std::string text(parent.Get("resource").AsString());
  const std::string_view group = parent.Get("group").AsString();
  if (!group.empty()) text += fmt::format(".{}", group);
  text = AsciiLower(text);
  const std::string_view ns = parent.Get("namespace").AsString();
  if (!ns.empty()) text += fmt::format("/{}", ns);
  return {cells::Name(o), fmt::format("{}/{}", text, parent.Get("name").AsString())};
}

}  // namespace

extern const KindSpec kIPAddressKind = {
    .group = "networking.k8s.io",
    .kind = "IPAddress",
    .resource = "ipaddresses",
    .short_names = {"ip"},
    .served = &Profile::serves_service_cidrs,
    .cached_from_start = false,
    .namespaced = false,
    .go_types = kIPAddressTypes,
    .columns = {{"Name"}, {"ParentRef"}},
    .cells = AddressCells,
    .validation =
        {
            .on_create = {kCheckMeta, kCheckObject},
            .on_update = {kCheckMeta, kCheckObject, kCheckMetaUpdate, kCheckChange},
            .object = ValidateAddress,
            .change = CheckParentStays,
            .name = AddressProblems,
        },
};

}  // namespace ksim::api
