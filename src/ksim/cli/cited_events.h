// CitedEvents: the events that the violations of a run name as the first that broke a promise. Most
// happen right before they are named: of the latest events a few thousand are there. Those that lie
// further back are fetched from a second run, which is the same up to there.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "ksim/scenario/scenario.h"
#include "ksim/sim/bus.h"
#include "ksim/trace/header.h"

namespace ksim::cli {

class CitedEvents {
 public:
  // Every event of the run, in order.
  void Take(const sim::Event& e);
  // The run is over. `interrupted`: ends a second run; what it would have fetched is not there.
  void Fetch(const scenario::Scenario& scenario, const std::vector<trace::Violation>& violations,
             const std::function<bool()>& interrupted);
  // After Fetch. Null: nobody cited it, or there is no such event.
  const sim::Event* Find(std::uint64_t seq) const;

 private:
  static constexpr std::size_t kLatest = 4096;

  const sim::Event* Latest(std::uint64_t seq) const;  // null: not among them

  std::vector<sim::Event> latest_;  // by seq - 1, modulo kLatest
  std::uint64_t last_seq_ = 0;
  std::map<std::uint64_t, sim::Event> cited_;
};

}  // namespace ksim::cli
