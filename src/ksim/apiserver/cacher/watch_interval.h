// WatchInterval: the events that a watch sends before live ones: the present state, or the changes
// since a revision. It reads changes from the history a batch at a time, so that a slow reader may
// find the next batch overwritten (WATCH-27).
//
// Source: apiserver pkg/storage/cacher/watch_cache_interval.go.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ksim/apiserver/cacher/watch_cache_history.h"

namespace ksim::apiserver {

class WatchInterval {
 public:
  static constexpr std::size_t kBatch = 100;

  WatchInterval() = default;  // empty
  // Each object as an ADDED of that origin; then, if `end` is set, the bookmark that ends the
  // initial events, at that revision.
  static WatchInterval OfState(const api::ResourceInfo& resource, std::vector<api::Object> objects,
                               std::optional<std::int64_t> end, const sim::Origin& origin);
  // The changes of the history from position `first` on. The history outlives the interval.
  static WatchInterval OfHistory(const WatchCacheHistory& history, std::uint64_t first);

  // Returns nullopt after the last event, or if the rest has been overwritten.
  std::optional<CacheEvent> Next();
  bool overwritten() const { return overwritten_; }

 private:
  bool FillBatch();

  const WatchCacheHistory* history_ = nullptr;
  std::uint64_t next_ = 0, end_ = 0;  // positions not yet read
  bool overwritten_ = false;
  std::vector<CacheEvent> batch_;
  std::size_t taken_ = 0;  // of the batch
};

}  // namespace ksim::apiserver
