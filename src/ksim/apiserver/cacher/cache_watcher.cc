#include "ksim/apiserver/cacher/cache_watcher.h"

#include <algorithm>
#include <utility>

#include "ksim/sim/probe.h"

namespace ksim::apiserver {

using api::WatchEventType;

std::optional<FilteredEvent> Filter(const CacheEvent& event, const Predicate& predicate,
                                    bool delete_at_object_rv) {
  const bool now = event.type != WatchEventType::kDeleted && predicate.Matches(event.object);
  const bool before = !event.previous.empty() && predicate.Matches(event.previous);
  if (now)
    return FilteredEvent(before ? WatchEventType::kModified : WatchEventType::kAdded, event.object);
  if (!before) return std::nullopt;
  if (delete_at_object_rv && event.type == WatchEventType::kDeleted) {
    KSIM_PROBE("variant/event.deleteRV");
    return FilteredEvent(WatchEventType::kDeleted, event.previous);
  }
  return FilteredEvent(WatchEventType::kDeleted,
                       event.previous.WithResourceVersion(event.revision));
}

void CacheWatcher::RaiseThreshold(std::int64_t revision) {
  threshold_ = std::max(threshold_, revision);
}

void CacheWatcher::Offer(const CacheEvent& event) {
  if (event.revision <= threshold_ || stream_->closed()) return;
  const std::optional<FilteredEvent> filtered = Filter(event, predicate_, delete_at_object_rv_);
  if (filtered)
    stream_->Send(filtered->type, filtered->object, event.object_hash, event.origin.cause);
}

void CacheWatcher::SendInitial(const api::Object& object) {
  const std::uint64_t hash =
      api::ObjectHash(predicate_.resource().resource, object.ns(), object.name());
  stream_->Send(WatchEventType::kAdded, object, hash, stream_->cause());
}

void CacheWatcher::SendInitialEnd(std::int64_t revision) { stream_->SendBookmark(revision, true); }

void CacheWatcher::AwaitBookmark(std::int64_t revision) {
  awaits_bookmark_ = revision > 0;
  bookmark_after_ = revision;
}

bool CacheWatcher::OfferBookmark(std::int64_t revision) {
  if (revision < bookmark_after_) return false;
  awaits_bookmark_ = false;
  if (revision > threshold_) stream_->SendBookmark(revision, false);
  return true;
}

std::optional<VirtualTime> CacheWatcher::NextBookmark(VirtualTime now) const {
  if (awaits_bookmark_) return VirtualTime();
  const VirtualTime due = std::min(now + kBookmarkPeriod, deadline_ - kBookmarkLead);
  if (due < now) return std::nullopt;
  return due;
}

}  // namespace ksim::apiserver
