// Dry run: finds, before the run, what the API server would refuse, with the place in the manifest
// and in the words that kubectl would print.
#pragma once
#include <vector>

#include "ksim/base/diagnostic.h"
#include "ksim/scenario/scenario.h"

namespace ksim::scenario {

// Every object that a step creates or applies. Objects without a file (from a trace's header) are
// checked as well; their problems have no place.
std::vector<Diagnostic> DryRun(const Scenario& scenario);

// Oracles and controllers that are understood but not in this version: errors. What is read from a
// file has told them already, with their place; this is for scenarios made by hand. `file` is the
// scenario's name.
std::vector<Diagnostic> NotInThisVersion(const Scenario& scenario, const std::string& file);

}  // namespace ksim::scenario
