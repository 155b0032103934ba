// The claims of the first and the last line of two traces, beside what their events say.
#pragma once
#include <string>
#include <vector>

#include "ksim/trace/trace.h"

namespace ksim::trace {

// Whether the two say that they are one run: equal first lines, or equal digests.
bool ClaimToBeOneRun(const Trace& left, const Trace& right);

// "seed: 1 -> 2" for each place where the first lines differ.
std::vector<std::string> HeaderDifferences(const Trace& left, const Trace& right);

// The differences of the last lines, and what in a first or last line is not borne out:
// `same_events`: the events are equal to the letter; `exact`: the traces were compared so. By
// meaning only the verdict is compared. A trace that is cut has no last line, and claims nothing.
std::vector<std::string> ClaimDifferences(const Trace& left, const Trace& right, bool exact,
                                          bool same_events);

}  // namespace ksim::trace
