// Checker: the oracles over one run: facts first, then each oracle that reads the kind of event.
//
//   Checker checker({"*"});
//   for each event: checker.Take(observation);  if (checker.news()) ... checker.findings()
//   checker.Finish(end);
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/check/bus_observer.h"
#include "ksim/check/invariant_judges.h"
#include "ksim/check/oracle.h"
#include "ksim/sim/simulation.h"
#include "ksim/trace/trace.h"

namespace ksim::check {

class Checker {
 public:
  // `checks`: names of oracles as a scenario has them. `compat`: of the run. The run's invariants
  // are judged whatever `checks` says.
  explicit Checker(const std::vector<std::string>& checks, api::Compat compat = kNewestCompat,
                   const InvariantSet& invariants = InvariantSet());

  void Take(const Observation& o);
  // The run is over: what can only be judged now. Once.
  void Finish(const RunEnd& end);

  const std::vector<Finding>& findings() const { return findings_; }  // in order of being found
  std::vector<Remark> remarks() const;  // of all oracles, in their order
  const Facts& facts() const { return facts_; }
  // Every commit of a trace, also those that the facts have forgotten; of a live run none.
  const CommitHistory& whole_history() const { return whole_history_; }
  // Oracles that have judged something; and those that have not, with the reason. Those left out by
  // `checks` are in the second list. Invariants come after all others.
  std::vector<std::string> judged() const;
  std::vector<std::pair<std::string, std::string>> not_judged() const;
  // The judges of the invariants, in their order.
  const std::vector<std::unique_ptr<InvariantOracle>>& invariants() const {
    return invariants_.judges();
  }
  // Whether the run itself did not know an invariant, by its oracle: CheckTrace was given it.
  bool IsAdded(std::string_view oracle) const { return added_.contains(oracle); }

 private:
  friend absl::StatusOr<std::unique_ptr<Checker>> CheckTrace(const trace::Trace& trace,
                                                             const std::vector<std::string>& checks,
                                                             const std::vector<Invariant>& added);
  void Gather(Oracle& oracle, std::uint64_t seq, const std::string& by);

  // One more than the last.
  static constexpr std::size_t kKinds = static_cast<std::size_t>(sim::EventKind::kLog) + 1;
  Facts facts_;
  CommitHistory whole_history_;
  std::vector<std::string> checks_;
  std::vector<std::unique_ptr<Oracle>> oracles_;
  std::array<std::vector<Oracle*>, kKinds> readers_;
  InvariantJudges invariants_;
  std::set<std::string, std::less<>> added_;
  std::vector<Finding> findings_;
};

// A checker on the bus of a running simulation. Each violation becomes a `violation` event right
// after the event that showed it, with that as its cause.
class LiveChecker {
 public:
  // Subscribes itself; must live as long as the bus is used.
  LiveChecker(sim::Simulation& sim, const std::vector<std::string>& checks,
              api::Compat compat = kNewestCompat, const InvariantSet& invariants = InvariantSet());
  LiveChecker(const LiveChecker&) = delete;
  LiveChecker& operator=(const LiveChecker&) = delete;

  void Finish(const RunEnd& end);
  const Checker& checker() const { return checker_; }
  const std::vector<Finding>& findings() const { return checker_.findings(); }

 private:
  void OnEvent(const sim::Event& e);
  void Emit(std::size_t finding, bool later);

  sim::Simulation& sim_;
  BusObserver observer_;
  Checker checker_;
  Observation observation_;
};

// The oracles over a recorded trace, and its own invariants. InvalidArgument if its commits do not
// fit one another. `added`: more invariants; one of a name that the trace has is judged in its
// place.
absl::StatusOr<std::unique_ptr<Checker>> CheckTrace(const trace::Trace& trace,
                                                    const std::vector<std::string>& checks,
                                                    const std::vector<Invariant>& added = {});

}  // namespace ksim::check
