// Disruption budgets, roles, endpoint slices.
//
// Sources: pkg/apis/policy/validation, pkg/apis/rbac/validation, pkg/apis/discovery/validation.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ksim/api/kinds/kind_validation.h"
#include "ksim/api/rules/ip_text.h"
#include "ksim/api/rules/meta_validation.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/api/rules/workload_checks.h"

namespace ksim::api {

using value::Value;

namespace {

// ValidatePolicyRule.
void CheckRule(const Value& rule, bool namespaced, const FieldPath& path, FieldErrorList* errors) {
  if (rule.Get("verbs").empty()) {
    errors->Required(path.Child("verbs"), "verbs must contain at least one value");
  }
  const Value& urls = rule.Get("nonResourceURLs");
  if (!urls.empty()) {
    const FieldPath at = path.Child("nonResourceURLs");
    if (namespaced) {
      errors->Invalid(at, urls, GoShape::kStringSlice,
                      "namespaced rules cannot apply to non-resource URLs");
    }
    if (!rule.Get("apiGroups").empty() || !rule.Get("resources").empty() ||
        !rule.Get("resourceNames").empty()) {
      errors->Invalid(at, urls, GoShape::kStringSlice,
                      "rules cannot apply to both regular resources and non-resource URLs");
    }
    return;
  }
  if (rule.Get("apiGroups").empty()) {
    errors->Required(path.Child("apiGroups"), "resource rules must supply at least one api group");
  }
  if (rule.Get("resources").empty()) {
    errors->Required(path.Child("resources"), "resource rules must supply at least one resource");
  }
}

// validateEndpoints, of an address of a known family; host names are not looked at.
void CheckAddress(std::string_view type, std::string_view address, const FieldPath& path,
                  FieldErrorList* errors) {
  if (type != "IPv4" && type != "IPv6") return;
  const bool good = type == "IPv4" ? IsIpv4(address) : IsIpv6(address);
  if (errors->compat() == Compat::k1_36 && !IsIp(address)) {
    return errors->Invalid(path, address,
                           "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
  }
  if (!good) errors->Invalid(path, address, fmt::format("must be a valid {} address", type));
  ValidateNonSpecialIp(address, path, errors);
}

void CheckEndpoint(const Value& endpoint, std::string_view type, const FieldPath& path,
                   FieldErrorList* errors) {
  const FieldPath addresses = path.Child("addresses");
  const Value& list = endpoint.Get("addresses");
  if (list.empty()) errors->Required(addresses, "must contain at least 1 address");
  for (std::size_t i = 0; i < list.size(); ++i) {
    CheckAddress(type, list.at(i).AsString(), addresses.Index(i), errors);
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

void CheckPorts(const Value& ports, FieldErrorList* errors) {
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

}  // namespace

void ValidateProtocol(std::string_view protocol, const FieldPath& path, FieldErrorList* errors) {
  if (protocol == "TCP" || protocol == "UDP" || protocol == "SCTP") return;
  errors->NotSupported(path, protocol, {"SCTP", "TCP", "UDP"});
}

void ValidateNonSpecialIp(std::string_view ip, const FieldPath& path, FieldErrorList* errors) {
  if (!IsIp(ip)) return errors->Invalid(path, ip, "must be a valid IP address");
  const bool four = IsIpv4(ip);
  const auto starts = [&](std::string_view low) { return ip.starts_with(low); };
  if (ip == "0.0.0.0" || ip == "::") {
    errors->Invalid(path, ip, fmt::format("may not be unspecified ({})", ip));
  }
  if ((four && starts("127.")) || ip == "::1") {
    errors->Invalid(path, ip, "may not be in the loopback range (127.0.0.0/8, ::1/128)");
  }
  if ((four && starts("169.254.")) || (!four && (starts("fe80:") || starts("FE80:")))) {
    errors->Invalid(path, ip, "may not be in the link-local range (169.254.0.0/16, fe80::/10)");
  }
  if ((four && starts("224.0.0.")) || (!four && (starts("ff02:") || starts("FF02:")))) {
    errors->Invalid(path, ip,
                    "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
  }
}

void ValidateDisruptionBudget(const Value& tree, FieldErrorList* errors) {
  const FieldPath path("spec");
  const Value& spec = tree.Get("spec");
  if (!spec.Get("minAvailable").is_null() && !spec.Get("maxUnavailable").is_null()) {
    errors->Invalid(path, spec, GoShape::kOther,
                    "minAvailable and maxUnavailable cannot be both set");
  }
  for (const char* field : {"minAvailable", "maxUnavailable"}) {
    if (spec.Get(field).is_null()) continue;
    CheckIntOrPercent(spec.Get(field), path.Child(field), errors);
    CheckAtMost100Percent(spec.Get(field), path.Child(field), errors);
  }
  ValidateLabelSelector(spec.Get("selector"), path.Child("selector"), errors);
  const Value& policy = spec.Get("unhealthyPodEvictionPolicy");
  if (policy.is_string() && policy.AsString() != "IfHealthyBudget" &&
      policy.AsString() != "AlwaysAllow") {
    errors->NotSupported(path.Child("unhealthyPodEvictionPolicy"), policy.AsString(),
                         {"AlwaysAllow", "IfHealthyBudget"});
  }
}

void ValidateRole(const Value& tree, FieldErrorList* errors) {
  const bool namespaced = tree.Get("kind").AsString() != "ClusterRole";
  const FieldPath path("rules");
  const Value& rules = tree.Get("rules");
  for (std::size_t i = 0; i < rules.size(); ++i) {
    CheckRule(rules.at(i), namespaced, path.Index(i), errors);
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
    CheckEndpoint(endpoints.at(i), type, path.Index(i), errors);
  }
  CheckPorts(tree.Get("ports"), errors);
}

void ValidateEndpointSliceUpdate(const Value& tree, const Value& old, FieldErrorList* errors) {
  ValidateImmutable(tree.Get("addressType"), old.Get("addressType"), GoShape::kOther,
                    FieldPath("addressType"), errors);
}

}  // namespace ksim::api
