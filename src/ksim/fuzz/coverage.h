// Coverage: what kinds of things a run did, in Kubernetes' own terms: for each object, which (kind,
// actor) came right after which (kind, actor). Not branches of ksim: a pair that was never seen is
// an order of events that no run had before.
#pragma once
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ksim/sim/bus.h"

namespace ksim::fuzz {

class Coverage {
 public:
  // Subscribes itself; must live as long as the bus is used.
  explicit Coverage(sim::Bus& bus);
  Coverage(const Coverage&) = delete;
  Coverage& operator=(const Coverage&) = delete;

  std::vector<std::uint64_t> Pairs() const;  // hashes, sorted

 private:
  absl::flat_hash_map<std::uint64_t, std::uint64_t> last_;  // object -> (kind, actor)
  absl::flat_hash_set<std::uint64_t> pairs_;
};

}  // namespace ksim::fuzz
