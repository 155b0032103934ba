// WaitForSync: controllers begin once all their caches have synced (CTRL-C-03). The first look is
// at once, the others every 100 ms.
//
// Source: client-go tools/cache/shared_informer.go WaitForNamedCacheSync.
#pragma once
#include <algorithm>
#include <utility>
#include <vector>

#include "ksim/client/core/backoff.h"
#include "ksim/client/informer.h"
#include "ksim/client/rest/link.h"
#include "ksim/controllers/controller.h"
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

// The same, told to who listens to the process's log: a controller's own wait.
inline sim::Task<void> WaitForNamedSync(const ControllerContext& context,
                                        std::vector<client::SharedInformer*> informers) {
  client::CacheWaits& waits = context.connection.link()->cache_waits();
  waits.Begin(context.name);
  co_await WaitForSync(context.env().sim, std::move(informers));
  waits.End(context.name);
}

}  // namespace ksim::controllers
