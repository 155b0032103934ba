// ConvertedEvent: one event of the watch cache, converted to watch events. Watches with different
// selectors may get an ADDED, a MODIFIED or a DELETED for it (WATCH-13); each of them is made once.
//
// Source: apiserver pkg/storage/cacher/cache_watcher.go convertToWatchEvent, cacher.go
// setCachingObjects.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "ksim/api/variants.h"
#include "ksim/apiserver/core/cache_event.h"
#include "ksim/apiserver/core/payloads.h"
#include "ksim/apiserver/core/predicate.h"

namespace ksim::apiserver {

// The type of the watch event that a watch with the predicate gets: ADDED if the object has come to
// match, DELETED if it no longer matches; nullopt if it matched neither before nor after.
std::optional<api::WatchEventType> TypeFor(const CacheEvent& event, const Predicate& predicate);

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
  // The watch event for a watch with this predicate; null if it gets none. The result lives as long
  // as this object.
  const Body& ConvertFor(const Predicate& predicate) {
    if (!predicate.matches_everything()) return Convert(predicate);
    if (unfiltered_ == nullptr) unfiltered_ = &Convert(predicate);
    return *unfiltered_;
  }

 private:
  const Body& Convert(const Predicate& predicate);
  // The content of a DELETED event: the object as it last matched, at the revision of the change.
  api::Object LastMatchingState() const;

  const CacheEvent& event_;
  const api::ResourceInfo& resource_;
  api::Variants::DeleteRV delete_rv_;
  Body nothing_, added_, modified_, deleted_;
  const Body* unfiltered_ = nullptr;  // the event for watches without a selector
};

}  // namespace ksim::apiserver
