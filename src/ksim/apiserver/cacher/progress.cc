#include "ksim/apiserver/cacher/progress.h"

namespace ksim::apiserver {

// Asks at once for the first request that waits, and then once a period while any waits.
sim::Task<void> ProgressRequester::Run() {
  while (true) {
    while (waiting_ == 0) co_await waiters_changed_.Wait();
    request_();
    co_await sim_.Sleep(kPeriod, sim::TimerKind::kPeriodic, "watch progress");
  }
}

}  // namespace ksim::apiserver
