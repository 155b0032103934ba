// An actor of an out-of-tree program that uses only an installed ksim.
#include <cstdio>

#include "ksim/base/time.h"
#include "ksim/sim/process.h"
#include "ksim/sim/simulation.h"
#include "ksim/sim/task.h"

namespace {

ksim::sim::Task<void> Nap(ksim::sim::Simulation& simulation) {
  co_await simulation.Sleep(ksim::Seconds(5));
  std::printf("awake at %s\n", ksim::FormatTime(simulation.now()).c_str());
}

}  // namespace

int main() {
  ksim::sim::Simulation simulation{ksim::sim::SimulationOptions()};
  ksim::sim::Process& process = simulation.AddProcess("napper");
  process.OnStart([&] { process.Spawn(Nap(simulation)); });
  process.Start();
  simulation.RunUntilQuiet(ksim::Seconds(2), ksim::sim::Simulation::Limits());
}
