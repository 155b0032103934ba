// LateWrites: what a user asked for, gave up waiting for, and got all the same. A campaign may hold
// a command up for longer than kubectl waits; the user types it again, and the next one, and then
// the first comes true and undoes them. Nobody did anything wrong, and the end is not the one that
// the scenario speaks of.
#pragma once
#include <cstdint>
#include <set>

#include "ksim/sim/bus.h"

namespace ksim::scenario {

class LateWrites {
 public:
  // Subscribes itself; must live as long as the bus is used.
  LateWrites(sim::Bus& bus, sim::ActorId user);
  LateWrites(const LateWrites&) = delete;
  LateWrites& operator=(const LateWrites&) = delete;

  bool any() const { return any_; }

 private:
  sim::ActorId user_;
  std::set<std::uint64_t> given_up_;  // ids of requests
  bool any_ = false;
};

}  // namespace ksim::scenario
