#include "ksim/api/kinds/core/service_warnings.h"

#include <fmt/format.h>

#include <string_view>

#include "ksim/api/core/profile.h"
#include "ksim/api/rules/ip_warnings.h"

namespace ksim::api {

using value::Value;

namespace {

void WarnOfIps(const Value& list, std::string_view field, const Profile& profile,
               std::vector<std::string>* warnings) {
  for (std::size_t i = 0; i < list.size(); ++i)
    WarnOfIp(fmt::format("spec.{}[{}]", field, i), list.at(i).AsString(), profile, warnings);
}

// IsServiceIPSet. The server makes a list of a single clusterIP before it warns.
void WarnOfClusterIps(const Value& spec, const Profile& profile,
                      std::vector<std::string>* warnings) {
  const std::string_view ip = spec.Get("clusterIP").AsString();
  if (ip.empty() || ip == "None" || spec.Get("type").AsString() == "ExternalName") return;
  const Value& list = spec.Get("clusterIPs");
  if (list.empty()) return WarnOfIp("spec.clusterIPs[0]", ip, profile, warnings);
  WarnOfIps(list, "clusterIPs", profile, warnings);
}

void WarnOfHeadless(const Value& spec, std::vector<std::string>* warnings) {
  if (!spec.Get("loadBalancerIP").AsString().empty())
    warnings->emplace_back("spec.loadBalancerIP is ignored for headless services");
  if (!spec.Get("externalIPs").empty())
    warnings->emplace_back("spec.externalIPs is ignored for headless services");
  if (spec.Get("sessionAffinity").AsString() != "None")
    warnings->emplace_back("spec.SessionAffinity is ignored for headless services");
}

}  // namespace

std::vector<std::string> ServiceWarnings(const Value& service, Compat compat) {
  const Profile& profile = ProfileOf(compat);
  std::vector<std::string> warnings;
  if (!profile.warns_of_services) return warnings;
  const Value& spec = service.Get("spec");
  const std::string_view type = spec.Get("type").AsString();
  const Value& external_ips = spec.Get("externalIPs");
  const bool external_name = type == "ExternalName";
  const bool headless = type == "ClusterIP" && spec.Get("clusterIP").AsString() == "None";

  if (service.Get("metadata").Get("annotations").Has("service.kubernetes.io/topology-aware-hints"))
    warnings.emplace_back(
        "annotation service.kubernetes.io/topology-aware-hints is deprecated, please use "
        "service.kubernetes.io/topology-mode instead");
  WarnOfClusterIps(spec, profile, &warnings);
  if (profile.warns_of_ignored_fields && headless) WarnOfHeadless(spec, &warnings);
  WarnOfIps(external_ips, "externalIPs", profile, &warnings);
  if (profile.warns_of_ignored_fields && !external_ips.empty() && !headless && !external_name)
    warnings.emplace_back(
        "spec.externalIPs is deprecated and may no longer be implemented in some clusters");
  const std::string_view balancer = spec.Get("loadBalancerIP").AsString();
  if (!balancer.empty()) WarnOfIp("spec.loadBalancerIP", balancer, profile, &warnings);
  const Value& ranges = spec.Get("loadBalancerSourceRanges");
  for (std::size_t i = 0; i < ranges.size(); ++i)
    WarnOfCidr(fmt::format("spec.loadBalancerSourceRanges[{}]", i), ranges.at(i).AsString(),
               profile, &warnings);
  if (external_name && !external_ips.empty())
    warnings.emplace_back("spec.externalIPs is ignored when spec.type is \"ExternalName\"");
  if (!external_name && !spec.Get("externalName").AsString().empty())
    warnings.emplace_back("spec.externalName is ignored when spec.type is not \"ExternalName\"");
  if (profile.warns_of_ignored_fields &&
      spec.Get("trafficDistribution").AsString() == "PreferClose")
    warnings.emplace_back(
        "spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\"");
  return warnings;
}

std::vector<std::string> ServiceStatusWarnings(const Value& updated, const Value&, Compat compat) {
  std::vector<std::string> warnings;
  WarnOfLoadBalancerIps(updated.Get("status"), ProfileOf(compat), &warnings);
  return warnings;
}

}  // namespace ksim::api
