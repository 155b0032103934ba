// RevisionLog: every change since the last compaction, in the order of (revision, sub). All
// watchers share it: each keeps a revision as its cursor, none a copy.
//
// Invariant: entries ascend by revision, and hold all changes that compaction keeps for watchers:
// those above the compaction revision, and at it those that survived.
#pragma once
#include <cstdint>
#include <deque>
#include <utility>

#include "ksim/store/key_value.h"

namespace ksim::store {

struct LoggedChange {
  KeyValue kv;              // a tombstone for a delete
  KeyValue prev;            // the key's version at the revision before; none at a create
  std::uint64_t event = 0;  // seq of the bus event that told of it; 0 = nobody listened
  Revision revision() const { return kv.mod_revision(); }
};

class RevisionLog {
 public:
  using Entries = std::deque<LoggedChange>;
  LoggedChange& Add(KeyValue kv, KeyValue prev) {
    return entries_.emplace_back(LoggedChange{std::move(kv), std::move(prev), 0});
  }
  std::size_t size() const { return entries_.size(); }
  const LoggedChange& operator[](std::size_t i) const { return entries_[i]; }
  LoggedChange& operator[](std::size_t i) { return entries_[i]; }
  // Position of the first change at or above `revision`.
  std::size_t LowerBound(Revision revision) const;
  // Drops every change below `revision`, and those at it for which keep(kv) is false.
  // The others forget their `prev`, which was at a revision now gone.
  template <class Keep>
  void Compact(Revision revision, Keep keep) {
    Entries kept;
    while (!entries_.empty() && entries_.front().revision() <= revision) {
      LoggedChange change = std::move(entries_.front());
      entries_.pop_front();
      if (change.revision() < revision || !keep(change.kv)) continue;
      change.prev = KeyValue();
      kept.push_back(std::move(change));
    }
    while (!kept.empty()) {
      entries_.push_front(std::move(kept.back()));
      kept.pop_back();
    }
  }

 private:
  Entries entries_;
};

}  // namespace ksim::store
