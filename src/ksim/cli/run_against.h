// ksim run --against: one scenario run in two versions of Kubernetes, and what became of its
// objects in the one and in the other.
#pragma once
#include <vector>

#include "ksim/cli/common_flags.h"
#include "ksim/cli/io.h"
#include "ksim/cli/live_line.h"

namespace ksim::scenario {
struct Scenario;
}

namespace ksim::cli {

// Runs `one` and `other`, which are the same but for their `compat`, compares them by meaning, and
// prints how each ended, the objects that differ in the end, and what was done otherwise. What a
// version says of itself (the versions in a node's status) and the start-up are no differences.
//
// Exit code: the worst of the two runs'; kViolation if both are good and the objects differ.
int RunAgainst(Io& io, const CommonFlags& common, const scenario::Scenario& one,
               const scenario::Scenario& other, LiveLine* progress);

}  // namespace ksim::cli
