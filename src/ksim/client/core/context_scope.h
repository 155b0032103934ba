// ContextScope: a change of the running step's Context that ends with a block.
#pragma once
#include "ksim/sim/simulation.h"

namespace ksim::client {

class ContextScope {
 public:
  explicit ContextScope(sim::Simulation& sim) : sim_(sim), saved_(sim.context()) {}
  ContextScope(const ContextScope&) = delete;
  ~ContextScope() { sim_.context() = saved_; }
  // Event `seq` is the cause of everything that starts inside the scope.
  void set_cause(std::uint64_t seq) { sim_.context().cause = seq; }
  // Everything that starts inside the scope is work, whatever the step itself is.
  void set_foreground() { sim_.context().background = false; }

 private:
  sim::Simulation& sim_;
  sim::Context saved_;
};

}  // namespace ksim::client
