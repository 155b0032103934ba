#include "ksim/store/watcher_index.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "ksim/base/check.h"

namespace ksim::store {

std::size_t WatcherIndex::StartsAbove(std::string_view key) const {
  const auto it = std::upper_bound(intervals_.begin(), intervals_.end(), key,
                                   [](std::string_view k, const auto& i) { return k < i->start; });
  return static_cast<std::size_t>(it - intervals_.begin());
}

std::size_t WatcherIndex::Position(const Watcher& watcher) const {
  const auto it = std::lower_bound(intervals_.begin(), intervals_.end(), watcher,
                                   [](const auto& i, const Watcher& w) {
                                     return std::tie(i->start, i->end) < std::tie(w.key, w.end);
                                   });
  return static_cast<std::size_t>(it - intervals_.begin());
}

bool WatcherIndex::IsAt(std::size_t position, const Watcher& watcher) const {
  return position < intervals_.size() && intervals_[position]->start == watcher.key &&
         intervals_[position]->end == watcher.end;
}

// One that stays as it was passes on what it passed on before. A text that is gone is not read.
void WatcherIndex::UpdateReach(std::size_t from) {
  Reach reach;
  if (from > 0) reach = intervals_[from - 1]->reach;
  for (std::size_t i = from; i < intervals_.size(); ++i) {
    Interval& interval = *intervals_[i];
    reach.unbounded = reach.unbounded || KeyRange(interval.start, interval.end).unbounded();
    reach.end = std::max<std::string_view>(reach.end, interval.end);
    if (interval.reach.SameAs(reach)) return;
    interval.reach = reach;
  }
}

void WatcherIndex::Add(Watcher* watcher) {
  ++size_;
  if (watcher->range().single()) {
    by_key_[watcher->key.str()].Append(watcher);
    return;
  }
  const std::size_t position = Position(*watcher);
  if (!IsAt(position, *watcher)) {
    auto interval = std::make_unique<Interval>();
    interval->start = watcher->key;
    interval->end = watcher->end;
    intervals_.insert(intervals_.begin() + static_cast<std::ptrdiff_t>(position),
                      std::move(interval));
    UpdateReach(position);
  }
  intervals_[position]->watchers.Append(watcher);
}

void WatcherIndex::Remove(Watcher* watcher) {
  --size_;
  if (watcher->range().single()) {
    const auto it = by_key_.find(AbslView(watcher->key));
    KSIM_CHECK(it != by_key_.end());
    it->second.Remove(watcher);
    if (it->second.empty()) by_key_.erase(it);
    return;
  }
  const std::size_t position = Position(*watcher);
  KSIM_CHECK(IsAt(position, *watcher));
  WatcherList& watchers = intervals_[position]->watchers;
  watchers.Remove(watcher);
  if (!watchers.empty()) return;
  intervals_.erase(intervals_.begin() + static_cast<std::ptrdiff_t>(position));
  UpdateReach(position);
}

}  // namespace ksim::store
