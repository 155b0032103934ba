// Mvcc: the revisions. Keys with their histories, the log of changes, the revision counter, and the
// one write transaction that may be open at a time. Knows no requests.
//
// Invariants
//  1. revision() starts at 1 and rises by exactly 1 for each WriteTxn that changed something.
//  2. -1 <= compact_revision() <= revision(); -1 = never compacted.
//  3. Every read at a revision in [compact_revision(), revision()] is exact.
//
// Source: server/storage/mvcc/kvstore.go, kvstore_txn.go.
#pragma once
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "ksim/store/key_index.h"
#include "ksim/store/key_range.h"
#include "ksim/store/lessor.h"
#include "ksim/store/revision_log.h"

namespace ksim::store {

class Mvcc {
 public:
  explicit Mvcc(Lessor& lessor) : lessor_(lessor) {}

  Revision revision() const { return revision_; }
  Revision compact_revision() const { return compact_revision_; }
  const KeyIndex& index() const { return index_; }
  const RevisionLog& log() const { return log_; }
  const Lessor& lessor() const { return lessor_; }
  // The key's newest version; null if it is not there.
  const KeyValue* Get(std::string_view key) const {
    const KeyHistory* history = index_.Find(key);
    return history == nullptr ? nullptr : history->Live();
  }

  // STORE-56..59. Takes effect at once, memory included: visits only the keys that changed since
  // the last compaction.
  absl::Status Compact(Revision revision);
  // The bug of etcd#18089 and #19179, off by default: compaction at the revision of a delete
  // forgets the delete, so a watch from that revision never hears of it.
  void SetCompactionDropsDelete(bool drops) { compaction_drops_delete_ = drops; }
  void SetResourceNamer(ResourceNamer namer) { index_.SetResourceNamer(std::move(namer)); }
  // Remembers the bus event that told of a change.
  void SetEvent(std::size_t log_position, std::uint64_t event) { log_[log_position].event = event; }

 private:
  friend class WriteTxn;
  Lessor& lessor_;
  KeyIndex index_;
  RevisionLog log_;
  Revision revision_ = 1;
  Revision compact_revision_ = -1;
  bool writing_ = false;
  bool compaction_drops_delete_ = false;
};

// All changes of one revision. Its reads see its earlier changes. End() completes it; nothing
// undoes it, so the caller checks everything before it writes.
class WriteTxn {
 public:
  explicit WriteTxn(Mvcc& mvcc);
  ~WriteTxn();
  WriteTxn(const WriteTxn&) = delete;
  WriteTxn& operator=(const WriteTxn&) = delete;

  const Mvcc& mvcc() const { return mvcc_; }
  bool changed() const { return changes_ > 0; }
  // The store's revision, as seen inside: one more as soon as something was changed.
  Revision revision() const { return mvcc_.revision_ + (changed() ? 1 : 0); }

  // Writes a new version. The lease must exist. Returns the version before, if there was one.
  KeyValue Put(std::string_view key, value::Value value, LeaseId lease);
  // Deletes the live keys of the range, in ascending order, and returns their versions.
  std::vector<KeyValue> DeleteRange(const KeyRange& range);

  // Completes the revision. The changes are those of the log from first_change() on.
  void End();
  std::size_t first_change() const { return first_change_; }

 private:
  void Delete(std::string_view key);
  void Record(KeyHistory& history, KeyValue version);
  KeyValue::Fields NextFields() const;

  Mvcc& mvcc_;
  std::size_t first_change_;
  std::uint32_t changes_ = 0;
  bool open_ = true;
};

}  // namespace ksim::store
