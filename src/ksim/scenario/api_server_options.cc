#include "ksim/scenario/api_server_options.h"

#include <algorithm>
#include <utility>

#include "ksim/apiserver/server.h"
#include "ksim/scenario/controller_parts.h"

namespace ksim::scenario {
namespace {

std::vector<apiserver::DenyRule> DenyRulesOf(const ClusterSpec& cluster) {
  std::vector<apiserver::DenyRule> rules;
  for (const DenySpec& d : cluster.deny) {
    apiserver::DenyRule rule;
    rule.user = d.user;
    rule.verb = d.verb;
    rule.resource = d.resource;
    rule.ns = d.ns;
    rule.name = d.name;
    rules.push_back(std::move(rule));
  }
  return rules;
}

}  // namespace

std::vector<std::string> EnabledAdmissionPlugins(const ClusterSpec& cluster, api::Compat compat) {
  const auto given = [&cluster](const std::string& name) {
    return std::find(cluster.admission_plugins.begin(), cluster.admission_plugins.end(), name) !=
           cluster.admission_plugins.end();
  };
  const std::vector<std::string> usual = apiserver::DefaultAdmissionPlugins(compat);
  // Some need who takes away again what they give: taints of new nodes, finalizers of volumes.
  const auto is_on = [&](const std::string& name) {
    const auto runs = [&](const char* controller) {
      return RunsController(cluster, controller, compat);
    };
    if (name == "TaintNodesByCondition") return runs("nodelifecycle");
    if (name == "StorageObjectInUseProtection")
      return runs("pvc-protection") && runs("pv-protection");
    // kubeadm's --enable-admission-plugins, beside its --authorization-mode.
    if (name == "NodeRestriction") return cluster.rbac;
    return std::find(usual.begin(), usual.end(), name) != usual.end();
  };
  std::vector<std::string> enabled;
  for (const std::string& name : apiserver::AllAdmissionPlugins()) {
    const bool by_default = is_on(name);
    if (given("-" + name) || (!given(name) && !(given("*") && by_default))) continue;
    enabled.push_back(name);
  }
  return enabled;
}

apiserver::RequestPolicy RequestPolicyOf(const ClusterSpec& cluster,
                                         const std::vector<std::string>& plugged) {
  apiserver::RequestPolicy policy;
  policy.deny = DenyRulesOf(cluster);
  policy.in_flight.reading = static_cast<int>(cluster.max_requests_inflight);
  policy.in_flight.mutating = static_cast<int>(cluster.max_mutating_requests_inflight);
  policy.rbac = cluster.rbac;
  policy.masters = plugged;
  for (const auto& [process, parts] : cluster.processes)
    if (cluster.ServiceAccountOf(process).empty()) policy.masters.push_back(process);
  return policy;
}

}  // namespace ksim::scenario
