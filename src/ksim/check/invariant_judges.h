// InvariantJudges: the oracles of a run's own invariants. A commit reaches those alone that are
// about its resource; deadlines are looked at when there is one, at commits and at the end, so that
// a run and its trace judge them at the same events.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ksim/check/controller_owners.h"
#include "ksim/check/invariant_oracle.h"

namespace ksim::check {

// Those that a run is judged by.
struct InvariantSet {
  InvariantSet() = default;
  std::vector<Invariant> list;
  bool campaign = false;  // of a run of `ksim fuzz`
};

class InvariantJudges {
 public:
  InvariantJudges(const InvariantSet& set, const Facts& facts);
  InvariantJudges(const InvariantJudges&) = delete;
  InvariantJudges& operator=(const InvariantJudges&) = delete;

  bool empty() const { return judges_.empty(); }
  // `found` is called of each oracle that has a finding.
  void Take(const Facts& facts, const Observation& o, const std::function<void(Oracle&)>& found);
  void Finish(const Facts& facts, const RunEnd& end, const std::function<void(Oracle&)>& found);

  const std::vector<std::unique_ptr<InvariantOracle>>& judges() const { return judges_; }

 private:
  void TakeCommit(const Facts& facts, const Observation& o,
                  const std::function<void(Oracle&)>& found);
  void PassDeadlines(const Facts& facts, std::int64_t now,
                     const std::function<void(Oracle&)>& found);
  void WatchTheUser(const Observation& o);

  bool campaign_;
  bool owned_ = false;  // somebody asks for owners
  ControllerOwners owners_;
  std::vector<std::unique_ptr<InvariantOracle>> judges_;
  absl::flat_hash_map<std::uint64_t, std::vector<InvariantOracle*>> by_resource_;  // looked up only
  std::vector<InvariantOracle*> timed_;
  // In a campaign: requests that the user gave up, and whether one came true all the same, or a
  // step failed.
  std::set<std::uint64_t> given_up_;
  bool forgiven_ = false;
};

}  // namespace ksim::check
