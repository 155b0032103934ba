// PriorityQueue: keys to reconcile, the most urgent first, of equals the one that came first. One
// entry a key: adding it again takes the higher priority and the earlier time.
//
// Unlike a WorkQueue:
// 1. A key that waits and is added is ready at once, and reconciled once.
// 2. A higher priority puts a key behind those that have it already; a lower one changes nothing.
// 3. What was delayed stands behind all that was ready before it.
// 4. ShutDown drops what is queued.
//
// Source: controller-runtime pkg/controller/priorityqueue/priorityqueue.go. CLIENT-135.
#pragma once
#include <memory>
#include <string>

#include "ksim/client/request_queue.h"
#include "ksim/client/workqueue.h"
#include "ksim/sim/process.h"

namespace ksim::client {

// 5 ms * 2^n up to 1000 s a key, and nothing for all together.
std::unique_ptr<RateLimiter> PriorityQueueRateLimiter();

class PriorityQueue final : public RequestQueue {
 public:
  // The priority of keys that can wait: objects of the initial list, resyncs.
  static constexpr int kLowPriority = -100;

  explicit PriorityQueue(sim::Process& process,
                         std::unique_ptr<RateLimiter> limiter = PriorityQueueRateLimiter());
  ~PriorityQueue() override;

  void Add(const std::string& key, int priority) override;
  void AddAfter(const std::string& key, int priority, Duration delay) override;
  void AddRateLimited(const std::string& key, int priority) override;
  void Forget(const std::string& key) override;
  sim::Task<std::optional<QueuedRequest>> Take() override;
  void Done(const std::string& key) override;
  void ShutDown() override;

  std::size_t size() const;  // ready and delayed, without those being processed

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace ksim::client
