// Whole runs, from an empty cluster to quiescence and digest, without reading files or writing
// traces, and runs of a fuzzing campaign: faults drawn, all oracles on. `events` counts the trace's
// events.
#include <benchmark/benchmark.h>

#include <utility>

#include "ksim/fuzz/planner.h"
#include "ksim/fuzz/run.h"
#include "ksim/scenario/load.h"
#include "ksim/scenario/runner.h"

namespace ksim::scenario {
namespace {

// `record`: as `ksim run` does, which may be asked for the trace afterwards; a campaign does not.
void RunScenario(benchmark::State& state, const char* file, bool record) {
  const Loaded loaded = Load({std::string(KSIM_SCENARIOS) + "/" + file}, LoadOptions());
  if (loaded.scenarios.size() != 1) {
    state.SkipWithError("cannot read the scenario");
    return;
  }
  Scenario scenario = loaded.scenarios[0];
  std::uint64_t events = 0;
  for (auto _ : state) {
    scenario.seed = scenario.seed % 1000 + 1;
    RunnerOptions options;
    options.record = record;
    Runner runner(scenario, std::move(options));
    const RunReport report = runner.Run();
    if (report.exit_code != 0) state.SkipWithError("the run failed");
    events += report.end.events;
  }
  state.counters["runs"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
  state.counters["events"] =
      benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
}

// Seeds 1, 2, ... as `ksim fuzz --strategy STRATEGY` does them; findings count as any run.
void FuzzScenario(benchmark::State& state, const char* file, const char* strategy) {
  const Loaded loaded = Load({std::string(KSIM_SCENARIOS) + "/" + file}, LoadOptions());
  fuzz::PlannerOptions options;
  options.strategy = strategy;
  const auto planner = fuzz::MakePlanner(loaded.scenarios.at(0), options);
  if (!planner.ok()) {
    state.SkipWithError("no such strategy");
    return;
  }
  fuzz::Runs runs(loaded.scenarios[0], std::nullopt);
  std::uint64_t number = 0;
  std::uint64_t events = 0;
  for (auto _ : state) events += runs.Do((*planner)->JobOf(++number)).events;
  state.counters["runs"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
  state.counters["events"] =
      benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(RunScenario, replicaset, "replicaset.yaml", true)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(RunScenario, replicaset_unrecorded, "replicaset.yaml", false)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(RunScenario, scale, "scale.yaml", true)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(FuzzScenario, swarm, "replicaset.yaml", "swarm")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(FuzzScenario, random, "replicaset.yaml", "random")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(FuzzScenario, pct, "replicaset.yaml", "pct")->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace ksim::scenario
