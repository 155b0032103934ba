// Lasting: what a campaign may expect. `eventually` is asked for when faults are over. A state that
// the run without faults only goes through (five pods between two steps that scale) need not come
// again then, and faults may have kept it from coming at its time: it is not asked for.
#pragma once
#include "ksim/scenario/scenario.h"

namespace ksim::fuzz {

// The scenario without such expectations; found by one run without faults.
scenario::Scenario WithLastingExpectations(scenario::Scenario scenario);

}  // namespace ksim::fuzz
