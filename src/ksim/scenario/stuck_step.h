// StuckStep: why a step has not ended: the object that it waits for, and the controller or kubelet
// that would have brought about what it waits for. For the message of a limit.
#pragma once
#include <string>

#include "ksim/scenario/scenario.h"
#include "ksim/scenario/world.h"

namespace ksim::scenario {

// "it waits for replicasets/r to be gone; the garbage collector would have removed its finalizer
// \"orphan\", and this run has none"; "" if the objects do not show it.
std::string WhyStuck(const Step& step, const Scenario& scenario, World& world);

}  // namespace ksim::scenario
