// Summary: a campaign as plain data: for people, for programs (campaign.json), and to be merged.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/fuzz/campaign.h"
#include "ksim/scenario/not_simulated.h"
#include "ksim/value/value.h"

namespace ksim::fuzz {

struct FailureLine {
  FailureLine() = default;
  std::string oracle, place, message;
  std::string by;          // the deed that broke it: "replicaset create pods"; "" = not known
  std::string wrong_step;  // the first step that went another way, without names; "" = not known
  std::string
      same_cause;  // the directory of an earlier failure with the same wrong step; "" = none
  std::uint64_t seed = 0;   // as in --seeds
  std::uint64_t count = 0;  // runs that showed it
  int code = kSafety;
  std::string dir;          // "" = nothing was written
  std::string shard_dir;    // where it was when it was merged; "" = it was not
  std::int64_t steps = -1;  // decisions and faults: all, or what shrinking left; -1 = unknown
  std::string seeds;        // "10/10", of other seeds; "" = not tried
  std::string show;         // the command that shows it again
  std::string known;        // the file that shows it, of --known; "" = it is new
};

// A step that failed for good in some runs with drawn faults, and in none without.
struct StepLine {
  StepLine() = default;
  std::int64_t number = 0;
  std::string what;        // "step 2 (delete configmaps/a)"
  std::uint64_t runs = 0;  // in which it failed
  std::uint64_t seed = 0;  // the first of them
  std::string error;       // in it
};

// An expectation, or an invariant, that says less than it seems to.
struct ExpectationLine {
  ExpectationLine() = default;
  std::int64_t number = 0;
  std::string what, why;
};

// Seeds that one campaign did: those from `first` to `last` that are of its shard.
struct Part {
  Part() = default;
  std::uint64_t first = 0, last = 0;
  Shard shard;
};

struct Summary {
  Summary() = default;
  std::string scenario, strategy;
  std::string campaign;               // a hash of the scenario with all flags, and of the strategy
  std::uint64_t first = 0, last = 0;  // seeds done
  std::vector<Part> parts;            // which of them; of a merged campaign several
  std::uint64_t runs = 0, events = 0, rechecked = 0;
  std::uint64_t equivalent = 0;          // runs that were not done: another does the same
  std::vector<std::uint64_t> undecided;  // seeds of runs that gave no verdict
  std::string timeout, show_undecided;   // what they passed; the command that shows the first again
  std::int64_t wall_ns = 0;
  std::map<std::string, std::uint64_t> faults;  // by kind; 0 = never fired
  std::set<std::string> probes;                 // reached
  std::uint64_t pairs = 0;  // reached, of events on one object; of merged shards at least so many
  std::string budget;       // as --budget says it
  std::vector<FailureLine> failures;
  std::uint64_t judged = 0;  // runs in which more happened than that objects were made
  std::vector<StepLine> failed_steps;
  std::vector<ExpectationLine> vacuous;             // never applied, in no run
  std::vector<ExpectationLine> vacuous_invariants;  // the same
  std::vector<ExpectationLine> not_lasting;         // as the run without drawn faults tells them
  std::vector<scenario::NotSimulated> not_simulated;
  std::vector<std::string> silent_known;  // files of --known that fail no more
  bool strict = false;                    // then what is above is wrong
  bool interrupted = false;
  bool repeatable = false;  // by --seeds alone: neither --time nor a signal ended it

  std::vector<std::string> NeverFired() const;
  std::vector<std::string> ProbesNeverReached() const;
  bool JudgedNothing() const;
  std::size_t NewFailures() const;  // that are not known
  int Code() const;                 // docs/exit-codes.md, as if nothing had interrupted it
};

// Whether the line's command runs the failure's scenario; else it replays its trace.
bool ShowsByRun(const FailureLine& failure);

// Notes for each failure the earlier one whose wrong step it shares: one cause, told once.
void MarkSameCauses(Summary* summary);

// The last part of FailureLine::dir, wherever the campaign's directory is now.
std::string DirectoryName(std::string_view dir);

// The hash that the shards of one campaign share, for Summary::campaign.
std::string CampaignOf(const scenario::Scenario& scenario, const PlannerOptions& plan);

// JSON text as kubectl indents it: four blanks a level, members by name, a newline at the end.
std::string ToJson(const Summary& summary);
// For campaign.json. Of what is repeatable the file is the same each time, however many workers
// there are and however fast, and wherever it is: how long it took is not in it, and directories of
// failures are named as seen from the file's own.
std::string ForFile(const Summary& summary);
// InvalidArgument: it is not as ToJson or ForFile wrote it.
absl::StatusOr<Summary> ParseSummary(const value::Value& tree);

// Whether they are shards of one campaign: of the same scenario and strategy, and no seed was done
// by two. `names` are theirs, for the message of the InvalidArgument.
absl::Status CheckShards(const std::vector<Summary>& shards, const std::vector<std::string>& names);
// Shards of one campaign as the whole: of one failure the smallest seed counts.
Summary Merged(const std::vector<Summary>& shards);

}  // namespace ksim::fuzz
