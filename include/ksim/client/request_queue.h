// RequestQueue: what the event sources of a controller put keys into and its workers take them
// from: a WorkQueue, or since controller-runtime 0.23 a PriorityQueue.
//
// Source: controller-runtime pkg/controller/priorityqueue/priorityqueue.go (the interface).
#pragma once
#include <optional>
#include <string>

#include "ksim/base/time.h"
#include "ksim/sim/task.h"

namespace ksim::client {

// A key and how urgent it is. Queues without priorities hand out 0.
struct QueuedRequest {
  QueuedRequest() = default;
  QueuedRequest(std::string k, int p) : key(std::move(k)), priority(p) {}
  std::string key;
  int priority = 0;
};

class RequestQueue {
 public:
  virtual ~RequestQueue() = default;
  virtual void Add(const std::string& key, int priority) = 0;
  virtual void AddAfter(const std::string& key, int priority, Duration delay) = 0;
  virtual void AddRateLimited(const std::string& key, int priority) = 0;
  virtual void Forget(const std::string& key) = 0;
  // nullopt when shut down.
  virtual sim::Task<std::optional<QueuedRequest>> Take() = 0;
  virtual void Done(const std::string& key) = 0;
  virtual void ShutDown() = 0;
};

}  // namespace ksim::client
