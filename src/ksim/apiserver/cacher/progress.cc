#include "ksim/apiserver/cacher/progress.h"

namespace ksim::apiserver {

// The first of those who wait is served at once; the next request comes a period after the last.
sim::Task<void> ProgressRequester::Run() {
  while (true) {
    while (waiting_ == 0) co_await waiters_changed_.Wait();
    request_();
    co_await sim_.Sleep(kPeriod, sim::TimerKind::kPeriodic, "watch progress");
  }
}

}  // namespace ksim::apiserver
