// BootedRuns: jobs of one scenario whose boot is done once. Each run goes on from a copy (fork) of
// the process that has booted, with a seed and a strategy of its own: its outcome is that of a run
// that did it all by itself. A copy costs some 3 ms, for what it writes to is copied page by page:
// a boot that is sooner done is done by each run.
#pragma once
#include <array>
#include <memory>
#include <optional>

#include "ksim/base/time.h"
#include "ksim/fuzz/run.h"

namespace ksim::fuzz {

// The bootSeed of a campaign whose scenario has none, and a boot that is worth being shared. Where
// it is not, each run has its own: other phases of timers find more.
inline constexpr std::uint64_t kBootSeed = 1;
// Events of a boot that take about as long as a copy of the process.
inline constexpr std::uint64_t kEventsOfACopy = 1000;

// Whether the boot can be shared. Guests cannot be copied: their engine has threads.
bool CanShareBoot(const scenario::Scenario& scenario);

class BootedRuns : public Runs {
 public:
  using Runs::Runs;

 private:
  RunOutcome DoOnce(const Job& job, bool coverage) override;
  // The run to go on from, which has a digest or not, coverage or not, and continuations or not;
  // null: a copy is not worth it.
  Run* Booted(const Job& job, bool coverage);

  std::array<std::unique_ptr<Run>, 8> booted_;
  bool worth_copying_ = true;
};

}  // namespace ksim::fuzz
