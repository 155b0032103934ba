// The admission plugins that a cluster's API servers run.
#pragma once
#include <string>
#include <vector>

#include "ksim/scenario/scenario.h"

namespace ksim::scenario {

// Those of spec.cluster.admissionPlugins: "*" is what the version has on by default, "-NAME" goes
// before all else. TaintNodesByCondition is on by default where the node lifecycle controller runs.
std::vector<std::string> EnabledAdmissionPlugins(const ClusterSpec& cluster, api::Compat compat);

}  // namespace ksim::scenario
