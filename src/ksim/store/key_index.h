// KeyIndex: every key with its history, found by hash for single keys and in byte order for ranges.
//
// Invariants
//  1. A history is never empty; its versions ascend by (mod_revision, sub).
//  2. After compaction at r a history holds at most one version with mod_revision <= r, and that
//     one is no tombstone below r.
//
// Source: mvcc/key_index.go, mvcc/index.go. Generations are not kept apart: a version knows its
// create_revision, and a tombstone ends a generation.
#pragma once
#include <memory>
#include <string_view>
#include <utility>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "ksim/base/hash.h"
#include "ksim/store/key_range.h"
#include "ksim/store/key_value.h"

namespace ksim::store {

class KeyHistory {
 public:
  explicit KeyHistory(Key key) : key_(std::move(key)) {}
  const Key& key() const { return key_; }

  // The newest version; none if it is a tombstone or there is no version yet.
  const KeyValue* Live() const {
    return versions_.empty() || versions_.back().is_tombstone() ? nullptr : &versions_.back();
  }
  // The version that a reader at `revision` sees; null if the key was not there then. STORE-17.
  const KeyValue* At(Revision revision) const;
  void Add(KeyValue version);
  // Drops what compaction at `revision` drops (STORE-58, 59), and a delete at `revision` itself too
  // if `drop_delete`; true if nothing is left.
  bool Compact(Revision revision, bool drop_delete);
  bool Holds(const KeyValue& version) const;
  std::size_t size() const { return versions_.size(); }

 private:
  using Versions = absl::InlinedVector<KeyValue, 2>;
  Versions::const_iterator After(Revision revision) const;  // the first version above `revision`

  Key key_;
  Versions versions_;
};

class KeyIndex {
 public:
  KeyIndex() = default;
  KeyIndex(const KeyIndex&) = delete;
  KeyIndex& operator=(const KeyIndex&) = delete;

  void SetResourceNamer(ResourceNamer namer) { namer_ = std::move(namer); }
  const ResourceNamer& resource_namer() const { return namer_; }

  const KeyHistory* Find(std::string_view key) const;
  KeyHistory* Find(std::string_view key);
  KeyHistory& FindOrAdd(std::string_view key);
  void Erase(std::string_view key);
  std::size_t size() const { return by_key_.size(); }  // keys with any version

  // Calls visit(const KeyHistory&) for every key in the range, ascending, until it returns false.
  template <class Visit>
  void VisitRange(const KeyRange& range, Visit visit) const {
    if (range.single()) {
      if (const KeyHistory* history = Find(range.first())) visit(*history);
      return;
    }
    if (range.inverted()) return;
    for (auto it = in_order_.lower_bound(range.first());
         it != in_order_.end() && range.BelowEnd(it->first); ++it) {
      if (!visit(*it->second)) return;
    }
  }

 private:
  // The views are of the histories' own keys.
  absl::flat_hash_map<std::string_view, std::unique_ptr<KeyHistory>, TextHash> by_key_;
  absl::btree_map<std::string_view, const KeyHistory*> in_order_;
  ResourceNamer namer_;
};

}  // namespace ksim::store
