#include "ksim/apiserver/cacher/watch_cache_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/sim/probe.h"

namespace ksim::apiserver {

const CacheEvent& WatchCacheHistory::Add(CacheEvent event) {
  Adapt(event.recorded);
  if (full()) {
    ++start_;
    evicted_ = true;
  }
  if (size() == ring_.size()) SetRoom(std::clamp(2 * ring_.size(), kFirstRoom, capacity_));
  CacheEvent& slot = ring_[end_ % ring_.size()];
  slot = std::move(event);
  ++end_;
  return slot;
}

// Doubles while a full ring holds less than the fresh window; halves when its newest quarter spans
// more than that.
void WatchCacheHistory::Adapt(VirtualTime now) {
  if (!full()) return;
  if (now - at(0).recorded < kFresh) {
    const std::size_t larger = std::min(capacity() * 2, kUpperBound);
    if (larger > capacity()) Resize(larger);
    return;
  }
  if (now - at(size() - capacity() / 4).recorded > kFresh) {
    const std::size_t smaller = std::max(capacity() / 2, kLowerBound);
    if (smaller < capacity()) Resize(smaller);
  }
}

void WatchCacheHistory::Resize(std::size_t capacity) {
  if (size() > capacity) {
    evicted_ = true;
    start_ = end_ - capacity;
  }
  capacity_ = capacity;
  if (ring_.size() > capacity) SetRoom(capacity);
}

void WatchCacheHistory::SetRoom(std::size_t room) {
  std::vector<CacheEvent> ring(room);
  for (std::uint64_t i = start_; i < end_; ++i) ring[i % room] = std::move(ring_[i % ring_.size()]);
  ring_ = std::move(ring);
}

void WatchCacheHistory::Reset() {
  ring_.clear();
  start_ = end_;
  evicted_ = false;
  forgotten_ = 0;
}

void WatchCacheHistory::Forget() {
  if (size() > 0) forgotten_ = at(size() - 1).revision;
  const std::int64_t last = forgotten_;
  Reset();
  forgotten_ = last;
  evicted_ = last > 0;
}

std::size_t WatchCacheHistory::ChannelSize(bool indexed, bool by_index) const {
  constexpr std::size_t kMin = 10, kMaxIndexed = 1000, kMaxPlain = 100;
  const auto window = static_cast<std::size_t>(kFresh.whole_seconds());
  const std::size_t most = !indexed ? kMaxPlain : by_index ? kMin : kMaxIndexed;
  return std::clamp((capacity_ + window - 1) / window, kMin, most);
}

api::Result<std::size_t> WatchCacheHistory::After(std::int64_t revision, std::int64_t list_revision,
                                                  bool one_too_many) const {
  std::int64_t oldest = one_too_many ? list_revision : list_revision + 1;
  if (one_too_many && revision + 1 == list_revision) KSIM_PROBE("variant/watchcache.oldest");
  if (evicted_) oldest = size() > 0 ? at(0).revision : forgotten_ + 1;
  if (revision < oldest - 1) {
    return api::Expired(fmt::format("too old resource version: {} ({})", revision, oldest - 1));
  }
  std::size_t first = 0, count = size();
  while (count > 0) {
    const std::size_t half = count / 2;
    if (at(first + half).revision <= revision) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first;
}

}  // namespace ksim::apiserver
