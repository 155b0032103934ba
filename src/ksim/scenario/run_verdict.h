// The verdict on a run, made of what its limits, oracles, expectations, steps and faults say.
#pragma once
#include <string>
#include <vector>

#include "ksim/check/checker.h"
#include "ksim/fault/injector.h"
#include "ksim/scenario/run_report.h"
#include "ksim/scenario/scenario.h"
#include "ksim/sim/simulation.h"
#include "ksim/trace/trace.h"

namespace ksim::scenario {

// Whether the run stopped because it passed a limit.
bool PassedALimit(sim::Simulation::Stop stop);
// The violation of the limit that it passed. `busy`: what kept the run from being quiet.
trace::Violation LimitViolation(sim::Simulation::Stop stop, const std::vector<std::string>& busy);
// The scripted faults that did not happen, and the reason of each.
std::vector<FaultNote> FaultsMissing(const std::vector<FaultSpec>& script,
                                     const std::vector<fault::FaultOutcome>& outcomes);
// Sets the violations, in the order: expectations, oracles, the limit (which report->end has); the
// result and the exit code.
void SetResult(const std::vector<trace::Violation>& unmet,
               const std::vector<check::Finding>& findings, RunReport* report);
// Says which invariants had something to judge, and why the others had nothing.
void NoteInvariants(const check::Checker& checker, RunReport* report);
// Names the oracles that have judged the run, and why others have not.
void NameOracles(const std::vector<std::string>& checks, const check::Checker& checker,
                 trace::End* end);

}  // namespace ksim::scenario
