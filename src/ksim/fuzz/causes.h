// Causes: a failure made small, and what else hides behind its place.
//
// Runs in which the same goes wrong at the same place may do so for several reasons. What is left
// of the first run after shrinking takes certain kinds of faults; a run that had not all of them
// failed by others. It is another cause if it shrinks to another wrong step; otherwise it is the
// same one in another guise.
#pragma once
#include <vector>

#include "ksim/fuzz/campaign.h"
#include "ksim/fuzz/shrink.h"
#include "ksim/scenario/scenario.h"

namespace ksim::fuzz {

struct Cause {
  Cause() = default;
  Failure failure;  // of another cause: the run that showed it, counted once
  Shrunk shrunk;
};

// The failure itself first, whether it came again or not (Shrunk::reproduced); then one other cause
// at most. `options.runs` is the bound of the first, half of it that of the other.
std::vector<Cause> CausesOf(scenario::Scenario scenario, const Failure& failure,
                            const ShrinkOptions& options);

}  // namespace ksim::fuzz
