// Process: what dies, restarts, is paused, has a clock, a connection and its caches
// (kube-controller-manager, a kubelet). Its parts (controllers) are root tasks with names of their
// own (PROCESS/PART).
//
// Invariants
//  1. Kill destroys every root task of the process before the next event runs; nothing of it runs
//     afterwards.
//  2. The incarnation number rises at every Start; it is never part of a draw's site.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "ksim/base/time.h"
#include "ksim/sim/bus.h"
#include "ksim/sim/clock.h"
#include "ksim/sim/simulation.h"
#include "ksim/sim/task.h"

namespace ksim::sim {

class Process {
 public:
  const std::string& name() const { return name_; }
  ActorId actor() const { return actor_; }
  Simulation& simulation() { return sim_; }
  bool alive() const { return alive_; }
  std::uint32_t incarnation() const { return incarnation_; }

  // The process' wall clock (CLOCK_REALTIME): the virtual clock, its skew, and what a rate has
  // gained. For times that it writes, or compares with those that others wrote.
  VirtualTime Now() const {
    const VirtualTime now = sim_.now() + skew_;
    return clock_ == nullptr ? now : now + clock_->Ahead(sim_.now());
  }
  // Its monotonic clock (CLOCK_MONOTONIC), by which its timers go. For what the process measures
  // itself, as Go's time.Now has a monotonic reading for it: a rate speeds it up or slows it down,
  // and nobody turns it.
  VirtualTime SteadyNow() const {
    return clock_ == nullptr ? sim_.now() : clock_->Steady(sim_.now());
  }
  // How long a timer of `delay` takes: until SteadyNow has gone on by it. The same while no rate
  // holds.
  Duration TimeOf(Duration delay) const { return clock_ == nullptr ? delay : TimeOfTurned(delay); }
  // The timer that takes so much true time.
  Duration TimerOf(Duration time) const { return clock_ == nullptr ? time : TimerOfTurned(time); }
  void set_skew(Duration skew) { skew_ = skew; }
  Duration skew() const { return skew_; }
  // Simulation::After by the process' clock: a timer that calls.
  Simulation::SlotRef After(Duration delay, TimerKind kind, const char* label,
                            absl::AnyInvocable<void()>&& call);
  // Both clocks run at `rate` until that is ended (TurnedClock), and the process' timers move with
  // them. With EndRate the wall clock is right again, and the monotonic one goes on from where it
  // stands.
  TurnedClock::RateId BeginRate(ClockRate rate);
  void EndRate(TurnedClock::RateId id);

  // Start runs `start`, which builds the process' objects and spawns its tasks. Kill runs `stop`
  // after the tasks are gone; `stop` drops the objects.
  void OnStart(std::function<void()> start) { start_ = std::move(start); }
  void OnStop(std::function<void()> stop) { stop_ = std::move(stop); }
  // Starting a live process is a KSIM_CHECK, unless its kill is still to come in this step: then
  // the start follows it. The OnStart function runs at once, as this process.
  void Start();
  // Destroys the tasks, the last spawned first. From inside a step it takes effect when the step
  // returns (a process may kill itself); otherwise at once. Nothing happens to a dead process.
  void Kill();

  // Starts a root task at this very time (never inline). `part` names the actor NAME/part; empty =
  // the process itself. The Context's cause and background are inherited; `background` also marks a
  // task whose timers and messages are periodic. The process must be alive (KSIM_CHECK): what may
  // reach a dead one asks alive() first. A task that ends with an exception is a KSIM_CHECK.
  struct TaskId {
    std::uint64_t value = 0;
  };
  TaskId Spawn(Task<void> task, std::string_view part = {}, bool background = false);
  // Destroys one root task between events; unknown or finished ids are ignored.
  void Cancel(TaskId id);
  ActorId PartActor(std::string_view part);  // interns NAME/part
  std::size_t live_tasks() const { return live_tasks_; }

 private:
  friend class Simulation;
  Process(Simulation& sim, std::string_view name);
  void StartNow();
  void KillNow();
  Duration TimeOfTurned(Duration delay) const;
  Duration TimerOfTurned(Duration time) const;

  Simulation& sim_;
  std::string name_;
  ActorId actor_;
  bool alive_ = false;
  std::uint32_t incarnation_ = 0;
  std::uint32_t kills_to_come_ = 0;  // asked for in the running step
  std::uint32_t newest_root_ = 0xffffffffu;
  std::uint32_t live_tasks_ = 0;
  Duration skew_;
  std::unique_ptr<TurnedClock> clock_;  // null: no fault has ever given it a rate
  std::function<void()> start_, stop_;
};

}  // namespace ksim::sim
