// Ready: whether a watch cache has been filled, since when it is not, and how often it has been.
//
// Source: apiserver pkg/storage/cacher/ready.go, util.go calculateRetryAfterForUnreadyCache.
#pragma once
#include <cstdint>
#include <string>

#include "ksim/api/status.h"
#include "ksim/base/time.h"
#include "ksim/sim/mailbox.h"
#include "ksim/sim/process.h"
#include "ksim/sim/task.h"

namespace ksim::apiserver {

class Ready {
 public:
  explicit Ready(sim::Process& process)
      : process_(process), since_(process.SteadyNow()), changed_(process.simulation()) {}

  bool ready() const { return ready_; }
  std::uint64_t generation() const { return generation_; }  // rises whenever it becomes ready
  // 429 of a cache that is not ready (API-45).
  api::Status NotReady() const;

  void Set();
  void Unset(const api::Status& error);
  sim::Task<void> Wait();  // until ready
  // The same until `deadline` of Process::SteadyNow at most. True if it is ready then.
  sim::Task<bool> WaitUntil(VirtualTime deadline);

 private:
  const sim::Process& process_;
  bool ready_ = false;
  std::uint64_t generation_ = 0;
  VirtualTime since_;  // of the present state
  std::string error_;  // why the last cycle ended
  sim::Signal changed_;
};

// trunc(clamp(e^(0.06 * seconds), 1, 30)).
int RetryAfterForUnreadyCache(Duration downtime);

}  // namespace ksim::apiserver
