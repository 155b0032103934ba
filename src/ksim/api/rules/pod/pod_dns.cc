#include "ksim/api/rules/pod/pod_dns.h"

#include "ksim/api/core/fields.h"
#include "ksim/api/rules/name_rules.h"

namespace ksim::api {

using value::Value;

namespace {

void CheckSearches(const Value& searches, const FieldPath& path, FieldErrorList* errors) {
  std::size_t size = 0;
  for (const Value& search : searches.items()) size += search.AsString().size() + 1;
  if (searches.size() > 32) {
    errors->Invalid(path, searches, GoShape::kStringSlice,
                    "must not have more than 32 search paths");
  }
  if (size > 2048 + 1) {
    errors->Invalid(
        path, searches, GoShape::kStringSlice,
        "must not have more than 2048 characters (including spaces) in the search list");
  }
  const bool relaxed = errors->profile().relaxed_dns_search;
  for (std::size_t i = 0; i < searches.size(); ++i) {
    std::string_view search = searches.at(i).AsString();
    if (relaxed && search == ".") continue;
    if (search.ends_with('.')) search.remove_suffix(1);
    errors->InvalidAll(path.Index(i), search,
                       relaxed ? UnderscoreSubdomain(search) : Dns1123Subdomain(search));
  }
}

}  // namespace

// validatePodDNSConfig.
void ValidateDnsConfig(const Value& config, std::string_view policy, const FieldPath& path,
                       FieldErrorList* errors) {
  const Value& servers = config.Get(Fields().nameservers);
  const FieldPath list = path.Child("nameservers");
  if (policy == "None" && !config.is_object()) {
    return errors->Required(path, "must provide `dnsConfig` when `dnsPolicy` is None");
  }
  if (policy == "None" && servers.empty()) {
    return errors->Required(list,
                            "must provide at least one DNS nameserver when `dnsPolicy` is None");
  }
  if (servers.size() > 3) {
    errors->Invalid(list, servers, GoShape::kStringSlice, "must not have more than 3 nameservers");
  }
  for (std::size_t i = 0; i < servers.size(); ++i) {
    const std::string_view ip = servers.at(i).AsString();
    errors->InvalidAll(list.Index(i), ip, IpAddress(ip));
  }
  CheckSearches(config.Get(Fields().searches), path.Child("searches"), errors);
  const Value& options = config.Get(Fields().options);
  const FieldPath option_list = path.Child("options");
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (!options.at(i).Get(Fields().name).AsString().empty()) continue;
    errors->Required(option_list.Index(i), "must not be empty");
  }
}

void ValidateHostAliases(const Value& aliases, const FieldPath& path, FieldErrorList* errors) {
  for (std::size_t i = 0; i < aliases.size(); ++i) {
    const FieldPath at = path.Index(i);
    const std::string_view ip = aliases.at(i).Get(Fields().ip).AsString();
    errors->InvalidAll(at.Child("ip"), ip, IpAddress(ip));
    const Value& hostnames = aliases.at(i).Get(Fields().hostnames);
    const FieldPath list = at.Child("hostnames");
    for (std::size_t j = 0; j < hostnames.size(); ++j) {
      const std::string_view name = hostnames.at(j).AsString();
      errors->InvalidAll(list.Index(j), name, Dns1123Subdomain(name));
    }
  }
}

}  // namespace ksim::api
