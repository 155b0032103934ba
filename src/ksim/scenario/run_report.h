// RunReport: what a run has come to, for the callers of Runner.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ksim/check/oracle.h"
#include "ksim/trace/trace.h"

namespace ksim::scenario {

// A step that failed.
struct StepFailure {
  StepFailure() = default;
  std::int64_t number = 0;  // of the step, from 1
  std::string error;        // as kubectl words it
  std::string hint;         // what may help; "" where nothing would
};

// A scripted fault that did not happen.
struct FaultNote {
  FaultNote() = default;
  std::int64_t number = 0;  // of the fault, from 1
  std::string fault;        // "dropWatch kube-scheduler pods"
  std::string why;
};

// A step that did not begin.
struct StepNote {
  StepNote() = default;
  StepNote(std::int64_t n, std::string reason) : number(n), why(std::move(reason)) {}
  std::int64_t number = 0;  // from 1
  std::string why;          // "its trigger did not come"
};

// Something to know of an expectation that was met.
struct ExpectationNote {
  ExpectationNote() = default;
  std::int64_t number = 0;  // from 1
  std::string expectation;  // in words
  std::string why;
};

// An invariant that said nothing of the run.
struct InvariantNote {
  InvariantNote() = default;
  std::string name;
  std::string why;  // "no configmaps in default was ever there"
};

struct RunReport {
  RunReport() = default;
  trace::End end;
  int exit_code = 0;
  std::vector<std::string> broken_by;  // of each of end.violations: check::Finding::by
  bool stopped = false;                // RunnerOptions::stop said so
  std::vector<StepFailure> failures;   // steps that failed
  std::vector<StepNote> never_begun;   // steps whose time or trigger never came, or not to kubectl
  std::vector<FaultNote> faults_missing;
  std::vector<check::Remark> remarks;  // of the oracles
  std::vector<std::string>
      waiting;                    // pods for which something is missing (observers/waiting_pods.h)
  std::vector<std::string> busy;  // what kept it busy, when a limit passed
  std::vector<bool> passed_through;  // of scenario.expect: it was met, and holds no more at the end
  std::vector<bool> applied;         // of scenario.expect: there was something that it spoke of
  std::vector<ExpectationNote> vacuous;      // met, and never applied to anything
  std::vector<ExpectationNote> not_lasting;  // eventually without `lasts`, and not at the end
  std::vector<bool> invariants_applied;      // of scenario.invariants: there was something to judge
  std::vector<InvariantNote> vacuous_invariants;  // never violated, and nothing was to be judged
  bool workload_served = false;  // of a campaign: somebody but the user wrote of the workload
  std::uint64_t commits = 0;
  std::uint64_t requests = 0;
  std::uint64_t boot_events = 0;  // before the workload
  std::uint64_t kernel_steps = 0;
};

}  // namespace ksim::scenario
