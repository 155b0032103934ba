// Shrinker: makes a failing run as small as it gets, and says what it hangs on.
//
// A candidate is judged by running it: it is as good if it breaks the same oracle at the same
// place. After each success the list of decisions is replaced by those really taken in that run.
// First whole kinds of faults go, then halves, then single ones, then sizes get smaller; then the
// scenario: steps, nodes, latencies. The result is a Scenario that fails by itself under `ksim
// run`, wherever that is possible: `runs_alone`.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ksim/fuzz/run.h"
#include "ksim/fuzz/run_outcome.h"
#include "ksim/fuzz/wrong_step.h"
#include "ksim/scenario/scenario.h"
#include "ksim/trace/trace.h"

namespace ksim::fuzz {

struct ShrinkOptions {
  ShrinkOptions() = default;
  // At most; a few more if not even these are enough to show the failure and record it.
  std::uint64_t runs = 2000;
  std::optional<Duration> timeout;  // real, of one run
  std::function<bool()> interrupted = [] { return false; };
};

struct Shrunk {
  Shrunk() = default;
  bool reproduced = false;      // false: the failure did not come again, all else is empty
  bool runs_alone = false;      // `ksim run` shows it; else it takes the phases of `ksim fuzz`
  scenario::Scenario scenario;  // with the faults or overrides that are left
  CampaignFinding finding;      // as the small scenario shows it
  std::vector<sim::Decision> decisions;
  std::uint64_t runs = 0;  // that it took
  bool bounded = false;    // the bound on runs, or the user, ended it early
  int seeds_failing = 0;   // of ten other seeds
  int seeds_tried = 0;
  std::string nearest;  // the first difference to the nearest run that passes; "" = none
  std::optional<WrongStep> wrong_step;  // in which the two part
  trace::Trace trace;                   // of the small scenario
};

// The run of `strategy` (nothing: as `ksim run` does it) with `overrides`, which showed `finding`.
Shrunk Shrink(const scenario::Scenario& scenario, const std::optional<StrategySpec>& strategy,
              const std::vector<sim::Override>& overrides, const CampaignFinding& finding,
              const ShrinkOptions& options);

}  // namespace ksim::fuzz
