// Corpus: the inputs that reached something new, kept on disk from one campaign to the next. One
// file an entry, named after the input, so that the corpora of two machines can be put into one
// directory.
//
// An entry says what it was the first to reach. That holds for the ksim and the scenario that it
// was kept with; those of others are run again before they count for anything.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ksim/fuzz/run_outcome.h"
#include "ksim/scenario/scenario.h"
#include "ksim/sim/decisions.h"

namespace ksim::fuzz {

struct CorpusEntry {
  CorpusEntry() = default;
  std::uint64_t seed = 0;
  std::string strategy;                // swarm, of which the seed is all; or answers
  std::vector<sim::Override> answers;  // that were given: what later runs change
  std::vector<std::uint64_t> pairs;    // what it was the first to reach, sorted
  std::vector<std::string> probes;     // the same

  std::string Name() const;  // of its file, without the directory: a hash of the input
  Job ToJob() const;
};

class Corpus {
 public:
  // Makes the directory if there is none. InvalidArgument: a file of it is no entry.
  static absl::StatusOr<Corpus> Open(const std::string& directory,
                                     const scenario::Scenario& scenario);

  // In the order of their names, without those that the others make superfluous.
  const std::vector<CorpusEntry>& known() const { return known_; }
  // Entries of another ksim or scenario: to be run again, those with few answers first.
  const std::vector<CorpusEntry>& foreign() const { return foreign_; }
  const std::string& directory() const { return directory_; }

  // Writes an entry that is new, or one of foreign() that has proved its worth.
  void Keep(const CorpusEntry& entry);
  // Removes one that adds nothing.
  void Drop(const CorpusEntry& entry);

  std::uint64_t kept() const { return kept_; }
  std::uint64_t dropped() const { return dropped_; }
  // The first of Keep and Drop that failed.
  const absl::Status& status() const { return status_; }

 private:
  Corpus(std::string directory, std::string scenario, std::string world)
      : directory_(std::move(directory)),
        scenario_(std::move(scenario)),
        world_(std::move(world)) {}
  absl::Status Read(const std::string& name);
  void DropSuperfluous();
  std::string PathOf(const CorpusEntry& entry) const { return directory_ + "/" + entry.Name(); }

  std::string directory_, scenario_;
  std::string world_;  // hash of what an entry's claims hold for
  std::vector<CorpusEntry> known_, foreign_;
  std::uint64_t kept_ = 0, dropped_ = 0;
  absl::Status status_;
};

}  // namespace ksim::fuzz
