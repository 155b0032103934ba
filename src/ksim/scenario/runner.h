// Runner: one run of one scenario from start to verdict.
//
//   Runner runner(scenario, RunnerOptions());
//   RunReport report = runner.Run();     // report.exit_code, report.end.digest
//   trace::Trace trace = runner.TakeTrace(trace::RenderOptions());
//
// The runner starts the cluster first; when it has nothing left to do (its caches are filled and
// its nodes registered) the phase `workload` begins. A step `at` a time that is over by then runs
// at once.
//
// Beside it: step_scheduler.h begins the steps, standstill_detector.h finds a run that only the
// heal helps, run_verdict.h makes the result of what oracles, expectations and steps say.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ksim/check/checker.h"
#include "ksim/fault/drawn_faults.h"
#include "ksim/fault/injector.h"
#include "ksim/scenario/expectations.h"
#include "ksim/scenario/observers/late_writes.h"
#include "ksim/scenario/observers/workload_activity.h"
#include "ksim/scenario/run_report.h"
#include "ksim/scenario/scenario.h"
#include "ksim/scenario/standstill_detector.h"
#include "ksim/scenario/step_scheduler.h"
#include "ksim/scenario/world.h"
#include "ksim/trace/render.h"
#include "ksim/trace/trace.h"

namespace ksim::scenario {

// A run of `ksim fuzz`: faults may come for `window` from the workload on, or until nothing is left
// to do; then everything heals, and the run must become quiet within `settle`, and the time that a
// message sent before may still be under way. What is expected eventually may then come late. A
// step that fails is tried again, as people do, until `settle` is over, and one with a time waits
// for those before it.
struct FuzzPhases {
  FuzzPhases() = default;
  Duration window;
  Duration settle = Minutes(10);
  std::function<void(bool open)> on_window;  // told when the window opens and closes
};

struct RunnerOptions {
  RunnerOptions() = default;
  WorldOptions world;
  std::optional<FuzzPhases> fuzz;  // nothing: a run as the scenario says
  // The seed and parameters of world.strategy, for the trace's header.
  std::uint64_t strategy_seed = 1;
  value::Value strategy_params = value::Value::EmptyObject();
  // Keeps the events, for events() and MakeTrace; the end has a digest of the outcome.
  bool record = true;
  // The end has one though nothing is kept: for callers who write the events as they come.
  bool outcome = false;
  // The run of `ksim serve`: its caller moves the clock between Begin and End.
  bool serve = false;
  // Asked after every event of these kinds; true ends the run there (interrupted, or --until).
  std::function<bool(const sim::Event&)> stop;
  sim::EventKinds stop_after = sim::EventKinds::All();
};

class Runner {
 public:
  Runner(const Scenario& scenario, RunnerOptions options);
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  // Starts the cluster; Begin does it unless it is done. Once.
  void Boot();
  // Between Boot and Run, of a scenario with a bootSeed: the run gets another seed, and strategy
  // and phases of `options`. Runs of many seeds can go on from copies of one that has booted.
  void Become(std::uint64_t seed, const RunnerOptions& options);
  RunReport Run();  // once
  // The same in parts, for a run that goes on until it is told: Begin makes the cluster and begins
  // the workload; End judges. Each once; `stop`: how the run came to its end.
  void Begin();
  RunReport End(sim::Simulation::Stop stop);
  // Ends all faults: nothing is left to do but for those that nothing else ends.
  void Heal();
  fault::Injector& injector() { return injector_; }

  const Scenario& scenario() const { return scenario_; }
  World& world() { return world_; }
  const std::vector<sim::Event>& events() const { return recorder_->events(); }
  // The oracles, and what they have found so far.
  const check::Checker& checker() const { return checks_.checker(); }
  // The faults that were drawn, as spec.faults would say them; of a run that recorded.
  std::vector<FaultSpec> DrawnScript() const;
  trace::Header MakeHeader() const;
  // Header, events and last line; after Run.
  trace::Trace MakeTrace(const trace::RenderOptions& options) const;

 private:
  bool AnswersDrawnFaults() const;
  void Count(const sim::Event& e);
  void StopIfAsked(const sim::Event& e);
  sim::Simulation::Stop RunWorkload();
  sim::Simulation::Stop RunFaultsAndHeal();
  bool AwaitRetries(VirtualTime limit);
  bool StopsWaiting();
  std::vector<std::string> WhatKeptItBusy();
  // Reports the limit that the run passed, and the steps and faults that did not come.
  void ReportUnfinished(sim::Simulation::Stop stop);
  void Finish(sim::Simulation::Stop stop);
  void CloseExpectations();
  std::uint64_t EmitPhase(const char* name);

  Scenario scenario_;
  RunnerOptions options_;
  World world_;
  StepScheduler steps_;
  fault::Injector injector_;
  StandstillDetector standstill_;
  std::unique_ptr<fault::DrawnFaults> drawn_;  // null: nobody answers with a fault
  Expectations expectations_;
  std::unique_ptr<LateWrites> late_writes_;     // null: not a campaign
  std::unique_ptr<WorkloadActivity> activity_;  // the same
  check::LiveChecker checks_;
  std::unique_ptr<trace::Recorder> recorder_;  // null: nothing is kept
  RunReport report_;
  bool booted_ = false;
  bool awaited_retries_ = false;
};

}  // namespace ksim::scenario
