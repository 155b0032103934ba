// WaitForSync: controllers begin once all their caches have synced (CTRL-C-03). The first look is
// at once, the others every 100 ms.
//
// Source: client-go tools/cache/shared_informer.go WaitForNamedCacheSync.
#pragma once
#include <algorithm>
#include <vector>

#include "ksim/client/core/backoff.h"
#include "ksim/client/informer.h"
#include "ksim/sim/simulation.h"
#include "ksim/sim/task.h"

namespace ksim::controllers {

inline sim::Task<void> WaitForSync(sim::Simulation& sim,
                                   std::vector<client::SharedInformer*> informers) {
  const auto synced = [&informers] {
    return std::all_of(informers.begin(), informers.end(),
                       [](const client::SharedInformer* i) { return i->HasSynced(); });
  };
  while (!synced())
    co_await sim.Sleep(client::kSyncedPollPeriod, sim::TimerKind::kWork, "wait for cache sync");
}

}  // namespace ksim::controllers
