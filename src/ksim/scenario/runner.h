// Runner: one run of one scenario from start to verdict.
//
//   Runner runner(scenario, RunnerOptions());
//   RunReport report = runner.Run();     // report.exit_code, report.end.digest
//   trace::Trace trace = runner.TakeTrace(trace::RenderOptions());
//
// The cluster is started first; when it has nothing left to do (its caches are filled and its nodes
// registered) the phase `workload` begins. A step `at` a time that is over by then runs at once.
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
#include "ksim/scenario/late_writes.h"
#include "ksim/scenario/scenario.h"
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
  // False: no trace can be made, and the end has no digest of the outcome.
  bool record = true;
  // Asked after every event of these kinds; true ends the run there (interrupted, or --until).
  std::function<bool(const sim::Event&)> stop;
  sim::EventKinds stop_after = sim::EventKinds::All();
};

struct StepFailure {
  StepFailure() = default;
  std::int64_t number = 0;  // of the step, from 1
  std::string error;        // as kubectl words it
};

struct FaultNote {  // of a scripted fault that did not happen
  FaultNote() = default;
  std::int64_t number = 0;  // of the fault, from 1
  std::string fault;        // "dropWatch kube-scheduler pods"
  std::string why;
};

struct StepNote {
  StepNote() = default;
  StepNote(std::int64_t n, std::string reason) : number(n), why(std::move(reason)) {}
  std::int64_t number = 0;  // from 1
  std::string why;          // "its trigger did not come"
};

struct RunReport {
  RunReport() = default;
  trace::End end;
  int exit_code = 0;
  bool stopped = false;               // RunnerOptions::stop said so
  std::vector<StepFailure> failures;  // steps that failed
  std::vector<StepNote> never_begun;  // steps whose time or trigger never came, or not to kubectl
  std::vector<FaultNote> faults_missing;
  std::vector<std::string> busy;     // what kept it busy, when a limit passed
  std::vector<bool> passed_through;  // of scenario.expect: it was met, and holds no more at the end
  std::uint64_t commits = 0;
  std::uint64_t requests = 0;
  std::uint64_t kernel_steps = 0;
};

class Runner {
 public:
  Runner(const Scenario& scenario, RunnerOptions options);
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  RunReport Run();  // once

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
  // Steps that follow one another: the first has a time or a trigger.
  struct Group {
    std::vector<std::size_t> steps;
    bool begun = false, ended = false;
    bool broken_off = false;             // kubectl died in the midst of it
    bool due = false;                    // its time has come, but others are not done
    bool missed = false;                 // it came due while there was no kubectl
    std::optional<std::size_t> running;  // the step under way
    // Of a group whose task was destroyed, or has not run yet.
    bool killed_at_once() const { return begun && !ended && !running; }
  };
  bool AnswersDrawnFaults() const;
  void MakeGroups();
  void Count(const sim::Event& e);
  void StopIfAsked(const sim::Event& e);
  void Boot();
  void ScheduleSteps();
  void Begin(std::size_t group, std::uint64_t cause);
  bool MustWait(std::size_t group) const;
  void End(std::size_t group);
  void BeginDue();
  void BeginAgain();  // when kubectl is back
  sim::Task<void> RunGroup(std::size_t group);
  sim::Task<kubectl::CommandOutput> RunStep(const Step& step, kubectl::EarlierTries& tries);
  sim::Task<kubectl::CommandOutput> RunStepPatiently(const Step& step);
  sim::Simulation::Stop RunWorkload();
  void WatchForStandstill();
  bool AStepWillEnd() const;
  void Heal();
  void NoteFaults();
  sim::Simulation::Stop RunFaultsAndHeal();
  std::vector<std::string> WhatKeptItBusy();
  void NoteSteps();
  void Judge(sim::Simulation::Stop stop);
  void Finish(sim::Simulation::Stop stop);
  void NameOracles(trace::End* end) const;
  bool AControllerWaits();
  void CloseExpectations();
  void SetResult();
  std::uint64_t EmitPhase(const char* name);
  std::uint64_t EmitStep(std::size_t index, bool begin, std::string result);

  Scenario scenario_;
  RunnerOptions options_;
  World world_;
  fault::Triggers triggers_;
  fault::Injector injector_;
  std::unique_ptr<fault::DrawnFaults> drawn_;  // null: nobody answers with a fault
  Expectations expectations_;
  std::unique_ptr<LateWrites> late_writes_;  // null: not a campaign
  check::LiveChecker checks_;
  std::unique_ptr<trace::Recorder> recorder_;  // null: nothing is kept
  std::vector<Group> groups_;
  std::optional<VirtualTime> healed_;
  VirtualTime last_change_, last_deed_;  // while WatchForStandstill does
  bool stands_still_ = false;
  RunReport report_;
};

// The target of a step, in words: "ReplicaSet/my-replicaset", "replicasets.apps/my-replicaset".
std::string TargetOf(const Step& step);

}  // namespace ksim::scenario
