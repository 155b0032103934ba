// Storage watch: a watch served from etcd itself, for resources without a watch cache (Events).
//
// Source: apiserver pkg/storage/etcd3/watcher.go.
#pragma once
#include <memory>

#include "ksim/api/variants.h"
#include "ksim/apiserver/core/served_watch.h"
#include "ksim/apiserver/core/watch_query.h"
#include "ksim/apiserver/etcd3/storage.h"
#include "ksim/sim/simulation.h"

namespace ksim::apiserver {

// The error of a watch event of etcd that lacks the previous value, because that has been compacted
// meanwhile (pkg/storage/etcd3/event.go parseEvent, kubernetes#76675); else ok.
api::Status CheckEvent(const store::WatchEvent& event);

// Whether the variant storage.lostPrevious: drop, as before that change, passes over the event.
bool DropsEvent(const store::WatchEvent& event, const api::Variants& variants);

// Accepts the watch, sends the state if the query wants it, then every change until etcd's watch
// ends: then it closes the client's watch. Cancel the task when that is closed for another reason.
sim::Task<void> WatchFromStorage(sim::Simulation& sim, Storage& storage, WatchQuery query,
                                 std::shared_ptr<ServedWatch> stream, api::Variants variants);

}  // namespace ksim::apiserver
