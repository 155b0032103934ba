// CacheFaults: the faults of one watch cache, and the points at which its task that follows the
// storage watch waits for them to end. Owned by the Cacher.
#pragma once
#include "ksim/apiserver/fault_hooks.h"
#include "ksim/base/time.h"
#include "ksim/sim/mailbox.h"
#include "ksim/sim/process.h"
#include "ksim/sim/simulation.h"
#include "ksim/sim/task.h"

namespace ksim::apiserver {

class CacheFaults final : public WatchCacheFaults {
 public:
  // The parts of a cacher that faults reach.
  class Target {
   public:
    virtual ~Target() = default;
    virtual void MarkUnready() = 0;
    virtual void CancelStorageWatch() = 0;
    virtual void BreakStorageWatch() = 0;
    virtual void ForgetHistory() = 0;
  };

  CacheFaults(sim::Process& process, Target& target)
      : process_(process), sim_(process.simulation()), target_(target), changed_(sim_) {}
  CacheFaults(const CacheFaults&) = delete;
  CacheFaults& operator=(const CacheFaults&) = delete;

  // --- WatchCacheFaults ---
  void Freeze() override { ++freezes_; }
  void Thaw() override;
  void ThawAll() override;
  void HoldStorageWatch() override { ++holds_; }
  void ReleaseStorageWatch() override;
  void SetLag(Duration lag) override;
  void BreakStorageWatch() override { target_.BreakStorageWatch(); }
  void Reinit() override;
  void ExpireHistory() override { target_.ForgetHistory(); }

  // --- for the cacher ---
  // A reinit has been asked for and the cache has not begun to fill again.
  bool reinit_pending() const { return reinit_pending_; }
  void BeginFilling() { reinit_pending_ = false; }
  bool frozen() const { return freezes_ > 0; }
  // Whether a fault still holds back the response that arrived at `arrived`.
  bool HoldsBack(VirtualTime arrived) const { return holds_ > 0 || sim_.now() < arrived + lag_; }
  // Returns once no fault holds back the response that arrived at `arrived`, or a reinit is
  // pending.
  sim::Task<void> WaitUntilLetThrough(VirtualTime arrived);
  // Returns once the cache is not frozen, or a reinit is pending.
  sim::Task<void> WaitUntilThawed();

 private:
  const sim::Process& process_;
  sim::Simulation& sim_;
  Target& target_;
  int freezes_ = 0;
  int holds_ = 0;
  Duration lag_;
  bool reinit_pending_ = false;
  sim::Signal changed_;
};

}  // namespace ksim::apiserver
