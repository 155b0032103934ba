// Campaign: many runs of one scenario, and what they found.
//
// Numbers (--seeds) are done in batches of 256 and merged in their order, so the findings do not
// depend on how many workers there are. What is found is told at once (on_failure), so that nothing
// is lost when the campaign is ended.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/base/time.h"
#include "ksim/fuzz/executor.h"
#include "ksim/fuzz/planner.h"
#include "ksim/fuzz/run_outcome.h"
#include "ksim/scenario/scenario.h"

namespace ksim::fuzz {

inline constexpr std::size_t kBatch = 256;

// Which numbers one machine does: those that are `index` modulo `count`.
struct Shard {
  std::uint64_t index = 0;
  std::uint64_t count = 1;
  bool Has(std::uint64_t number) const { return number % count == index % count; }
};

// A run that showed a failure, and the kinds of faults that it met.
struct FailingRun {
  FailingRun() = default;
  Job job;
  std::uint64_t number = 0;
  std::set<std::string> kinds;
};

// A distinct failure: the first run that showed it, and how many did.
struct Failure {
  Failure() = default;
  CampaignFinding finding;
  Job job;  // makes that run again
  std::uint64_t number = 0;
  int code = kSafety;
  std::vector<sim::Decision> decisions;
  std::uint64_t count = 0;
  // Some of the other runs, none with all the kinds of faults of one before it.
  std::vector<FailingRun> others;
  bool hidden = false;  // another cause at the place of an earlier failure
};

// A step that failed for good in some runs.
struct FailedStepCount {
  FailedStepCount() = default;
  std::uint64_t runs = 0;
  std::uint64_t first = 0;  // the first of them
  std::string error;        // in it
};

struct Tally {
  Tally() = default;
  std::uint64_t runs = 0;
  std::uint64_t events = 0;
  std::uint64_t rechecked = 0;                  // runs that were done twice
  std::uint64_t equivalent = 0;                 // not done: another does the same
  std::map<std::string, std::uint64_t> faults;  // non-zero answers by kind, also kinds with none
  std::set<std::uint64_t> coverage;             // pairs
  std::set<std::string> probes;                 // reached
  std::vector<Failure> failures;                // in the order of being found
  std::map<std::int64_t, FailedStepCount> failed_steps;  // by their number
  std::set<std::uint64_t> applied;             // expectations that had something to judge, from 0
  std::set<std::uint64_t> invariants_applied;  // and invariants
  std::uint64_t judged = 0;              // runs in which more happened than that objects were made
  std::vector<std::uint64_t> undecided;  // numbers of runs that gave no verdict
  std::uint64_t first = 0, last = 0;     // numbers done
  bool interrupted = false;
  bool out_of_time = false;   // --time was over
  bool budget_spent = false;  // most_runs or most_events are done
};

// How far a campaign is, for who looks on.
struct CampaignProgress {
  explicit CampaignProgress(const Tally& t) : tally(t) {}
  const Tally& tally;                               // up to the last batch
  std::uint64_t runs = 0, events = 0, failing = 0;  // all that are done
  std::uint64_t total = 0;                          // runs; 0: no end is set
  Duration lasted;
  std::optional<Duration> time;   // --time
  std::uint64_t most_events = 0;  // 0: no bound
};

struct CampaignOptions {
  CampaignOptions() = default;
  PlannerOptions plan;
  std::uint64_t first = 1, last = 1;
  Shard shard;
  std::optional<Duration> time;  // real
  // The campaign ends with the run that brings it there, by the order of numbers; 0: no bound.
  std::uint64_t most_runs = 0, most_events = 0;
  bool coverage = false;               // gather it, whatever the strategy
  std::uint32_t recheck_permille = 0;  // how many runs are done twice
  std::function<bool()> interrupted = [] { return false; };
  // Several times a second.
  std::function<void(const CampaignProgress&)> on_progress = [](const CampaignProgress&) {};
  std::function<void(const Failure&)> on_failure = [](const Failure&) {};
};

class Campaign {
 public:
  // InvalidArgument for an unknown strategy. The executor must be for the same scenario.
  static absl::StatusOr<Campaign> Make(const scenario::Scenario& scenario, Executor& executor,
                                       CampaignOptions options);
  Tally Execute();

 private:
  Campaign(const scenario::Scenario& scenario, Executor& executor, CampaignOptions options,
           std::unique_ptr<Planner> planner);
  std::vector<Job> NextBatch();
  void Do(const std::vector<Job>& jobs);
  bool Stop();
  bool BudgetSpent() const;
  Pace Look();
  std::uint64_t Total() const;
  void Merge(const Job& job, const RunOutcome& outcome);

  Executor* executor_;
  CampaignOptions options_;
  std::unique_ptr<Planner> planner_;
  std::uint64_t next_;
  Duration started_;
  Tally tally_;
  std::uint64_t runs_ = 0, events_ = 0, failing_ = 0;  // done, also those not merged yet
  std::map<std::string, std::size_t> by_key_;          // into tally_.failures
};

}  // namespace ksim::fuzz
