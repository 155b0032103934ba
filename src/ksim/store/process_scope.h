// ProcessScope: within it the given process is the actor of all events, whatever process's message
// or timer led there. Cause and background stay those of the step.
#pragma once
#include "ksim/sim/process.h"
#include "ksim/sim/simulation.h"

namespace ksim::store {

class ProcessScope {
 public:
  ProcessScope(sim::Simulation& sim, sim::Process& process) : sim_(sim), saved_(sim.context()) {
    sim.context().process = &process;
    sim.context().actor = process.actor();
  }
  ProcessScope(const ProcessScope&) = delete;
  ProcessScope& operator=(const ProcessScope&) = delete;
  ~ProcessScope() { sim_.context() = saved_; }
  // Makes event `seq` the cause of everything that starts from here on; 0 leaves the cause.
  void set_cause(std::uint64_t seq) {
    if (seq != 0) sim_.context().cause = seq;
  }

 private:
  sim::Simulation& sim_;
  sim::Context saved_;
};

}  // namespace ksim::store
