// WorkHold: holds the run busy for as long as it lives, also when what holds it is killed.
#pragma once
#include "ksim/sim/simulation.h"

namespace ksim::scenario {

class WorkHold {
 public:
  explicit WorkHold(sim::Simulation& sim) : sim_(sim) { sim_.HoldWork(); }
  ~WorkHold() { sim_.ReleaseWork(); }
  WorkHold(const WorkHold&) = delete;

 private:
  sim::Simulation& sim_;
};

}  // namespace ksim::scenario
