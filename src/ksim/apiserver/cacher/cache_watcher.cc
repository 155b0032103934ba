#include "ksim/apiserver/cacher/cache_watcher.h"

#include <algorithm>
#include <utility>

#include "ksim/sim/probe.h"

namespace ksim::apiserver {

using api::WatchEventType;

void CacheWatcher::RaiseThreshold(std::int64_t revision) {
  threshold_ = std::max(threshold_, revision);
}

void CacheWatcher::SendInitialEvents(WatchInterval initial) {
  while (const std::optional<CacheEvent> event = initial.Next()) {
    const std::optional<Outgoing> out = Convert(*event, true);
    if (!out || stream_.Send(out->body, out->object_hash, out->cause)) continue;
    return FallBehind(std::move(initial));
  }
}

void CacheWatcher::FallBehind(WatchInterval initial) {
  backlog_ = std::make_unique<Backlog>(
      queue_, std::move(initial),
      [this](const CacheEvent& event, bool first) { return Convert(event, first); });
}

// Converts an event for this watch: every initial one, but live ones only above the threshold.
std::optional<Outgoing> CacheWatcher::Convert(const CacheEvent& event, bool initial) const {
  if (!initial && event.revision <= threshold_) return std::nullopt;
  const api::ResourceInfo& resource = predicate_.resource();
  if (event.type == WatchEventType::kBookmark)
    return Outgoing(EventBody::Bookmark(resource, event.revision, initial), 0, stream_.cause());
  const ConvertedEvent::Body body =
      ConvertedEvent(event, resource, delete_rv_).ConvertFor(predicate_);
  if (body == nullptr) return std::nullopt;
  return Outgoing(body, event.object_hash, event.origin.cause);
}

void CacheWatcher::Resume() {
  if (backlog_ == nullptr) return;
  while (const std::optional<Outgoing> next = backlog_->Take())
    if (!stream_.Send(next->body, next->object_hash, next->cause)) return;
  if (backlog_->stopped()) stream_.Close(api::StreamEnd::kEof, backlog_->stop_reason());
  backlog_.reset();
}

// Drains a watch-list whose bookmark has been queued but not yet sent: otherwise the client could
// make no progress (cache_watcher.go add).
void CacheWatcher::Stop(std::string_view reason) {
  if (backlog_ == nullptr) return stream_.Close(api::StreamEnd::kEof, reason);
  const bool graceful = bookmark_after_ > 0 && !awaits_bookmark_ && backlog_->before_initial_end();
  if (graceful) KSIM_PROBE("apiserver/slow-watch-list-drained");
  backlog_->Stop(reason, graceful);
}

void CacheWatcher::AwaitBookmark(std::int64_t revision) {
  awaits_bookmark_ = revision > 0;
  bookmark_after_ = revision;
}

bool CacheWatcher::OfferBookmark(const ConvertedEvent::Body& bookmark) {
  if (bookmark->rv() < bookmark_after_) return false;
  if (backlog_ != nullptr) {
    CacheEvent event;
    event.type = WatchEventType::kBookmark;
    event.revision = bookmark->rv();
    if (!backlog_->Add(event)) return false;
  } else if (bookmark->rv() > threshold_ && !stream_.Send(bookmark, 0, stream_.cause())) {
    FallBehind(WatchInterval());
  }
  awaits_bookmark_ = false;
  return true;
}

std::optional<VirtualTime> CacheWatcher::NextBookmark(VirtualTime now) const {
  if (awaits_bookmark_) return VirtualTime();
  const VirtualTime due = std::min(now + kBookmarkPeriod, deadline_ - kBookmarkLead);
  if (due < now) return std::nullopt;
  return due;
}

}  // namespace ksim::apiserver
