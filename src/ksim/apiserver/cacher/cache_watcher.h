// CacheWatcher: one watch served from a watch cache: what it selects, from which revision on, and
// when it is due for a bookmark.
//
// Source: apiserver pkg/storage/cacher/cache_watcher.go.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "ksim/api/variants.h"
#include "ksim/apiserver/cacher/history.h"
#include "ksim/apiserver/registry/selection.h"
#include "ksim/apiserver/watch_stream.h"

namespace ksim::apiserver {

// How a change looks to someone who sees only what a predicate selects: coming in is ADDED, going
// out is DELETED with the last content that matched, at the revision of the change (WATCH-13).
struct FilteredEvent {
  FilteredEvent(api::WatchEventType t, api::Object o) : type(t), object(std::move(o)) {}
  api::WatchEventType type;
  api::Object object;
};
// `delete_at_object_rv`: event.deleteRV: objectRV (api/variants.h).
std::optional<FilteredEvent> Filter(const CacheEvent& event, const Predicate& predicate,
                                    bool delete_at_object_rv = false);

class CacheWatcher {
 public:
  static constexpr Duration kBookmarkPeriod = Seconds(60);
  static constexpr Duration kBookmarkLead = Seconds(2);  // before the deadline

  CacheWatcher(std::shared_ptr<WatchStream> stream, Predicate predicate, bool bookmarks,
               VirtualTime deadline, const api::Variants& variants)
      : stream_(std::move(stream)),
        predicate_(std::move(predicate)),
        bookmarks_(bookmarks),
        deadline_(deadline),
        delete_at_object_rv_(variants.event_delete_rv == api::Variants::DeleteRV::kObjectRV) {}

  WatchStream& stream() { return *stream_; }
  std::uint64_t id() const { return stream_->id(); }
  const Predicate& predicate() const { return predicate_; }
  bool bookmarks() const { return bookmarks_; }

  // Events up to here are not sent any more (WATCH-11, WATCH-20).
  std::int64_t threshold() const { return threshold_; }
  void RaiseThreshold(std::int64_t revision);

  // A change, live or from history. Sends it if it concerns this watcher.
  void Offer(const CacheEvent& event);
  // An object as it is when the watch begins.
  void SendInitial(const api::Object& object);
  void SendInitialEnd(std::int64_t revision);

  // --- bookmarks ---
  // A watch-list waits for a bookmark at or after `revision`: it is offered one at every tick.
  void AwaitBookmark(std::int64_t revision);
  // True if the watcher takes it in (it may still find nothing new in it).
  bool OfferBookmark(std::int64_t revision);
  // When the next one is due; Min (0) = at the next tick; nullopt = never again.
  std::optional<VirtualTime> NextBookmark(VirtualTime now) const;

 private:
  std::shared_ptr<WatchStream> stream_;
  Predicate predicate_;
  bool bookmarks_;
  VirtualTime deadline_;
  bool delete_at_object_rv_;
  std::int64_t threshold_ = 0;
  bool awaits_bookmark_ = false;
  std::int64_t bookmark_after_ = 0;
};

}  // namespace ksim::apiserver
