// Looks into the informers of a process from outside: how much waits in their queues, and what they
// tell in their logs. Neither changes a run.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "ksim/api/kinds.h"
#include "ksim/client/core/cache_log.h"
#include "ksim/client/informer.h"

namespace ksim::client {

// The queues of one informer. Upstream's names: the items of DeltaFIFO's queue (keys, of which each
// has its deltas; in 1.36 of RealFIFO, entries), and a processorListener's pendingNotifications
// together with the one that waits in nextCh.
struct InformerQueues {
  struct Listener {
    Listener() = default;
    std::string name;  // PROCESS/PART
    std::size_t pending = 0;
    friend bool operator==(const Listener&, const Listener&) = default;
  };
  InformerQueues() = default;
  const api::ResourceInfo* resource = nullptr;
  std::size_t deltas = 0;
  std::vector<Listener> listeners;  // in the order of their registration, without removed ones
  friend bool operator==(const InformerQueues&, const InformerQueues&) = default;
};

// In order of resource name.
std::vector<InformerQueues> QueuesOf(const InformerFactory& factory);

// Every informer that tells nobody yet tells `log` from now on, which outlives them. What the first
// pass of a reflector told before it tells now.
void LogTo(const InformerFactory& factory, CacheLog* log);

}  // namespace ksim::client
