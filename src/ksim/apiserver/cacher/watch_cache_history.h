// WatchCacheHistory: the recent changes of one resource, newest kept longest, in a ring that grows
// while changes come fast and shrinks when they do not.
//
// Invariants
//  1. Revisions never fall from one event to the next.
//  2. Once the ring is full it holds every change after its oldest one; before that, every change
//     since the last relist.
//
// Source: apiserver pkg/storage/cacher/watch_cache_history.go.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ksim/api/status.h"
#include "ksim/apiserver/core/cache_event.h"
#include "ksim/base/time.h"

namespace ksim::apiserver {

class WatchCacheHistory {
 public:
  static constexpr std::size_t kLowerBound = 100;
  static constexpr std::size_t kUpperBound = 100 * 1024;
  static constexpr Duration kFresh = Seconds(75);

  // Takes the event in, evicting the oldest one if the ring stays full. The reference is good until
  // the next Add.
  const CacheEvent& Add(CacheEvent event);
  void Reset();  // after a relist: empty, nothing evicted
  // Drops every event, as if each had been evicted.
  void Forget();

  std::size_t size() const { return end_ - start_; }
  std::size_t capacity() const { return capacity_; }
  bool full() const { return size() == capacity(); }
  bool evicted() const { return evicted_; }  // anything, since the last relist
  // Positions count all events that ever came, over relists too: the first one held, and the one
  // that comes next.
  std::uint64_t start() const { return start_; }
  std::uint64_t end() const { return end_; }
  // i-th oldest, i < size().
  const CacheEvent& at(std::size_t i) const { return ring_[(start_ + i) % ring_.size()]; }

  // The queues of a watcher that begins now: about a second of changes. `indexed`: the resource has
  // an index, `by_index`: the watcher is found by it.
  std::size_t ChannelSize(bool indexed, bool by_index) const;
  // The number (at) of the first event after `revision` (size() if there is none); 410 if events in
  // between are gone. `list_revision` is that of the last relist. `one_too_many`: accepts one
  // revision too many (watchcache.oldest: listRV).
  api::Result<std::size_t> After(std::int64_t revision, std::int64_t list_revision,
                                 bool one_too_many = false) const;

 private:
  static constexpr std::size_t kFirstRoom = 8;
  void Resize(std::size_t capacity);
  void SetRoom(std::size_t room);  // not less than there are
  void Adapt(VirtualTime now);

  std::size_t capacity_ = kLowerBound;
  // Most resources never see many changes: the memory doubles on the way to `capacity_`.
  std::vector<CacheEvent> ring_;
  std::uint64_t start_ = 0, end_ = 0;  // [start_, end_) modulo the ring's length
  bool evicted_ = false;
  std::int64_t forgotten_ = 0;  // revision of the last event that Forget dropped
};

}  // namespace ksim::apiserver
