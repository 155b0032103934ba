#include "ksim/sim/simulation.h"

#include <algorithm>
#include <utility>

#include "ksim/base/check.h"
#include "ksim/base/hash.h"
#include "ksim/sim/kernel.h"
#include "ksim/sim/ordering.h"
#include "ksim/sim/process.h"

namespace ksim::sim {

SimulationOptions::SimulationOptions() = default;
SimulationOptions::~SimulationOptions() = default;

// While one is alive, a crash on this thread tells where this simulation stands, and the Context
// outside all steps is put back at the end.
class Simulation::RunScope {
 public:
  explicit RunScope(Simulation& sim)
      : sim_(sim), outside_(sim.context_), before_(SetCrashContextProvider({&Describe, &sim})) {
    KSIM_CHECK(!sim.kernel_->in_step) << "run or shut down from inside a step";
  }
  ~RunScope() {
    SetCrashContextProvider(before_);
    sim_.context_ = outside_;
  }

 private:
  static CrashContext Describe(const void* self) {
    const auto& sim = *static_cast<const Simulation*>(self);
    return {true, sim.seed(), sim.now_, sim.context_.actor.name()};
  }
  Simulation& sim_;
  Context outside_;
  CrashContextProvider before_;
};

Simulation::Simulation(const SimulationOptions& options)
    : kernel_(std::make_unique<Kernel>(*this)),
      decisions_(options.seed, options.overrides, options.strategy) {
  if (decisions_.orders())
    kernel_->ordering = std::make_unique<Ordering>(*kernel_, decisions_, options.order_window);
}

void Simulation::BeginAnew(const SimulationOptions& options) {
  KSIM_CHECK(!kernel_->ordering) << "events were ordered before";
  decisions_.BeginAnew(options.seed, options.overrides, options.strategy);
  if (decisions_.orders())
    kernel_->ordering = std::make_unique<Ordering>(*kernel_, decisions_, options.order_window);
}

Simulation::~Simulation() { Shutdown(); }

void Simulation::Shutdown() {
  if (kernel_->closed) return;
  const RunScope scope(*this);
  kernel_->closed = true;  // so that the dying do not say goodbye to one another
  for (std::size_t i = processes_.size(); i-- > 0;) processes_[i]->Kill();
  kernel_->DropCalls();
}

bool Simulation::closed() const { return kernel_->closed; }

Process& Simulation::AddProcess(std::string_view name) {
  KSIM_CHECK(FindProcess(name) == nullptr) << "two processes named " << name;
  processes_.push_back(std::unique_ptr<Process>(new Process(*this, name)));
  Process* process = processes_.back().get();
  kernel_->processes_by_name.emplace(process->name(), process);
  return *process;
}

Process* Simulation::FindProcess(std::string_view name) {
  const auto it = kernel_->processes_by_name.find(name);
  return it == kernel_->processes_by_name.end() ? nullptr : it->second;
}

namespace {

// No wrap past the end of time; nothing before `from`.
VirtualTime AddWithin(VirtualTime from, Duration delay) {
  if (delay <= Duration()) return from;
  return delay > VirtualTime::Max() - from ? VirtualTime::Max() : from + delay;
}

}  // namespace

VirtualTime Simulation::Later(Duration delay) const { return AddWithin(now_, delay); }

Simulation::SlotRef Simulation::After(Duration delay, TimerKind kind, const char* label,
                                      absl::AnyInvocable<void()>&& call, ChainId chain) {
  if (kernel_->closed) return SlotRef();
  const std::uint32_t slot = kernel_->NewCall(std::move(call), context_, chain);
  kernel_->Enqueue(slot, Later(delay), Effective(kind), label);
  return {slot, kernel_->slots[slot].generation};
}

void Simulation::CancelCall(SlotRef call) {
  if (call.slot >= kernel_->slots.size()) return;
  Kernel::Slot& slot = kernel_->slots[call.slot];
  if (slot.generation != call.generation) return;
  kernel_->EndWait(slot);
  kernel_->FreeCall(slot.owner);
}

void Simulation::Defer(absl::AnyInvocable<void()> call) {
  if (kernel_->closed) return;
  kernel_->deferred.push_back({std::move(call), context_});
}

bool Simulation::Step() {
  const RunScope scope(*this);
  kernel_->RunDeferred();
  Stop stop{};
  return RunNext(VirtualTime::Max(), Limits(), &stop);
}

// One event at or before `bound`, and what it deferred. False when none is due, or a limit forbids
// it: then *stop says which.
bool Simulation::RunNext(VirtualTime bound, const Limits& limits, Stop* stop) {
  if (kernel_->ordering) [[unlikely]]
    return RunOrdered(bound, limits, stop);
  const QueueEntry* const front = kernel_->LiveFront(bound);
  if (front == nullptr) {
    *stop = Stop::kTimeReached;
    return false;
  }
  const VirtualTime next(static_cast<std::int64_t>(front->time));
  KSIM_CHECK(next >= now_);
  if (!MayStep(next, limits, stop)) return false;
  BeginStep(next);
  const std::uint32_t slot = front->slot;
  const bool work = IsWork(*front);
  kernel_->queue.PopFront();
  kernel_->Run(slot, work);
  kernel_->RunDeferred();
  return true;
}

// The same where the order is a decision: the clock does not go back for an event that was passed
// over.
bool Simulation::RunOrdered(VirtualTime bound, const Limits& limits, Stop* stop) {
  if (!kernel_->ordering->Due(bound)) {
    *stop = Stop::kTimeReached;
    return false;
  }
  // Nothing is asked for a step that may not run.
  if (!MayStep(std::max(now_, kernel_->ordering->earliest()), limits, stop)) return false;
  const QueueEntry e = kernel_->ordering->Take(bound, steps_);
  BeginStep(std::max(now_, VirtualTime(static_cast<std::int64_t>(e.time))));
  kernel_->Run(e.slot, IsWork(e));
  kernel_->RunDeferred();
  return true;
}

bool Simulation::MayStep(VirtualTime next, const Limits& limits, Stop* stop) const {
  const std::uint64_t at_instant = next == last_step_ ? instant_steps_ : 0;
  if (steps_ < limits.events && at_instant < limits.instant) return true;
  *stop = steps_ >= limits.events ? Stop::kEventLimit : Stop::kInstantLimit;
  return false;
}

void Simulation::BeginStep(VirtualTime at) {
  instant_steps_ = at == last_step_ ? instant_steps_ + 1 : 1;
  now_ = last_step_ = at;
  ++steps_;
}

Simulation::Stop Simulation::RunUntil(VirtualTime t, const Limits& limits) {
  const RunScope scope(*this);
  stop_requested_ = false;
  kernel_->RunDeferred();
  Stop stop = Stop::kStopped;
  const VirtualTime bound = std::min(t, limits.time);
  while (!stop_requested_ && RunNext(bound, limits, &stop)) {
  }
  if (stop_requested_) return Stop::kStopped;
  if (stop != Stop::kTimeReached) return stop;
  now_ = std::max(now_, bound);
  return t <= limits.time ? Stop::kTimeReached : Stop::kTimeLimit;
}

void Simulation::RunUntil(VirtualTime t) { RunUntil(t, Limits()); }

Simulation::Stop Simulation::RunUntilQuiet(Duration quiet_for, const Limits& limits) {
  const RunScope scope(*this);
  stop_requested_ = false;
  kernel_->RunDeferred();
  for (;;) {
    if (stop_requested_) return Stop::kStopped;
    VirtualTime bound = limits.time;
    bool quiet_first = false;  // nothing is to be done, and the quiet ends before the limit
    if (pending_work_ == 0) {
      const VirtualTime quiet = std::max(now_, AddWithin(last_work_, quiet_for));
      quiet_first = quiet <= limits.time;
      bound = std::min(quiet, limits.time);
    }
    Stop stop{};
    if (RunNext(bound, limits, &stop)) continue;
    if (stop != Stop::kTimeReached) return stop;
    if (bound != VirtualTime::Max()) now_ = std::max(now_, bound);
    return quiet_first ? Stop::kQuiescent : Stop::kTimeLimit;
  }
}

void Simulation::RequestStop() { stop_requested_ = true; }

void Simulation::ReleaseWork() {
  KSIM_CHECK(pending_work_ > 0);
  --pending_work_;
  last_work_ = now_;
}

VirtualTime Simulation::NextDue() {
  const QueueEntry* const next = kernel_->LiveFront(VirtualTime::Max());
  return next == nullptr ? VirtualTime::Max() : VirtualTime(static_cast<std::int64_t>(next->time));
}

std::vector<std::string> Simulation::DescribePendingWork(std::size_t max) const {
  return kernel_->DescribeWork(max);
}

std::uint64_t Simulation::Emit(const EventInfo& info, PayloadRef payload) {
  return EmitAs(context_.actor, context_.cause, info, std::move(payload));
}

std::uint64_t Simulation::EmitAs(ActorId actor, std::uint64_t cause, const EventInfo& info,
                                 PayloadRef payload) {
  if (!bus_.IsRead(info.kind)) return ++bus_.last_seq_;
  Event e;
  e.seq = bus_.last_seq_ + 1;
  e.time = now_;
  e.actor = actor;
  e.kind = info.kind;
  e.background = context_.background;
  e.cause = cause;
  e.object = info.object;
  e.revision = info.revision;
  e.payload = std::move(payload);
  bus_.Publish(e);
  return e.seq;
}

Simulation::SlotRef Simulation::ClaimSlot(std::coroutine_handle<> frame) {
  const std::uint32_t index = kernel_->current_slot;
  KSIM_CHECK(index != Kernel::kNone) << "awaited outside a spawned task";
  Kernel::Slot& slot = kernel_->slots[index];
  slot.frame = frame.address();
  slot.true_time = false;
  return {index, slot.generation};
}

void Simulation::Wake(SlotRef ref, Duration delay, TimerKind kind, const char* label) {
  const Kernel::Slot& slot = kernel_->slots[ref.slot];
  KSIM_CHECK(slot.generation == ref.generation);
  if (clocks_turned_) [[unlikely]]
    delay = kernel_->roots[slot.owner].process->TimeOf(delay);
  kernel_->Enqueue(ref.slot, Later(delay), Effective(kind), label);
}

void Simulation::WakeInTrueTime(SlotRef ref, Duration delay, TimerKind kind, const char* label) {
  Kernel::Slot& slot = kernel_->slots[ref.slot];
  KSIM_CHECK(slot.generation == ref.generation);
  slot.true_time = true;
  kernel_->Enqueue(ref.slot, Later(delay), Effective(kind), label);
}

VirtualTime Simulation::SteadyNowTurned() const {
  return context_.process == nullptr ? now_ : context_.process->SteadyNow();
}

}  // namespace ksim::sim
