// Implements the compaction of mvcc.h and key_index.h.
//
// Source: server/storage/mvcc/kvstore.go updateCompactRev, key_index.go compact.
#include "ksim/base/check.h"
#include "ksim/sim/probe.h"
#include "ksim/store/errors.h"
#include "ksim/store/mvcc.h"

namespace ksim::store {

// A version that compaction drops has a newer one of its key at or below `revision`, or is a
// tombstone below it; either was written after the last compaction, or at it and kept. So the log
// names every key that can lose something.
absl::Status Mvcc::Compact(Revision revision) {
  KSIM_CHECK(!writing_);
  if (revision <= compact_revision_) return CompactedError();
  if (revision > revision_) return FutureRevisionError();
  compact_revision_ = revision;
  const std::size_t end = log_.LowerBound(revision + 1);
  for (std::size_t i = 0; i < end; ++i) {
    const KeyValue& change = log_[i].kv;
    const bool loses_delete = compaction_drops_delete_ && change.is_tombstone();
    if (loses_delete && change.mod_revision() == revision)
      KSIM_PROBE("variant/store.compactOnDelete");
    KeyHistory* history = index_.Find(change.key());
    if (history != nullptr && history->Compact(revision, compaction_drops_delete_))
      index_.Erase(change.key());
  }
  log_.Compact(revision, [this](const KeyValue& kv) {
    const KeyHistory* history = index_.Find(kv.key());
    return history != nullptr && history->Holds(kv);
  });
  return absl::OkStatus();
}

}  // namespace ksim::store
