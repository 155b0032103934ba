// StandstillDetector: stops a run that only the heal of its faults can help.
//
// A client that tries for ever to reach a server that is down keeps the run from being quiet, and a
// fault that only the heal ends keeps the server down. So the run stops, to be healed, when nothing
// else has happened for kStandstill. A component that writes an Event about each try changes
// something every time: there the detector waits half of the time that the run has, from the last
// step or fault on.
#pragma once
#include "ksim/base/time.h"
#include "ksim/fault/injector.h"
#include "ksim/scenario/step_scheduler.h"
#include "ksim/sim/simulation.h"

namespace ksim::scenario {

class StandstillDetector {
 public:
  StandstillDetector(sim::Simulation& sim, const StepScheduler& steps,
                     const fault::Injector& injector)
      : sim_(sim), steps_(steps), injector_(injector) {}
  StandstillDetector(const StandstillDetector&) = delete;
  StandstillDetector& operator=(const StandstillDetector&) = delete;

  // Subscribes to the bus. `limit`: the time that the run has.
  void Watch(Duration limit);
  // Whether it has stopped the run since the last call.
  bool Take();
  void set_healed(VirtualTime at) { last_change_ = at; }

 private:
  void OnEvent(const sim::Event& e);

  sim::Simulation& sim_;
  const StepScheduler& steps_;
  const fault::Injector& injector_;
  Duration patience_;  // since the last step or fault
  VirtualTime last_change_, last_deed_;
  bool stands_still_ = false;
};

}  // namespace ksim::scenario
