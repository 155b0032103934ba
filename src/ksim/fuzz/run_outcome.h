// Job and RunOutcome: one run of a campaign, asked for and told. Both cross a pipe as bytes.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/base/time.h"
#include "ksim/fuzz/strategy.h"
#include "ksim/sim/decisions.h"
#include "ksim/trace/header.h"

namespace ksim::fuzz {

struct Job {
  Job() = default;
  std::uint64_t number = 0;  // of --seeds
  std::uint64_t seed = 0;    // of the simulation
  StrategySpec strategy;
  bool twice = false;          // run again, and compare the digests
  bool coverage = false;       // gather it
  bool continuations = false;  // the same
};

// A hash of all that a run did from one of its questions on (continuations.h).
struct Continuation {
  Continuation() = default;
  std::uint64_t question = 0;  // QuestionId
  std::uint64_t hash = 0;
};

// Something that went wrong in a run.
struct CampaignFinding {
  CampaignFinding() = default;
  std::string oracle;
  std::string place;  // who it befell: no generated name, number or time
  std::string message;
  std::vector<std::string> objects;
  std::string by;  // the deed that broke it, "replicaset create pods"; "" = none, or not known
  bool safety = true;
  // Whether the same went wrong at the same place by the same deed.
  bool Same(const CampaignFinding& other) const {
    return oracle == other.oracle && place == other.place &&
           (by == other.by || by.empty() || other.by.empty());
  }
  std::string Key() const { return oracle + " " + place + (by.empty() ? "" : ", by: " + by); }
};

// A step that failed for good.
struct FailedStep {
  FailedStep() = default;
  std::int64_t number = 0;  // from 1
  std::string error;
};

// The exit codes (docs/exit-codes.md) that a run can have.
inline constexpr int kFine = 0, kSafety = 1, kLiveness = 3, kNotDeterministic = 4,
                     kNothingJudged = 5, kUndecided = 6, kCrashed = 70;

struct RunOutcome {
  RunOutcome() = default;
  std::uint64_t number = 0;
  std::uint64_t seed = 0;
  int code = kFine;
  std::vector<CampaignFinding> findings;  // safety before liveness; the first one names the failure
  std::string digest;                     // if the job said `twice`
  std::uint64_t events = 0;
  std::uint64_t steps = 0;                        // of the kernel
  Duration lasted;                                // virtual time
  std::map<std::string, std::uint64_t> faults;    // non-zero answers by kind
  std::vector<sim::Decision> decisions;           // all of them, of a failing run or for coverage
  std::vector<std::uint64_t> coverage;            // what its worker had not told before, sorted
  std::vector<std::string> probes;                // the same
  std::vector<std::uint64_t> applied;             // expectations that applied, from 0: the same
  std::vector<std::uint64_t> invariants_applied;  // and invariants
  std::vector<Continuation> continuations;        // in the order of asking, if the job said so
  std::string state;                              // trace::OutcomeDigest of the end, with them
  bool judged = false;                            // something beyond that objects were made
  std::vector<FailedStep> failed_steps;
};

std::string Encode(const std::vector<Job>& jobs);
absl::StatusOr<std::vector<Job>> DecodeJobs(std::string_view bytes);
std::string Encode(const RunOutcome& outcome);
absl::StatusOr<RunOutcome> DecodeOutcome(std::string_view bytes);

}  // namespace ksim::fuzz
