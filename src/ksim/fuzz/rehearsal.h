// Rehearsal: what the runs without drawn faults say of a scenario before a campaign: the steps that
// fail by themselves, as `ksim run` tells them, and the expectations that a campaign may keep.
//
// `eventually` is asked for when faults are over. A state that the run without any fault only goes
// through (five pods between two steps that scale) need not come again then, and faults may have
// kept it from coming at its time: a campaign does not ask for it, unless the expectation says that
// it lasts.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "ksim/scenario/run_report.h"
#include "ksim/scenario/scenario.h"

namespace ksim::fuzz {

struct Rehearsal {
  Rehearsal() = default;
  std::vector<scenario::StepFailure> failed_steps;
  std::vector<scenario::ExpectationNote> not_lasting;
  std::vector<std::int64_t> dropped;  // expectations that a campaign does not ask for, from 1
  std::uint64_t boot_events = 0;      // before the workload
};

// One run as `ksim run` does it; and one without the scripted faults, if there are any. `stop` is
// asked now and then: a run that it ends says nothing.
Rehearsal Rehearse(
    const scenario::Scenario& scenario, const std::function<bool()>& stop = [] { return false; });

// The scenario as the runs of a campaign have it: with these expectations and, where the boot is
// large enough to be shared (booted_runs.h), with a bootSeed.
scenario::Scenario ForCampaign(scenario::Scenario scenario, const Rehearsal& rehearsal);

}  // namespace ksim::fuzz
