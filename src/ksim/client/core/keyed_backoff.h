// KeyedBackoff: how long what has failed waits before it is tried again, by a key: a first time,
// doubling to a longest. Twice the longest without a failure begins anew.
//
// Source: client-go util/flowcontrol/backoff.go Backoff. Its garbage collection is left out: what
// that drops has expired.
#pragma once
#include <string>

#include "absl/container/btree_map.h"
#include "ksim/base/time.h"

namespace ksim::client {

class KeyedBackoff {
 public:
  KeyedBackoff(Duration first, Duration longest) : first_(first), longest_(longest) {}

  // Until when what ended at `finished` waits (IsInBackOffSince); `finished`: it does not.
  VirtualTime WaitsUntil(const std::string& key, VirtualTime finished) const;
  // For what is tried again counted from the last time (IsInBackOffSinceUpdate): until when it
  // waits at `now`; `now`: it does not.
  VirtualTime WaitsSinceLast(const std::string& key, VirtualTime now) const;
  // It is tried again at `now`, after it ended at `finished`.
  void Next(const std::string& key, VirtualTime finished, VirtualTime now);
  Duration Get(const std::string& key) const;  // 0: never tried again
  void Forget(const std::string& prefix);      // of all keys

 private:
  struct Entry {
    Duration backoff;
    VirtualTime updated;
  };
  bool Expired(const Entry& entry, VirtualTime finished) const;
  const Duration first_, longest_;
  absl::btree_map<std::string, Entry> entries_;
};

}  // namespace ksim::client
