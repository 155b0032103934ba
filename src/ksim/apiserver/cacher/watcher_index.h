// WatcherIndex: finds the watchers that an event may concern without asking each: by namespace and
// name, and for pods by spec.nodeName. What it leaves out would not have matched (WATCH-44).
//
// Source: apiserver pkg/storage/cacher/cacher.go indexedWatchers, startDispatching.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "ksim/apiserver/cacher/cache_watcher.h"

namespace ksim::apiserver {

class WatcherIndex {
 public:
  void Add(std::shared_ptr<CacheWatcher> watcher);
  std::shared_ptr<CacheWatcher> Find(std::uint64_t id) const;  // null if there is none
  std::shared_ptr<CacheWatcher> Remove(std::uint64_t id);      // null if there was none
  std::size_t size() const { return all_.size(); }

  // The watchers to offer the event to, in the order in which they were opened. The vector is good
  // until the next call.
  const std::vector<CacheWatcher*>& Interested(const CacheEvent& event);
  // Takes all out, in the order in which they were opened.
  std::vector<std::shared_ptr<CacheWatcher>> TakeAll();

 private:
  using Group = std::vector<CacheWatcher*>;           // by id
  using Scope = std::pair<std::string, std::string>;  // namespace, name
  static Scope ScopeOf(const Predicate& p) { return {p.ns(), p.name()}; }
  void Collect(const Scope& scope);
  void CollectNode(std::string_view node);

  absl::btree_map<std::uint64_t, std::shared_ptr<CacheWatcher>> all_;
  // Look-ups only.
  absl::flat_hash_map<Scope, Group> by_scope_;
  absl::flat_hash_map<std::string, Group> by_node_;
  std::vector<CacheWatcher*> found_;
};

}  // namespace ksim::apiserver
