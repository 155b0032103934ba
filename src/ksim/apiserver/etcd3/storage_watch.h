// A watch served by etcd itself, for resources without a watch cache (events).
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

// Why an event of etcd's cannot be told on: what it changed has been compacted away meanwhile
// (pkg/storage/etcd3/event.go parseEvent, kubernetes#76675). Ok if it can.
api::Status CheckEvent(const store::WatchEvent& event);

// Accepts the stream, sends the state if the query wants it, then every change, until the storage
// watch ends: then the stream is closed. To be cancelled when the stream is closed otherwise.
sim::Task<void> WatchFromStorage(sim::Simulation& sim, Storage& storage, WatchQuery query,
                                 std::shared_ptr<ServedWatch> stream, api::Variants variants);

}  // namespace ksim::apiserver
