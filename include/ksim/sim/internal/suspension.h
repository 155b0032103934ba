// The leaf of every wait: a suspended frame's slot, and Sleep and Spend made of it. Part of
// simulation.h, which includes it.
#pragma once
#include "ksim/sim/simulation.h"

namespace ksim::sim {

namespace internal {

// A suspended leaf: its task's slot, claimed on suspension. When the task runs again, or is
// destroyed, the kernel ends the wait: what else would have woken it is dead from then on.
class Suspension {
 public:
  explicit Suspension(Simulation& sim) : sim_(&sim) {}
  Suspension(const Suspension&) = delete;
  Suspension& operator=(const Suspension&) = delete;
  void Claim(std::coroutine_handle<> frame) { ref_ = sim_->ClaimSlot(frame); }
  // Two wake-ups may be asked for (a timer and a sender): the first to come up wins.
  void WakeAfter(Duration d, TimerKind kind, const char* label) {
    sim_->Wake(ref_, d, kind, label);
  }
  void WakeInTrueTime(Duration d, TimerKind kind, const char* label) {
    sim_->WakeInTrueTime(ref_, d, kind, label);
  }
  Simulation& sim() const { return *sim_; }

 private:
  Simulation* sim_;
  Simulation::SlotRef ref_;
};

}  // namespace internal

class Simulation::SleepAwaiter {
 public:
  SleepAwaiter(Simulation& sim, Duration d, TimerKind kind, const char* label)
      : suspension_(sim), delay_(d), kind_(kind), label_(label) {}
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> frame) {
    suspension_.Claim(frame);
    suspension_.WakeAfter(delay_, kind_, label_);
  }
  void await_resume() const noexcept {}

 private:
  internal::Suspension suspension_;
  Duration delay_;
  TimerKind kind_;
  const char* label_;
};

class Simulation::SpendAwaiter {
 public:
  SpendAwaiter(Simulation& sim, Duration d, TimerKind kind, const char* label)
      : suspension_(sim), time_(d), kind_(kind), label_(label) {}
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> frame) {
    suspension_.Claim(frame);
    suspension_.WakeInTrueTime(time_, kind_, label_);
  }
  void await_resume() const noexcept {}

 private:
  internal::Suspension suspension_;
  Duration time_;
  TimerKind kind_;
  const char* label_;
};

inline Simulation::SpendAwaiter Simulation::Spend(Duration d, TimerKind kind, const char* label) {
  return SpendAwaiter(*this, d, kind, label);
}

inline Simulation::SleepAwaiter Simulation::Sleep(Duration d, TimerKind kind, const char* label) {
  return SleepAwaiter(*this, d, kind, label);
}

}  // namespace ksim::sim
