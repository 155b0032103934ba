// From decisions to a script: a run's faults as spec.faults says them, triggered by events, so that
// they need no decision, survive another seed, and can be read.
#pragma once
#include <vector>

#include "ksim/scenario/scenario.h"
#include "ksim/sim/decisions.h"

namespace ksim::fuzz {

// The scenario with the decisions as scripted faults where a fault can say them, as overrides where
// none can: drawn faults become the same faults, the delay of a watch event holds its stream, from
// the commit that it tells of. Whether the run still fails is for the caller to see.
scenario::Scenario WithScriptedFaults(const scenario::Scenario& scenario,
                                      const std::vector<sim::Decision>& decisions);

}  // namespace ksim::fuzz
