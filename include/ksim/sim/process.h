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
#include <string>
#include <string_view>
#include <vector>

#include "ksim/base/time.h"
#include "ksim/sim/bus.h"
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

  // The process' own clock: the virtual clock plus its skew. For times that it writes, or compares
  // with those that others wrote.
  VirtualTime Now() const;
  // For what the process measures itself, as Go's time.Now has a monotonic reading for it: nobody
  // turns this clock.
  VirtualTime SteadyNow() const;
  void set_skew(Duration skew) { skew_ = skew; }

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

  Simulation& sim_;
  std::string name_;
  ActorId actor_;
  bool alive_ = false;
  std::uint32_t incarnation_ = 0;
  std::uint32_t kills_to_come_ = 0;  // asked for in the running step
  std::uint32_t newest_root_ = 0xffffffffu;
  std::uint32_t live_tasks_ = 0;
  Duration skew_;
  std::function<void()> start_, stop_;
};

}  // namespace ksim::sim
