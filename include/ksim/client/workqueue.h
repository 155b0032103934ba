// WorkQueue: keys to reconcile. Dedups while waiting, never hands one key to two workers, re-queues
// what was added while it was processed; delayed and rate-limited adds.
//
// Source: client-go util/workqueue/{queue,delaying_queue,rate_limiting_queue}.go. CLIENT-82..95.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "ksim/base/time.h"
#include "ksim/client/request_queue.h"
#include "ksim/sim/mailbox.h"
#include "ksim/sim/process.h"
#include "ksim/sim/task.h"

namespace ksim::client {

// How long a failing key waits. Source: client-go util/workqueue/default_rate_limiters.go.
class RateLimiter {
 public:
  virtual ~RateLimiter() = default;
  virtual Duration When(const std::string& key) = 0;  // counts the failure
  virtual void Forget(const std::string& key) = 0;
  virtual int NumRequeues(const std::string& key) const = 0;
};
// max(5 ms * 2^n up to 1000 s per key, 10/s with burst 100 for all). `clock` gives the time.
std::unique_ptr<RateLimiter> DefaultControllerRateLimiter(sim::Process& clock);

class WorkQueue final : public RequestQueue {
 public:
  WorkQueue(sim::Process& process, std::unique_ptr<RateLimiter> limiter);
  ~WorkQueue() override;

  // A key that is added is work, also when the adder's step is of the background.
  void Add(const std::string& key);  // ignored while it waits, or after ShutDown
  // Ready after `delay` (at once if that is not positive); of two waits for one key the earlier
  // counts. A plain Add meanwhile does not take the wait away (CLIENT-87, 88).
  void AddAfter(const std::string& key, Duration delay);
  // The same, but nobody waits for it: a run may be quiet, and over, before. For times that most
  // keys are done with long before, or that come again for ever. Where AddAfter waits for the same
  // key, the earlier time counts, and is work.
  void AddAfterInBackground(const std::string& key, Duration delay);
  void AddRateLimited(const std::string& key);   // AddAfter(limiter.When(key))
  void Forget(const std::string& key) override;  // only the limiter's count
  int NumRequeues(const std::string& key) const;
  // The oldest key; nullopt when shut down and empty. The taker's Context gets the cause of the
  // first Add since the key was last handed out.
  sim::Task<std::optional<std::string>> Get();
  void Done(const std::string& key) override;  // after every Get, last
  // Waiting delays are lost; what is queued is still handed out.
  void ShutDown() override;
  // ShutDown, then waits until no key is being processed; a later ShutDown ends the wait.
  sim::Task<void> ShutDownWithDrain();
  std::size_t size() const;                // waiting, without those processed or delayed
  bool idle() const;                       // nothing waiting, delayed or processed
  bool Has(const std::string& key) const;  // waiting, delayed or processed

  // As a RequestQueue it knows no priorities.
  void Add(const std::string& key, int) override { Add(key); }
  void AddAfter(const std::string& key, int, Duration delay) override { AddAfter(key, delay); }
  void AddRateLimited(const std::string& key, int) override { AddRateLimited(key); }
  sim::Task<std::optional<QueuedRequest>> Take() override;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace ksim::client
