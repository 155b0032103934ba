// One run of a campaign: with a strategy and the phases of `ksim fuzz`, or as `ksim run` does it.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "ksim/base/time.h"
#include "ksim/fuzz/run_outcome.h"
#include "ksim/fuzz/strategy.h"
#include "ksim/scenario/scenario.h"
#include "ksim/trace/trace.h"

namespace ksim::scenario {
class Runner;
struct RunReport;
struct RunnerOptions;
}  // namespace ksim::scenario

namespace ksim::fuzz {

struct RunSetup {
  RunSetup() = default;
  std::optional<StrategySpec> strategy;  // and the phases of `ksim fuzz`
  std::vector<sim::Override> overrides;
  bool coverage = false;            // gather it
  bool continuations = false;       // the same
  bool record = false;              // keep what a trace needs
  bool digest = false;              // work it out, as for a record
  std::optional<Duration> timeout;  // real time; then the outcome is undecided
  std::function<bool()> stop;       // asked now and then; true: undecided
};

// A run, kept alive as long as somebody looks at it.
class Run {
 public:
  // InvalidArgument for an unknown strategy.
  static absl::StatusOr<std::unique_ptr<Run>> Make(const scenario::Scenario& scenario,
                                                   RunSetup setup);
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // Both before Execute, and only where the scenario has a bootSeed. Boot starts the cluster and
  // says how many events that took; Become gives the run what it has of its own. A copy of this
  // process can go on from Boot as another run.
  std::uint64_t Boot();
  absl::Status Become(std::uint64_t seed, const StrategySpec& strategy);
  RunOutcome Execute();  // once
  trace::Trace Trace();  // after Go, of a run that recorded

 private:
  Run(const scenario::Scenario& scenario, RunSetup setup, std::shared_ptr<Strategy> strategy);
  void ListenToStrategy();
  bool TimeIsUp();
  bool Judged(const scenario::RunReport& report) const;

  RunSetup setup_;
  bool has_oracles_;                      // the scenario's `checks` leave some
  std::vector<std::int64_t> wait_steps_;  // their numbers
  std::shared_ptr<Strategy> strategy_;
  // Destroyed after the runner that feeds them.
  std::unique_ptr<class Coverage> coverage_;
  std::unique_ptr<class Continuations> continuations_;
  std::unique_ptr<scenario::Runner> runner_;
  Duration started_;
  std::uint64_t asked_ = 0;
  bool out_of_time_ = false;
};

// Runner options as a trace's header asks for them: strategy and mode. For replay.
absl::StatusOr<scenario::RunnerOptions> OptionsOf(const scenario::Scenario& scenario,
                                                  const trace::Header& header);

// Jobs of one scenario, one after the other, in one process.
class Runs {
 public:
  explicit Runs(scenario::Scenario scenario, std::optional<Duration> timeout = std::nullopt);
  virtual ~Runs() = default;
  RunOutcome Do(const Job& job);

 protected:
  // The whole outcome of one run, whoever was told of what it reached.
  virtual RunOutcome DoOnce(const Job& job, bool coverage);
  const scenario::Scenario& scenario() const { return scenario_; }
  RunSetup SetupOf(const Job& job, bool coverage) const;

 private:
  void KeepNews(RunOutcome* outcome);

  scenario::Scenario scenario_;
  std::optional<Duration> timeout_;
  absl::flat_hash_set<std::uint64_t> told_coverage_;
  std::set<std::string> told_probes_;
  std::set<std::uint64_t> told_applied_;
  std::set<std::uint64_t> told_invariants_;
};

// Safety before liveness, otherwise in their order. `broken_by` has the deed of each, where it is
// known (scenario::RunReport).
std::vector<CampaignFinding> FindingsOf(const std::vector<trace::Violation>& violations,
                                        const std::vector<std::string>& broken_by = {});

// The decisions of a run as overrides of another.
std::vector<sim::Override> ToOverrides(const std::vector<sim::Decision>& decisions);

}  // namespace ksim::fuzz
