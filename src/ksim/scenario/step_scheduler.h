// StepScheduler: begins the steps of a run, each at its time, on its trigger or after the step
// before it, as a user would type them into kubectl; and keeps which of them failed or never began.
//
// Steps that follow one another form a group; only its first step has a time or a trigger. A group
// runs as a task of the user's process, so that a fault that kills kubectl breaks the group off. A
// group that comes due while kubectl is dead begins when it is back.
//
// In a campaign (`settle` is set) the user tries a failed step again, until `settle` after the heal
// is over, and a group with a time waits for the groups with a time before it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ksim/fault/triggers.h"
#include "ksim/scenario/run_report.h"
#include "ksim/scenario/scenario.h"
#include "ksim/scenario/world.h"
#include "ksim/sim/task.h"

namespace ksim::scenario {

class StepScheduler {
 public:
  // Both references must outlive it.
  StepScheduler(const Scenario& scenario, World& world, std::optional<Duration> settle);
  StepScheduler(const StepScheduler&) = delete;
  StepScheduler& operator=(const StepScheduler&) = delete;

  // Arms times and triggers. Once, before the phase `workload` begins.
  void Schedule();
  void set_healed(VirtualTime at) { healed_ = at; }

  // Whether a step is still to come at its time, or is under way and in the end gives up by itself.
  bool HasStepThatWillEnd() const;
  // The event that began a step under way which waits for something to come true; 0: there is none.
  std::uint64_t WaitingSince() const;
  // "step 2 (wait pods) has not ended: it waits for ...", for each that is under way.
  std::vector<std::string> DescribeRunning() const;
  // The run is over: a step that died with kubectl has failed, and the steps after it, and all
  // whose time or trigger did not come, have never begun.
  void NoteUnfinished();
  const std::vector<StepFailure>& failures() const { return failures_; }
  const std::vector<StepNote>& never_begun() const { return never_begun_; }

 private:
  struct Group {
    std::vector<std::size_t> steps;
    bool begun = false, ended = false;
    bool broken_off = false;             // kubectl died in the midst of it
    bool due = false;                    // its time has come, but others are not done
    bool missed = false;                 // it came due while there was no kubectl
    std::optional<std::size_t> running;  // the step under way
    std::uint64_t running_since = 0;     // seq of the event that began it
    // Whether its task was destroyed before it ran, or has not run yet.
    bool killed_at_once() const { return begun && !ended && !running; }
  };
  void Begin(std::size_t group, std::uint64_t cause);
  bool MustWait(std::size_t group) const;
  // A hint for the first step of a group, if it fails: its time came while the cluster was being
  // started, as that of an earlier group did, and both began together. "" if that is not so.
  std::string HintOf(std::size_t group) const;
  bool Waits(const Group& group) const;  // its step under way waits for something to come true
  void End(std::size_t group);
  void BeginDue();
  void BeginAgain();
  sim::Task<void> RunGroup(std::size_t group);
  sim::Task<kubectl::CommandOutput> RunStep(const Step& step, kubectl::EarlierTries& tries);
  sim::Task<kubectl::CommandOutput> RunStepUntilItSucceeds(const Step& step);
  std::uint64_t EmitStep(std::size_t index, bool begin, std::string result);

  const Scenario& scenario_;
  World& world_;
  fault::Triggers triggers_;
  std::optional<Duration> settle_;  // nothing: not a campaign
  std::optional<VirtualTime> healed_;
  VirtualTime begins_;  // the workload
  std::vector<Group> groups_;
  std::vector<StepFailure> failures_;
  std::vector<StepNote> never_begun_;
};

// The target of a step, in words: "ReplicaSet/my-replicaset", "replicasets.apps/my-replicaset".
std::string TargetOf(const Step& step);

}  // namespace ksim::scenario
