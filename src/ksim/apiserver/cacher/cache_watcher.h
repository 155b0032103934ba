// CacheWatcher: one watch served from a watch cache: what it selects, from which revision on, when
// it is due for a bookmark, and what it has yet to send to a client that does not read.
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
#include "ksim/apiserver/core/selection.h"
#include "ksim/apiserver/core/served_watch.h"

namespace ksim::apiserver {

class CacheWatcher {
 public:
  static constexpr Duration kBookmarkPeriod = Seconds(60);
  static constexpr Duration kBookmarkLead = Seconds(2);  // before the deadline

  // The stream outlives it: who closes a stream keeps it until the cache has forgotten the watch.
  // `queue`: how much each of its two queues holds (WatchCacheHistory::ChannelSize).
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

  // Sends what comes before live events.
  void Begin(WatchInterval initial);
  // A live change: sends it if it concerns this watcher, or keeps it while the client does not
  // read. False: there is no room for it.
  bool Offer(ConvertedEvent& change) {
    if (backlog_ != nullptr) return backlog_->Add(change.event());
    const CacheEvent& event = change.event();
    if (event.revision <= threshold_) return true;
    const ConvertedEvent::Body& body = change.For(predicate_);
    if (body != nullptr && !stream_.Send(body, event.object_hash, event.origin.cause))
      FallBehind(WatchInterval());
    return true;
  }
  // The client reads again: sends what has waited. One that was stopped ends when that is sent.
  void Resume();
  // Ends the stream, after what the client may still read (WATCH-28, WATCH-29).
  void Stop(std::string_view reason);
  bool behind() const { return backlog_ != nullptr; }

  // --- bookmarks ---
  bool bookmarks() const { return bookmarks_; }
  void NoMoreBookmarks() { bookmarks_ = false; }
  // A watch-list waits for a bookmark at or after `revision`: it is offered one at every tick.
  void AwaitBookmark(std::int64_t revision);
  // True if the watcher takes it in (it may still find nothing new in it).
  bool OfferBookmark(const ConvertedEvent::Body& bookmark);
  // When the next one is due; Min (0) = at the next tick; nullopt = never again.
  std::optional<VirtualTime> NextBookmark(VirtualTime now) const;

 private:
  void FallBehind(WatchInterval initial);
  std::optional<Outgoing> Convert(const CacheEvent& event, bool initial) const;

  ServedWatch& stream_;
  std::unique_ptr<Backlog> backlog_;  // null: nothing waits
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
