// CacheWatcher: one watch served from a watch cache. It holds the watch's predicate, the revision
// from which it sends live events, the time of its next bookmark, and a backlog while the client
// does not read.
//
// Source: apiserver pkg/storage/cacher/cache_watcher.go.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "ksim/api/variants.h"
#include "ksim/apiserver/cacher/backlog.h"
#include "ksim/apiserver/core/converted_event.h"
#include "ksim/apiserver/core/predicate.h"
#include "ksim/apiserver/core/served_watch.h"

namespace ksim::apiserver {

class CacheWatcher {
 public:
  static constexpr Duration kBookmarkPeriod = Seconds(60);
  static constexpr Duration kBookmarkLead = Seconds(2);  // before the deadline

  // The stream outlives the watcher: OpenWatches keeps it until the cacher has forgotten the watch.
  // `queue`: the size of each of the backlog's two queues (WatchCacheHistory::ChannelSize).
  CacheWatcher(ServedWatch& stream, Predicate predicate, std::size_t queue, bool bookmarks,
               VirtualTime deadline, const api::Variants& variants)
      : stream_(stream),
        predicate_(std::move(predicate)),
        deadline_(deadline),
        queue_(static_cast<std::uint32_t>(queue)),
        delete_rv_(variants.event_delete_rv),
        bookmarks_(bookmarks) {}
  CacheWatcher(const CacheWatcher&) = delete;
  CacheWatcher& operator=(const CacheWatcher&) = delete;

  ServedWatch& stream() { return stream_; }
  std::uint64_t id() const { return stream_.id(); }
  const Predicate& predicate() const { return predicate_; }

  // Live events up to here are not sent (WATCH-11, WATCH-20).
  std::int64_t threshold() const { return threshold_; }
  void RaiseThreshold(std::int64_t revision);

  // Sends the events that come before live ones.
  void SendInitialEvents(WatchInterval initial);
  // Sends a live change if the predicate selects it, or queues it while the client does not read.
  // Returns false if the queue is full.
  bool Offer(ConvertedEvent& change) {
    if (backlog_ != nullptr) return backlog_->Add(change.event());
    const CacheEvent& event = change.event();
    if (event.revision <= threshold_) return true;
    const ConvertedEvent::Body& body = change.ConvertFor(predicate_);
    if (body != nullptr && !stream_.Send(body, event.object_hash, event.origin.cause))
      FallBehind(WatchInterval());
    return true;
  }
  // Sends the backlog once the client reads again. A stopped watcher ends when all of it is sent.
  void Resume();
  // Ends the stream, after the events that the client may still read (WATCH-28, WATCH-29).
  void Stop(std::string_view reason);
  bool is_behind() const { return backlog_ != nullptr; }

  // --- bookmarks ---
  bool bookmarks() const { return bookmarks_; }
  void NoMoreBookmarks() { bookmarks_ = false; }
  // Waits, as a watch-list, for a bookmark at or after `revision`: every tick offers one.
  void AwaitBookmark(std::int64_t revision);
  // Returns true if the watcher accepts the bookmark, whether or not it says anything new.
  bool OfferBookmark(const ConvertedEvent::Body& bookmark);
  // The time of the next bookmark; 0: the next tick; nullopt: never again.
  std::optional<VirtualTime> NextBookmark(VirtualTime now) const;

 private:
  void FallBehind(WatchInterval initial);
  std::optional<Outgoing> Convert(const CacheEvent& event, bool initial) const;

  ServedWatch& stream_;
  std::unique_ptr<Backlog> backlog_;  // null while the client reads
  std::int64_t threshold_ = 0;
  Predicate predicate_;
  VirtualTime deadline_;
  std::int64_t bookmark_after_ = 0;
  std::uint32_t queue_;
  api::Variants::DeleteRV delete_rv_;
  bool bookmarks_;
  bool awaits_bookmark_ = false;
};

}  // namespace ksim::apiserver
