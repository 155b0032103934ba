#include "ksim/fuzz/booted_runs.h"

#include <string>
#include <utility>

#include "ksim/base/check.h"
#include "ksim/base/status.h"
#include "ksim/base/worker.h"
#include "ksim/fuzz/run_outcome.h"
#include "ksim/sim/probe.h"

namespace ksim::fuzz {
namespace {

constexpr Duration kBetweenLooks = Seconds(1);

}  // namespace

bool CanShareBoot(const scenario::Scenario& scenario) {
  return scenario.boot_seed.has_value() && scenario.cluster.guests.empty();
}

Run* BootedRuns::Booted(const Job& job, bool coverage) {
  std::unique_ptr<Run>& run =
      booted_[(job.continuations ? 4u : 0u) + (job.twice ? 2u : 0u) + (coverage ? 1u : 0u)];
  if (run != nullptr || !worth_copying_) return run.get();
  absl::StatusOr<std::unique_ptr<Run>> made = Run::Make(scenario(), SetupOf(job, coverage));
  KSIM_CHECK(made.ok()) << Message(made.status());
  run = *std::move(made);
  sim::ResetProbes();
  worth_copying_ = run->Boot() >= kEventsOfACopy;
  if (!worth_copying_) run.reset();
  return run.get();
}

RunOutcome BootedRuns::DoOnce(const Job& job, bool coverage) {
  Run* const run = Booted(job, coverage);
  if (run == nullptr) return Runs::DoOnce(job, coverage);
  const auto go_on = [&](std::string_view, const os::Worker::Reply& reply) {
    const absl::Status status = run->Become(job.seed, job.strategy);
    KSIM_CHECK(status.ok()) << Message(status);
    reply(Encode(run->Execute()));
  };
  absl::StatusOr<std::unique_ptr<os::Worker>> copy = os::Worker::Start(go_on);
  if (!copy.ok() || !(*copy)->Send("").ok()) return Runs::DoOnce(job, coverage);
  std::optional<std::string> answer;
  while (!(answer = (*copy)->Take()) && !(*copy)->ended())
    os::WaitForWorkers({copy->get()}, kBetweenLooks);
  if (!answer) (*copy)->EndLikewise();
  absl::StatusOr<RunOutcome> outcome = DecodeOutcome(*answer);
  KSIM_CHECK(outcome.ok()) << Message(outcome.status());
  return *std::move(outcome);
}

}  // namespace ksim::fuzz
