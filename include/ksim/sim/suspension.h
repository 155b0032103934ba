// The leaf of every wait: a suspended frame's slot, and Sleep made of it. Part of simulation.h,
// which includes it.
#pragma once
#include <utility>

#include "ksim/sim/simulation.h"

namespace ksim::sim {

namespace internal {

// A suspended leaf: its task's slot, claimed on suspension, released on resumption or destruction.
class Suspension {
 public:
  explicit Suspension(Simulation& sim) : sim_(&sim) {}
  Suspension(const Suspension&) = delete;
  Suspension& operator=(const Suspension&) = delete;
  ~Suspension() { Release(); }
  void Claim(std::coroutine_handle<> frame) { ref_ = sim_->ClaimSlot(frame); }
  void Release() {
    if (claimed()) sim_->ReleaseSlot(std::exchange(ref_, Simulation::SlotRef()));
  }
  // Two wake-ups may be asked for (a timer and a sender); the first to come up wins, the other is
  // dead because Release bumps the generation.
  void WakeAfter(Duration d, TimerKind kind, const char* label) {
    sim_->Wake(ref_, d, kind, label);
  }
  bool claimed() const { return ref_.slot != Simulation::SlotRef().slot; }
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
  void await_resume() { suspension_.Release(); }

 private:
  internal::Suspension suspension_;
  Duration delay_;
  TimerKind kind_;
  const char* label_;
};

inline Simulation::SleepAwaiter Simulation::Sleep(Duration d, TimerKind kind, const char* label) {
  return SleepAwaiter(*this, d, kind, label);
}

}  // namespace ksim::sim
