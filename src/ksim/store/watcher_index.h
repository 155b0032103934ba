// WatcherIndex: finds the watchers that a key concerns. Single keys by hash; intervals in order of
// their start, those of the same interval (all API servers' watches of one resource) together.
//
// Source: mvcc/watcher_group.go, which uses an interval tree.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ksim/base/status.h"
#include "ksim/store/watcher_list.h"

namespace ksim::store {

class WatcherIndex {
 public:
  void Add(Watcher* watcher);
  void Remove(Watcher* watcher);
  bool empty() const { return size_ == 0; }

  // Calls visit(Watcher*) for every watcher whose range holds the key.
  template <class Visit>
  void VisitWatchersOf(std::string_view key, Visit visit) const {
    if (!by_key_.empty()) {
      if (const auto it = by_key_.find(AbslView(key)); it != by_key_.end())
        VisitAll(it->second, visit);
    }
    for (std::size_t i = StartsAbove(key); i > 0 && intervals_[i - 1]->reach.Holds(key); --i) {
      const Interval& interval = *intervals_[i - 1];
      if (KeyRange(interval.start, interval.end).BelowEnd(key)) VisitAll(interval.watchers, visit);
    }
  }

 private:
  // The largest end among an interval and all before it; `end` is that interval's own text.
  struct Reach {
    std::string_view end;
    bool unbounded = false;
    bool SameAs(const Reach& o) const {
      return end.data() == o.end.data() && unbounded == o.unbounded;
    }
    bool Holds(std::string_view key) const { return unbounded || key < end; }
  };
  struct Interval {
    SharedText start, end;
    WatcherList watchers;
    Reach reach;
  };

  template <class Visit>
  static void VisitAll(const WatcherList& watchers, Visit& visit) {
    for (Watcher* w = watchers.first(); w != nullptr; w = w->next) visit(w);
  }
  std::size_t StartsAbove(std::string_view key) const;  // the first interval that begins after it
  std::size_t Position(const Watcher& watcher) const;   // where its interval is or belongs
  bool IsAt(std::size_t position, const Watcher& watcher) const;
  void UpdateReach(std::size_t from);  // of the intervals from a position on

  absl::flat_hash_map<std::string, WatcherList> by_key_;
  std::vector<std::unique_ptr<Interval>> intervals_;  // by (start, end)
  std::size_t size_ = 0;
};

}  // namespace ksim::store
