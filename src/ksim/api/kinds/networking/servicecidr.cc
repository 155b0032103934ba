// The kind ServiceCIDR of networking.k8s.io/v1: a network of which services get their addresses.
//
// Sources: pkg/registry/networking/servicecidr/strategy.go; pkg/apis/networking/validation/
// validation.go ValidateServiceCIDR; pkg/printers/internalversion/printers.go printServiceCIDR.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/go_text.h"
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/ip_text.h"
#include "ksim/api/schema/shared_patch_schemas.h"
#include "ksim/value/json.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::string_view kServiceCidrTypes = R"(
ServiceCIDR: apiVersion=string kind=string metadata=ObjectMeta spec=ServiceCIDRSpec
   status=ServiceCIDRStatus
ServiceCIDRSpec: cidrs=[]string
ServiceCIDRStatus: conditions=[]Condition
)";

const Value& CidrsOf(const Value& tree) { return tree.Get(Fields().spec).Get("cidrs"); }

// validation.IsValidCIDR
void CheckCidr(std::string_view text, const FieldPath& path, FieldErrorList* errors) {
  const std::optional<ParsedCidr> cidr = ParseCidr(text);
  if (!cidr)
    return errors->Invalid(path, text,
                           "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)");
  const ParsedIp& ip = cidr->address;
  if (ip.leading_zeros || cidr->leading_zeros)
    return errors->Invalid(path, text, "must not have leading 0s in IP or prefix length");
  if (!ip.written_v4 && ip.Maps4())
    return errors->Invalid(path, text, "must not have an IPv4-mapped IPv6 address");
  if (ip.Masked(cidr->bits).bytes != ip.bytes)
    return errors->Invalid(path, text, "must not have bits set beyond the prefix length");
  const std::string usual = fmt::format("{}/{}", ip.ToString(), cidr->bits);
  if (usual != text)
    errors->Invalid(path, text, fmt::format("must be in canonical form ({})", GoQuote(usual)));
}

bool IsV4(std::string_view text) { return text.find(':') == text.npos; }

// validateServiceCIDRSpec
void ValidateServiceCidr(const Value& tree, FieldErrorList* errors) {
  const FieldPath spec("spec");
  const FieldPath path = spec.Child("cidrs");
  const Value& cidrs = CidrsOf(tree);
  if (cidrs.empty()) return errors->Required(path, "at least one CIDR required");
  if (cidrs.size() > 2) {
    errors->Add("FieldValueInvalid",
                fmt::format("Invalid value: {{\"CIDRs\":{}}}: may only hold up to 2 values",
                            value::ToJson(cidrs)),
                path.ToString());
    return;
  }
  for (std::size_t i = 0; i < cidrs.size(); ++i)
    CheckCidr(cidrs.at(i).AsString(), path.Index(i), errors);
  if (cidrs.size() == 2 && IsCidr(cidrs.at(0).AsString()) && IsCidr(cidrs.at(1).AsString()) &&
      IsV4(cidrs.at(0).AsString()) == IsV4(cidrs.at(1).AsString()))
    errors->Invalid(path, cidrs, GoShape::kStringSlice,
                    "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and "
                    "2001:db8::/64");
}

// ValidateServiceCIDRUpdate: one network may become two, of both families.
void CheckCidrsStay(const Value& updated, const Value& old, FieldErrorList* errors) {
  const FieldPath spec("spec");
  const FieldPath path = spec.Child("cidrs");
  const Value& now = CidrsOf(updated);
  const Value& before = CidrsOf(old);
  const bool grows = before.size() == 1 && now.size() == 2;
  if (!grows && now.size() != before.size())
    return errors->Invalid(path, now, GoShape::kStringSlice, "field is immutable");
  for (std::size_t i = 0; i < before.size(); ++i)
    if (now.at(i) != before.at(i))
      errors->Invalid(path.Index(i), now.at(i).AsString(), "field is immutable");
  if (grows) ValidateServiceCidr(updated, errors);
}

std::vector<std::string> CidrCells(const Object& o, VirtualTime now) {
  std::vector<std::string> cidrs;
  for (const Value& cidr : CidrsOf(o.tree()).items()) cidrs.push_back(cells::Text(cidr));
  return {cells::Name(o), cells::JoinTexts(cidrs, ","), cells::Age(o, now)};
}

}  // namespace

extern const KindSpec kServiceCIDRKind = {
    .group = "networking.k8s.io",
    .kind = "ServiceCIDR",
    .resource = "servicecidrs",
    .served = &Profile::serves_service_cidrs,
    .cached_from_start = false,
    .namespaced = false,
    .has_status = true,
    .go_types = kServiceCidrTypes,
    .patch_schema = &kStatusConditionsPatch,
    .columns = {{"Name"}, {"CIDRs"}, {"Age"}},
    .cells = CidrCells,
    .validation =
        {
            .on_create = {kCheckMeta, kCheckObject},
            .on_update = {kCheckMetaUpdate, kCheckChange},
            .object = ValidateServiceCidr,
            .change = CheckCidrsStay,
        },
};

}  // namespace ksim::api
