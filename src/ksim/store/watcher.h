// Watcher: one watch as the hub sees it. Owned by its stream.
#pragma once
#include <cstdint>
#include <string>

#include "ksim/store/key_range.h"
#include "ksim/store/watch_request.h"

namespace ksim::store {

class WatchStream;

struct Watcher {
  enum class State {
    kSynced,     // gets each commit at once
    kUnsynced,   // behind: catches up from the log, pass by pass
    kVictim,     // its stream was full: `pending` comes first
    kCompacted,  // canceled by a compaction; only its id lives on
  };
  Watcher() = default;
  KeyRange range() const { return KeyRange(key, end); }
  bool Filters(const KeyValue& kv) const { return kv.is_tombstone() ? no_delete : no_put; }

  Watcher* previous = nullptr;  // on the list of its state (watcher_list.h)
  Watcher* next = nullptr;
  std::uint64_t order = 0;  // of creation, among all watchers of the store
  WatchStream* stream = nullptr;
  WatchId id = 0;
  Revision start_revision = 0;
  Revision next_revision = 0;  // everything below it was delivered or is pending
  State state = State::kUnsynced;
  bool prev_kv = false, no_put = false, no_delete = false, fragment = false;
  bool progress_notify = false;
  bool progress_due = true;  // nothing was sent to it since the last tick of its stream
  WatchEvents pending;       // of a victim
  SharedText key, end;
};

}  // namespace ksim::store
