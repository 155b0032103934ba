// Whole runs, from an empty cluster to quiescence and digest, without reading files or writing
// traces: what a fuzzing campaign repeats. `events` counts the trace's events.
#include <benchmark/benchmark.h>

#include "ksim/scenario/load.h"
#include "ksim/scenario/runner.h"

namespace ksim::scenario {
namespace {

void RunScenario(benchmark::State& state, const char* file) {
  const Loaded loaded = Load({std::string(KSIM_SCENARIOS) + "/" + file}, LoadOptions());
  if (loaded.scenarios.size() != 1) {
    state.SkipWithError("cannot read the scenario");
    return;
  }
  Scenario scenario = loaded.scenarios[0];
  std::uint64_t events = 0;
  for (auto _ : state) {
    scenario.seed = scenario.seed % 1000 + 1;
    Runner runner(scenario, RunnerOptions());
    const RunReport report = runner.Run();
    if (report.exit_code != 0) state.SkipWithError("the run failed");
    events += report.end.events;
  }
  state.counters["runs"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
  state.counters["events"] =
      benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(RunScenario, replicaset, "replicaset.yaml")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(RunScenario, scale, "scale.yaml")->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace ksim::scenario
