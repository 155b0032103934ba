// WatcherIndex: finds the watchers that an event may concern without asking each of them: by
// namespace and name, and for pods by spec.nodeName. A watcher that it leaves out would not have
// matched (WATCH-44).
//
// Source: apiserver pkg/storage/cacher/cacher.go indexedWatchers, startDispatching.
#pragma once
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "ksim/apiserver/cacher/cache_watcher.h"

namespace ksim::apiserver {

class WatcherIndex {
 public:
  using Owned = std::unique_ptr<CacheWatcher>;
  void Add(Owned watcher);
  CacheWatcher* Find(std::uint64_t id) const;  // null if there is none
  Owned Remove(std::uint64_t id);              // null if there was none
  std::size_t size() const { return all_.size(); }

  // The watchers to offer the event to, in the order in which they were opened. The vector is good
  // until the next call.
  const std::vector<CacheWatcher*>& Interested(const CacheEvent& event);
  // Takes all out, in the order in which they were opened.
  std::vector<Owned> TakeAll();

 private:
  // A group is all watchers of one node, or of one namespace and name (both may be empty): by id.
  // Mostly it is one kubelet, which has room in place.
  using Group = absl::InlinedVector<CacheWatcher*, 2>;
  using Key = std::uint64_t;  // of hashes; groups that collide are asked in vain, no more
  static Key OfScope(std::uint64_t ns, std::uint64_t name) { return 31 * ns + name; }
  static Key KeyOf(const Predicate& p);
  void Collect(Key key);

  struct ById {
    using is_transparent = void;
    static std::uint64_t Of(std::uint64_t id) { return id; }
    static std::uint64_t Of(const Owned& w) { return w->id(); }
    bool operator()(const auto& a, const auto& b) const { return Of(a) < Of(b); }
  };

  absl::btree_set<Owned, ById> all_;
  absl::flat_hash_map<Key, Group> groups_;  // look-ups only
  std::vector<CacheWatcher*> found_;
};

}  // namespace ksim::apiserver
