// Watcher: one watch as the hub sees it. Owned by its stream.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ksim/store/key_range.h"
#include "ksim/store/revision_log.h"
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

  std::uint64_t order = 0;  // of creation, among all watchers of the store
  WatchId id = 0;
  WatchStream* stream = nullptr;
  std::string key, end;
  Revision start_revision = 0;
  Revision next_revision = 0;  // everything below was delivered, or is pending
  bool prev_kv = false, no_put = false, no_delete = false, fragment = false;
  bool progress_notify = false;
  bool progress_due = true;  // nothing was sent to it since the last tick of its stream
  State state = State::kSynced;
  std::vector<Change> pending;  // of a victim
};

}  // namespace ksim::store
