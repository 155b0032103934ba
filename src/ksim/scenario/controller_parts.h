// Which controllers run in which process of a cluster.
#pragma once
#include <string>
#include <vector>

#include "ksim/scenario/scenario.h"

namespace ksim::scenario {

// "*" minus "-NAME", or those named; only what this version has.
std::vector<std::string> EnabledControllers(const std::vector<std::string>& names);

// Those of kube-controller-manager, or of each of its replicas: all that have no process of their
// own.
std::vector<std::string> ManagerControllers(const ClusterSpec& cluster);

// PROCESS/PART of all of them: kube-controller-manager/replicaset.
std::vector<std::string> ControllerParts(const ClusterSpec& cluster);

}  // namespace ksim::scenario
