// CacheEvent: one change of one object as the watch cache keeps it.
//
// Source: apiserver pkg/storage/cacher/watch_cache.go watchCacheEvent.
#pragma once
#include <cstdint>
#include <string>

#include "ksim/api/object.h"
#include "ksim/api/request.h"
#include "ksim/base/time.h"
#include "ksim/sim/simulation.h"

namespace ksim::apiserver {

struct CacheEvent {
  CacheEvent() = default;
  api::WatchEventType type = api::WatchEventType::kAdded;  // kAdded, kModified, kDeleted
  std::string key;                                         // ns/name, or name
  api::Object object;                                      // kDeleted: last content at `revision`
  api::Object previous;  // as the cache had it; empty if it did not
  std::int64_t revision = 0;
  std::uint64_t object_hash = 0;  // api::ObjectHash
  VirtualTime recorded;
  sim::Origin origin;  // the commit
};

}  // namespace ksim::apiserver
