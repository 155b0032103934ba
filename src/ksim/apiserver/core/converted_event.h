// ConvertedEvent: one event of the watch cache as watchers are told of it. It may look like an
// ADDED to one, a MODIFIED to another and a DELETED to a third (WATCH-13); each of these is made
// once.
//
// Source: apiserver pkg/storage/cacher/cache_watcher.go convertToWatchEvent, cacher.go
// setCachingObjects.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "ksim/api/variants.h"
#include "ksim/apiserver/core/bus_payloads.h"
#include "ksim/apiserver/core/cache_event.h"
#include "ksim/apiserver/core/selection.h"

namespace ksim::apiserver {

// How the event looks to someone who sees only what a predicate selects: coming in is ADDED, going
// out is DELETED; nullopt if it is out before and after.
std::optional<api::WatchEventType> Filter(const CacheEvent& event, const Predicate& predicate);

class ConvertedEvent {
 public:
  using Body = std::shared_ptr<const EventBody>;
  // `event` outlives the change.
  ConvertedEvent(const CacheEvent& event, const api::ResourceInfo& resource,
                 api::Variants::DeleteRV delete_rv)
      : event_(event), resource_(resource), delete_rv_(delete_rv) {}
  ConvertedEvent(const ConvertedEvent&) = delete;
  ConvertedEvent& operator=(const ConvertedEvent&) = delete;

  const CacheEvent& event() const { return event_; }
  // What somebody with this predicate is told; null: nothing. Good for as long as the change is.
  const Body& For(const Predicate& predicate) {
    if (!predicate.everything()) return Convert(predicate);
    if (everybody_ == nullptr) everybody_ = &Convert(predicate);
    return *everybody_;
  }

 private:
  const Body& Convert(const Predicate& predicate);
  // Who no longer sees an object is told its last content that matched, at the revision of the
  // change.
  api::Object Left() const;

  const CacheEvent& event_;
  const api::ResourceInfo& resource_;
  api::Variants::DeleteRV delete_rv_;
  Body nothing_, added_, modified_, deleted_;
  const Body* everybody_ = nullptr;  // what those are told who see all there is
};

}  // namespace ksim::apiserver
