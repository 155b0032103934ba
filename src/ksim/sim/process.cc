#include "ksim/sim/process.h"

#include <utility>

#include "ksim/base/check.h"
#include "ksim/sim/kernel.h"

namespace ksim::sim {

Process::Process(Simulation& sim, std::string_view name)
    : sim_(sim), name_(name), actor_(ActorId::Of(name)) {}

Duration Process::TimeOfTurned(Duration delay) const {
  if (delay <= Duration()) return delay;
  const VirtualTime steady = SteadyNow();
  if (delay > VirtualTime::Max() - steady) return Duration::Max();
  const VirtualTime at = clock_->WhenSteady(steady + delay);
  return at == VirtualTime::Max() ? Duration::Max() : at - sim_.now();
}

// One nanosecond more than the clock shows by then, which rounds down: the timer is not early.
Duration Process::TimerOfTurned(Duration time) const {
  if (time <= Duration()) return time;
  const VirtualTime now = sim_.now();
  if (time > VirtualTime::Max() - now) return Duration::Max();
  const Duration passed = clock_->Steady(now + time) - clock_->Steady(now);
  return passed == Duration::Max() ? passed : passed + Nanoseconds(1);
}

Simulation::SlotRef Process::After(Duration delay, TimerKind kind, const char* label,
                                   absl::AnyInvocable<void()>&& call) {
  if (sim_.closed()) return Simulation::SlotRef();
  const Simulation::SlotRef timer = sim_.After(TimeOf(delay), kind, label, std::move(call));
  sim_.kernel_->CallAt(sim_.kernel_->slots[timer.slot].owner).timer_of = this;
  return timer;
}

TurnedClock::RateId Process::BeginRate(ClockRate rate) {
  if (clock_ == nullptr) clock_ = std::make_unique<TurnedClock>();
  sim_.clocks_turned_ = true;
  const TurnedClock before = *clock_;
  const TurnedClock::RateId id = clock_->Begin(rate, sim_.now());
  sim_.kernel_->Retime(*this, before, *clock_);
  return id;
}

void Process::EndRate(TurnedClock::RateId id) {
  const TurnedClock before = *clock_;
  clock_->End(id, sim_.now());
  sim_.kernel_->Retime(*this, before, *clock_);
}

ActorId Process::PartActor(std::string_view part) {
  if (part.empty()) return actor_;
  std::string full = name_;
  full.append("/").append(part);
  return ActorId::Of(full);
}

void Process::Start() {
  if (kills_to_come_ > 0) {
    sim_.Defer([this] { StartNow(); });
    return;
  }
  StartNow();
}

void Process::StartNow() {
  KSIM_CHECK(!alive_) << "process " << name_ << " is already running";
  alive_ = true;
  ++incarnation_;
  if (!start_) return;
  const Context caller = sim_.context_;
  sim_.context_ = {this, actor_, caller.cause, false, false};
  start_();
  sim_.context_ = caller;
}

void Process::Kill() {
  if (!sim_.kernel_->in_step) {
    KillNow();
    return;
  }
  ++kills_to_come_;
  sim_.Defer([this] {
    --kills_to_come_;
    KillNow();
  });
}

void Process::KillNow() {
  if (!alive_) return;
  alive_ = false;
  while (newest_root_ != Simulation::Kernel::kNone) sim_.kernel_->DestroyRoot(newest_root_);
  if (stop_) stop_();
}

Process::TaskId Process::Spawn(Task<void> task, std::string_view part, bool background) {
  KSIM_CHECK(alive_) << "spawned in " << name_ << ", which is not running";
  KSIM_CHECK(!task.done()) << "spawned an empty task";
  Simulation::Kernel& kernel = *sim_.kernel_;
  Context context = sim_.context_;
  context.actor = PartActor(part);
  context.background = context.background || background;
  const std::uint32_t index = kernel.NewRoot(*this, std::move(task), context);
  const TimerKind kind = context.background ? TimerKind::kPeriodic : TimerKind::kWork;
  kernel.Enqueue(kernel.roots[index].slot, sim_.now(), kind, "spawn");
  return {(std::uint64_t{kernel.roots[index].generation} << 32) | (index + 1)};
}

void Process::Cancel(TaskId id) {
  Simulation::Kernel& kernel = *sim_.kernel_;
  if (kernel.in_step) {
    sim_.Defer([this, id] { Cancel(id); });
    return;
  }
  const auto index = static_cast<std::uint32_t>(id.value) - 1;
  if (index >= kernel.roots.size()) return;
  const Simulation::Kernel::Root& root = kernel.roots[index];
  if (root.process == this && root.generation == id.value >> 32) kernel.DestroyRoot(index);
}

}  // namespace ksim::sim
