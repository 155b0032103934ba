// The options of a cluster's API servers: their admission plugins, who may do what, and how many
// requests they serve at a time.
#pragma once
#include <string>
#include <vector>

#include "ksim/apiserver/policy.h"
#include "ksim/scenario/scenario.h"

namespace ksim::scenario {

// Those of spec.cluster.admissionPlugins: "*" is what the version has on by default, "-NAME" goes
// before all else. TaintNodesByCondition is on by default where the node lifecycle controller runs.
std::vector<std::string> EnabledAdmissionPlugins(const ClusterSpec& cluster, api::Compat compat);

// By spec.cluster. `plugged` are the names of controllers beside it. A process of which nobody said
// who it is asks as a member of system:masters.
apiserver::RequestPolicy RequestPolicyOf(const ClusterSpec& cluster,
                                         const std::vector<std::string>& plugged);

}  // namespace ksim::scenario
