#include "ksim/apiserver/cacher/cache_faults.h"

namespace ksim::apiserver {

void CacheFaults::Thaw() {
  if (freezes_ > 0) --freezes_;
  changed_.Notify();
}

void CacheFaults::ThawAll() {
  freezes_ = 0;
  changed_.Notify();
}

void CacheFaults::ReleaseStorageWatch() {
  if (holds_ > 0) --holds_;
  changed_.Notify();
}

void CacheFaults::SetLag(Duration lag) {
  lag_ = lag;
  changed_.Notify();
}

void CacheFaults::Reinit() {
  reinit_pending_ = true;
  target_.MarkUnready();
  changed_.Notify();
  target_.CancelStorageWatch();
}

sim::Task<void> CacheFaults::WaitUntilLetThrough(VirtualTime arrived) {
  while (!reinit_pending_ && HoldsBack(arrived)) {
    if (holds_ > 0) {
      co_await changed_.Wait();
    } else {
      const Duration left = arrived + lag_ - sim_.now();
      co_await changed_.WaitFor(process_.TimerOf(left), sim::TimerKind::kWork);
    }
  }
}

sim::Task<void> CacheFaults::WaitUntilThawed() {
  while (!reinit_pending_ && frozen()) co_await changed_.Wait();
}

}  // namespace ksim::apiserver
