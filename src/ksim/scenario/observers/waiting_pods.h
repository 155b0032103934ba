// Pods that cannot start at the end of a run, since something that they name is not there.
#pragma once
#include <string>
#include <vector>

#include "ksim/api/object.h"

namespace ksim::scenario {

// One line for each reason: what is missing, and the pods that wait for it. Of all objects of the
// run those that are told are containers that wait with CreateContainerConfigError, and pods that
// wait for a volume, by the last event FailedMount of theirs.
std::vector<std::string> WaitingPods(const std::vector<api::Object>& objects);

}  // namespace ksim::scenario
