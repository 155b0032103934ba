// Candidates for the shrinker: scenarios with one thing less.
#pragma once
#include <vector>

#include "ksim/scenario/scenario.h"

namespace ksim::fuzz {

// Each is the scenario with one thing less: a fault, a step, nodes, replicas, a server, time before
// a step, half of the time that it lasts, latencies that differ. The biggest cuts first.
std::vector<scenario::Scenario> ShrinkCandidates(const scenario::Scenario& scenario);

}  // namespace ksim::fuzz
