#include "ksim/apiserver/cacher/watch_interval.h"

#include <algorithm>
#include <utility>

#include "ksim/sim/probe.h"

namespace ksim::apiserver {

WatchInterval WatchInterval::OfState(const api::ResourceInfo& resource,
                                     std::vector<api::Object> objects,
                                     std::optional<std::int64_t> end, const sim::Origin& origin) {
  WatchInterval interval;
  interval.batch_.reserve(objects.size() + 1);
  for (api::Object& object : objects) {
    CacheEvent& event = interval.batch_.emplace_back();
    event.type = api::WatchEventType::kAdded;
    event.revision = object.resource_version();
    event.object_hash = api::ObjectHash(resource.known_as(), object.ns(), object.name());
    event.origin = origin;
    event.object = std::move(object);
  }
  if (!end) return interval;
  CacheEvent& bookmark = interval.batch_.emplace_back();
  bookmark.type = api::WatchEventType::kBookmark;
  bookmark.revision = *end;
  return interval;
}

WatchInterval WatchInterval::OfHistory(const WatchCacheHistory& history, std::uint64_t first) {
  WatchInterval interval;
  interval.history_ = &history;
  interval.next_ = first;
  interval.end_ = history.end();
  return interval;
}

std::optional<CacheEvent> WatchInterval::Next() {
  if (taken_ == batch_.size() && !FillBatch()) return std::nullopt;
  return std::move(batch_[taken_++]);
}

bool WatchInterval::FillBatch() {
  if (next_ == end_ || overwritten_) return false;
  if (next_ < history_->start()) {
    KSIM_PROBE("apiserver/history-overwritten-under-a-reader");
    overwritten_ = true;
    return false;
  }
  batch_.clear();
  taken_ = 0;
  const std::uint64_t up_to = std::min(end_, next_ + kBatch);
  while (next_ < up_to) batch_.push_back(history_->at(next_++ - history_->start()));
  return true;
}

}  // namespace ksim::apiserver
