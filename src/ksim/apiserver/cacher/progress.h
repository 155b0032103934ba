// ProgressRequester: while a request waits for the watch cache to become fresher, asks etcd every
// 100 ms for a progress notification, so that the cache of a resource without writes reaches the
// store's revision (API-44).
//
// Source: apiserver pkg/storage/cacher/progress/watch_progress.go.
#pragma once
#include <functional>

#include "ksim/sim/mailbox.h"
#include "ksim/sim/simulation.h"

namespace ksim::apiserver {

class ProgressRequester {
 public:
  static constexpr Duration kPeriod = Milliseconds(100);

  ProgressRequester(sim::Simulation& sim, std::function<void()> request)
      : sim_(sim), request_(std::move(request)), waiters_changed_(sim) {}

  // Counts one waiting request for as long as it lives.
  class Waiter {
   public:
    explicit Waiter(ProgressRequester* requester) : requester_(requester) {
      if (requester_ != nullptr && ++requester_->waiting_ == 1)
        requester_->waiters_changed_.Notify();
    }
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    ~Waiter() {
      if (requester_ != nullptr) --requester_->waiting_;
    }

   private:
    ProgressRequester* requester_;  // null: no progress is asked for
  };

  // The loop; ends with its process.
  sim::Task<void> Run();

 private:
  sim::Simulation& sim_;
  std::function<void()> request_;
  sim::Signal waiters_changed_;
  int waiting_ = 0;
};

}  // namespace ksim::apiserver
