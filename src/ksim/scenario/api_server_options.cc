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
  std::vector<std::string> enabled;
  for (const std::string& name : apiserver::AllAdmissionPlugins()) {
    bool by_default = std::find(usual.begin(), usual.end(), name) != usual.end();
    // TaintNodesByCondition needs who takes the taints of new nodes away again.
    if (name == "TaintNodesByCondition")
      by_default = RunsController(cluster, "nodelifecycle", compat);
    // kubeadm's --enable-admission-plugins, beside its --authorization-mode.
    if (name == "NodeRestriction") by_default = cluster.rbac;
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
