#include "ksim/scenario/admission_plugins.h"

#include <algorithm>

#include "ksim/apiserver/server.h"
#include "ksim/scenario/controller_parts.h"

namespace ksim::scenario {

std::vector<std::string> EnabledAdmissionPlugins(const ClusterSpec& cluster, api::Compat compat) {
  const auto given = [&cluster](const std::string& name) {
    return std::find(cluster.admission_plugins.begin(), cluster.admission_plugins.end(), name) !=
           cluster.admission_plugins.end();
  };
  const std::vector<std::string> usual = apiserver::DefaultAdmissionPlugins(compat);
  std::vector<std::string> enabled;
  for (const std::string& name : apiserver::AllAdmissionPlugins()) {
    // TaintNodesByCondition needs who takes the taints of new nodes away again.
    const bool by_default = name == "TaintNodesByCondition"
                                ? RunsController(cluster, "nodelifecycle", compat)
                                : std::find(usual.begin(), usual.end(), name) != usual.end();
    if (given("-" + name) || (!given(name) && !(given("*") && by_default))) continue;
    enabled.push_back(name);
  }
  return enabled;
}

}  // namespace ksim::scenario
