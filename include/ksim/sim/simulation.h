// Simulation: one virtual world. It owns the clock, the event queue, the processes and their
// coroutines, the draws and decisions, and the bus. One simulation = one thread; several may live
// side by side in one program.
//
// Invariants
//  1. Events run by (time, sequence); the clock never goes back.
//  2. Nobody resumes another actor inline: Send, Fulfil, Kill only enqueue or mark.
//  3. Every event runs in a Context (who acts, what caused it, is it background).
//  4. A run is a pure function of the options and of what the owner of the Simulation does.
#pragma once
#include <coroutine>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "ksim/base/time.h"
#include "ksim/sim/bus.h"
#include "ksim/sim/decisions.h"
#include "ksim/sim/long_waits.h"
#include "ksim/sim/task.h"

namespace ksim::sim {

class Process;

// kWork: something the run must wait for before it is quiescent (back-off, delayed add, deadline,
// grace, TTL, restart; a message in flight). kPeriodic: what goes on for ever (lease and election
// renewal, heartbeat, resync, bookmark, watch timeout, monitor loop) and whatever it sends.
enum class TimerKind : std::uint8_t { kWork, kPeriodic };

// Context: for whom and why the running step acts. Everything that the step starts inherits it:
// tasks it spawns, calls it schedules, messages it sends. `background` steps schedule kPeriodic
// entries whatever they ask for, so that a heartbeat's messages, commits and deliveries do not keep
// a run from being quiescent; adding to a work queue from one is work again. What an `unawaited`
// step of the background leads to (the renewal of a node's lease, the writing of an Event, a
// compaction) changes nothing that anybody else acts on: a run is quiet even while a message of it
// is late.
struct Context {
  Process* process = nullptr;  // null outside processes (the scenario's own steps)
  ActorId actor;               // PROCESS or PROCESS/PART
  std::uint64_t cause = 0;     // seq of the event that led here; Emit's default cause
  bool background = false;
  bool unawaited = false;  // of no meaning without `background`
};

// Origin: the context that an item in a queue carries from the step that puts it there to the step
// that takes it out, so that the taker's next events have the right cause and stay background work
// where they were that.
struct Origin {
  std::uint64_t cause = 0;
  bool background = false;
};

struct SimulationOptions {
  SimulationOptions();
  ~SimulationOptions();
  std::uint64_t seed = 1;
  std::vector<Override> overrides;
  std::shared_ptr<Strategy> strategy;  // null = nominal
  // How far an event may be put before one that is due earlier, where a strategy or an override
  // orders events (docs: the largest base latency).
  Duration order_window = Milliseconds(2);
};

// One order-preserving chain of events (a watch stream, a handler queue): the hash of its name,
// which never changes, like those of sites, as an ordering strategy draws by it. 0 = none: then the
// calls of one actor are a chain. `item` tells apart what one name stands for and may be reordered:
// the messages of an unordered channel are chains of their own.
struct ChainId {
  static ChainId Of(std::string_view name) { return {KeyOf(name), 0}; }
  std::uint64_t name = 0;
  std::uint64_t item = 0;
};

class Simulation {
 public:
  explicit Simulation(const SimulationOptions& options);
  ~Simulation();  // Shutdown
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  VirtualTime now() const { return now_; }
  std::uint64_t seed() const { return decisions_.seed(); }
  // Decisions::BeginAnew with seed, overrides and strategy of `options`; events are ordered from
  // here on if the strategy or an override does that. Between runs, once, and only where none did.
  void BeginAnew(const SimulationOptions& options);
  Bus& bus() { return bus_; }
  Decisions& decisions() { return decisions_; }
  Context& context() { return context_; }  // of the running step; changes last for the step/task

  Origin CaptureOrigin() const { return Origin{context_.cause, context_.background}; }
  void AdoptOrigin(const Origin& o) {
    context_.cause = o.cause;
    context_.background = o.background;
  }

  // Kills every process, the last added first, and drops what is queued without running it; after
  // it nothing can be scheduled. For owners of things that tasks and queued calls refer to: call it
  // before those go away. Not from inside a step. A second call does nothing.
  void Shutdown();
  bool closed() const;  // Shutdown has begun: what a process does when it stops is of no use

  // --- processes ---------------------------------------------------------------------------
  Process& AddProcess(std::string_view name);   // names are unique; KSIM_CHECK otherwise
  Process* FindProcess(std::string_view name);  // null if there is none
  const std::vector<std::unique_ptr<Process>>& processes() const { return processes_; }

  // --- scheduling --------------------------------------------------------------------------
  // Names a suspended frame or a scheduled call; good for ever: what is gone is not found.
  struct SlotRef {
    std::uint32_t slot = 0xffffffffu;
    std::uint32_t generation = 0;
  };
  // Runs `call` at now + delay in the Context of the caller. `label` is a string literal that names
  // it in "what kept the run busy". Never runs inline, not even for delay 0; a negative delay
  // counts as 0, one past the end of time as that end. The call is not tied to the caller's
  // process: it runs also when that has died since (a message stays in flight), so what it refers
  // to must outlive the process or be guarded by its incarnation.
  SlotRef After(Duration delay, TimerKind kind, const char* label,
                absl::AnyInvocable<void()>&& call, ChainId chain = {});
  // Takes back what After scheduled; does nothing if it has run, or for SlotRef().
  void CancelCall(SlotRef call);
  // Runs `call` when the running step returns: before any other event, at the same time, in the
  // Context of the caller, in the order of the calls to Defer. Outside a step: before the next one.
  void Defer(absl::AnyInvocable<void()> call);

