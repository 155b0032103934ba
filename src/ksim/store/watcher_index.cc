#include "ksim/store/watcher_index.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "ksim/base/check.h"

namespace ksim::store {

std::size_t WatcherIndex::StartsAbove(std::string_view key) const {
  const auto it =
      std::upper_bound(intervals_.begin(), intervals_.end(), key,
                       [](std::string_view k, const Interval& i) { return k < i.start; });
  return static_cast<std::size_t>(it - intervals_.begin());
}

std::size_t WatcherIndex::Position(const Watcher& watcher) const {
  const auto it = std::lower_bound(intervals_.begin(), intervals_.end(), watcher,
                                   [](const Interval& i, const Watcher& w) {
                                     return std::tie(i.start, i.end) < std::tie(w.key, w.end);
                                   });
  return static_cast<std::size_t>(it - intervals_.begin());
}

bool WatcherIndex::IsAt(std::size_t position, const Watcher& watcher) const {
  return position < intervals_.size() && intervals_[position].start == watcher.key &&
         intervals_[position].end == watcher.end;
}

void WatcherIndex::UpdateReach() {
  Reach reach;
  for (Interval& interval : intervals_) {
    const KeyRange range(interval.start, interval.end);
    reach.unbounded = reach.unbounded || range.unbounded();
    reach.end = std::max<std::string_view>(reach.end, interval.end);
    interval.reach = reach;
  }
}

void WatcherIndex::Add(Watcher* watcher) {
  ++size_;
  if (watcher->range().single()) {
    by_key_[watcher->key].Append(watcher);
    return;
  }
  const std::size_t position = Position(*watcher);
  if (!IsAt(position, *watcher)) {
    Interval interval;
    interval.start = watcher->key;
    interval.end = watcher->end;
    intervals_.insert(intervals_.begin() + static_cast<std::ptrdiff_t>(position),
                      std::move(interval));
    UpdateReach();
  }
  intervals_[position].watchers.Append(watcher);
}

void WatcherIndex::Remove(Watcher* watcher) {
  --size_;
  if (watcher->range().single()) {
    const auto it = by_key_.find(watcher->key);
    KSIM_CHECK(it != by_key_.end());
    it->second.Remove(watcher);
    if (it->second.empty()) by_key_.erase(it);
    return;
  }
  const std::size_t position = Position(*watcher);
  KSIM_CHECK(IsAt(position, *watcher));
  WatcherList& watchers = intervals_[position].watchers;
  watchers.Remove(watcher);
  if (!watchers.empty()) return;
  intervals_.erase(intervals_.begin() + static_cast<std::ptrdiff_t>(position));
  UpdateReach();
}

}  // namespace ksim::store
