// Summary: a campaign as plain data: for people, for programs (campaign.json), and to be merged.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/fuzz/campaign.h"
#include "ksim/value/value.h"

namespace ksim::fuzz {

struct FailureLine {
  FailureLine() = default;
  std::string oracle, place, message;
  std::uint64_t seed = 0;   // as in --seeds
  std::uint64_t count = 0;  // runs that showed it
  int code = kSafety;
  std::string dir;          // "" = nothing was written
  std::int64_t steps = -1;  // decisions and faults after shrinking; -1 = not shrunk
  std::string seeds;        // "10/10", of other seeds; "" = not tried
  std::string show;         // the command that shows it again
};

struct Summary {
  Summary() = default;
  std::string scenario, strategy;
  std::uint64_t first = 0, last = 0;  // seeds done
  std::uint64_t runs = 0, events = 0, rechecked = 0;
  std::vector<std::uint64_t> undecided;  // seeds of runs that gave no verdict
  std::string timeout, show_undecided;   // what they passed; the command that shows the first again
  std::int64_t wall_ns = 0;
  std::map<std::string, std::uint64_t> faults;  // by kind; 0 = never fired
  std::set<std::string> probes;                 // reached
  std::vector<FailureLine> failures;
  bool interrupted = false;

  std::vector<std::string> NeverFired() const;
  std::vector<std::string> ProbesNeverReached() const;
  int Code() const;  // by the contract, without what an interrupted campaign adds
};

value::Value ToTree(const Summary& summary);
absl::StatusOr<Summary> ParseSummary(const value::Value& tree);

// Shards of one campaign as the whole: of one failure the smallest seed counts.
Summary Merged(const std::vector<Summary>& shards);

}  // namespace ksim::fuzz
