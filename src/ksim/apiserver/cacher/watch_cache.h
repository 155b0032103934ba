// WatchCache: the memory of one API server for one resource: its objects as of `revision`, the
// recent changes, and the revisions at which an exact list can still be answered.
//
// Upstream keeps a copy-on-write snapshot of its B-tree after every change. Here a snapshot is only
// its revision: the objects of then are those of now with the younger changes undone, and all of
// these are in the history for as long as upstream keeps the snapshot.
//
// Invariants
//  1. Objects are the fold of the storage's changes up to `revision`.
//  2. Every kept snapshot is at or after the oldest change held, once the history is full.
//
// Source: apiserver pkg/storage/cacher/watch_cache.go, store/watch_cache_storage.go.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "ksim/apiserver/cacher/watch_cache_history.h"
#include "ksim/sim/internal/fifo.h"

namespace ksim::apiserver {

class WatchCache {
 public:
  // `snapshots`: exact lists from the cache (1.36). `node_index`: pods by spec.nodeName.
  WatchCache(bool snapshots, bool node_index) : snapshots_(snapshots), node_index_(node_index) {}

  // The result of a (re)list.
  void Replace(std::vector<api::Object> objects, std::int64_t revision);
  // One change from storage. `object` as in CacheEvent. The reference is good until the next Apply.
  const CacheEvent& Apply(api::WatchEventType type, std::uint64_t object_hash, api::Object object,
                          VirtualTime now, const sim::Origin& origin);
  // Storage has no change of this resource up to this revision.
  void AdvanceTo(std::int64_t revision) { revision_ = revision; }
  void CompactSnapshots(std::int64_t revision);  // drops those below
  void ForgetHistory();                          // fault: as if everything had been evicted

  std::int64_t revision() const { return revision_; }
  std::int64_t list_revision() const { return list_revision_; }
  const WatchCacheHistory& history() const { return history_; }
  std::size_t size() const { return objects_.size(); }

  const api::Object* Find(std::string_view key) const;  // null if missing
  // Objects whose key begins with `prefix` and is not below `start` (both may be empty), by key.
  std::vector<api::Object> List(std::string_view prefix, std::string_view start) const;
  // The pods of a node whose key begins with `prefix`, by key. Only with `node_index`.
  std::vector<api::Object> ListOnNode(std::string_view node, std::string_view prefix) const;
  bool has_node_index() const { return node_index_; }
  // Whether a snapshot at or before the revision is held.
  bool CanServeExact(std::int64_t revision) const;
  // List as of the revision; nullopt if there is no such snapshot.
  std::optional<std::vector<api::Object>> ListExact(std::int64_t revision, std::string_view prefix,
                                                    std::string_view start) const;

 private:
  using Objects = absl::btree_map<std::string, api::Object, std::less<>>;
  // `before`: where the object was, or the end.
  void Store(const CacheEvent& event, Objects::iterator before);
  void AddSnapshot(std::int64_t revision);

  bool snapshots_;
  bool node_index_;
  std::int64_t revision_ = 0;
  std::int64_t list_revision_ = 0;
  Objects objects_;
  absl::btree_map<std::string, absl::btree_set<std::string>, std::less<>> by_node_;
  WatchCacheHistory history_;
  sim::Fifo<std::int64_t> snapshot_revisions_;  // rising
};

}  // namespace ksim::apiserver