  // co_await sim.Sleep(Seconds(1)). A Task asleep is one queue entry and one slot. Sleep, and every
  // wait with a timeout, is a timer of the task's process: it counts by the monotonic clock of that
  // (Process::SteadyNow).
  class SleepAwaiter;
  SleepAwaiter Sleep(Duration d, TimerKind kind = TimerKind::kWork, const char* label = "sleep");
  // The same in true time, however the process' clock runs: for what a machine, a driver or a
  // handler needs, and no timer measures.
  class SpendAwaiter;
  SpendAwaiter Spend(Duration d, TimerKind kind, const char* label);
  // The monotonic clock of the process whose task runs. In a call that After has scheduled this is
  // the process of the caller.
  VirtualTime SteadyNow() const { return clocks_turned_ ? SteadyNowTurned() : now_; }

  // --- running -----------------------------------------------------------------------------
  bool Step();                   // one event; false when nothing is queued
  void RunUntil(VirtualTime t);  // every event at or before t; then now() == t

  // Counted from the start of the simulation, not from the call. A limit is passed when one more
  // event than it allows is due.
  struct Limits {
    VirtualTime time = VirtualTime::Max();
    std::uint64_t events = ~std::uint64_t{0};   // kernel steps
    std::uint64_t instant = ~std::uint64_t{0};  // kernel steps at one virtual time
  };
  enum class Stop { kQuiescent, kTimeReached, kTimeLimit, kEventLimit, kInstantLimit, kStopped };
  // Runs until no kWork entry is pending and none ran for `quiet_for` (kQuiescent), or until a
  // limit (kTimeLimit, kEventLimit, kInstantLimit) or RequestStop (kStopped). When quiescent the
  // clock stands at (last work) + quiet_for, or where it already stood if that is later.
  Stop RunUntilQuiet(Duration quiet_for, const Limits& limits);
  // As RunUntil, within limits. kTimeReached when every event up to `t` has run.
  Stop RunUntil(VirtualTime t, const Limits& limits);
  void RequestStop();     // RunUntilQuiet/RunUntil return after this step
  VirtualTime NextDue();  // the time of the next event; the end of time if nothing is queued

  std::uint64_t steps() const { return steps_; }  // queue entries run (dead ones not)
  std::uint64_t pending_work() const { return pending_work_; }
  // Holds the run busy without a queue entry (a fault in force). Balanced by ReleaseWork.
  void HoldWork() { ++pending_work_; }
  void ReleaseWork();
  LongWaits& long_waits() { return long_waits_; }
  // One line per pending kWork entry: "label  actor  due +1.5s", in queue order, at most `max`.
  std::vector<std::string> DescribePendingWork(std::size_t max) const;

  // Emits with the Context's actor and cause; returns the event's seq.
  std::uint64_t Emit(const EventInfo& info, PayloadRef payload);
  // The same on behalf of another actor and with another cause.
  std::uint64_t EmitAs(ActorId actor, std::uint64_t cause, const EventInfo& info,
                       PayloadRef payload);

  // --- for awaiters in sim/ only -----------------------------------------------------------
  // The wait ends when the task runs again.
  SlotRef ClaimSlot(std::coroutine_handle<> frame);
  void Wake(SlotRef ref, Duration delay, TimerKind kind, const char* label);
  void WakeInTrueTime(SlotRef ref, Duration delay, TimerKind kind, const char* label);

 private:
  friend class Process;
  friend class Ordering;
  class Kernel;    // queue, slots, roots, calls: src/ksim/sim/kernel.h
  class RunScope;  // names this simulation to crash reports
  bool RunNext(VirtualTime bound, const Limits& limits, Stop* stop);
  bool RunOrdered(VirtualTime bound, const Limits& limits, Stop* stop);
  bool MayStep(VirtualTime next, const Limits& limits, Stop* stop) const;
  void BeginStep(VirtualTime at);
  VirtualTime Later(Duration delay) const;  // now + delay within [now, end of time]
  VirtualTime SteadyNowTurned() const;
  TimerKind Effective(TimerKind kind) const {
    return context_.background ? TimerKind::kPeriodic : kind;
  }

  std::unique_ptr<Kernel> kernel_;
  VirtualTime now_;
  VirtualTime last_work_;  // when a kWork entry last ran or a hold was released
  std::uint64_t steps_ = 0;
  VirtualTime last_step_;            // when an event last ran
  std::uint64_t instant_steps_ = 0;  // how many did then
  std::uint64_t pending_work_ = 0;
  bool stop_requested_ = false;
  bool clocks_turned_ = false;  // some process' clock has had a rate of its own
  Context context_;
  Bus bus_;
  Decisions decisions_;
  LongWaits long_waits_;
  std::vector<std::unique_ptr<Process>> processes_;
};

}  // namespace ksim::sim

#include "ksim/sim/internal/suspension.h"  // IWYU pragma: export
