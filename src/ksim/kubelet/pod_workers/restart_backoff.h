// RestartBackoff: how long a container that has ended waits before it is started again: the first
// time not at all, then 10 s, doubling to 5 min, counted from its end. A run of more than 10 min
// since the last restart begins anew. It is the kubelet's memory: a restart of the kubelet forgets.
// Pulls of images back off alike, counted from the last that failed (imageBackOff).
//
// Source: pkg/kubelet/kubelet.go newCrashLoopBackOff, kuberuntime_manager.go doBackOff, client-go
// util/flowcontrol/backoff.go. KUBELET-11.
#pragma once
#include <string>

#include "absl/container/btree_map.h"
#include "ksim/base/time.h"

namespace ksim::kubelet {

class RestartBackoff {
 public:
  // Until when what ended at `finished` waits; `now` or earlier: it does not.
  VirtualTime WaitsUntil(const std::string& key, VirtualTime finished) const;
  // For what is tried again counted from the last time: until when it waits at `now`; `now`: it
  // does not (IsInBackOffSinceUpdate).
  VirtualTime WaitsSinceLast(const std::string& key, VirtualTime now) const;
  // It is started again.
  void Next(const std::string& key, VirtualTime finished, VirtualTime now);
  Duration Get(const std::string& key) const;  // 0: never restarted
  void Forget(const std::string& prefix);      // of all keys

 private:
  struct Entry {
    Duration backoff;
    VirtualTime updated;
  };
  static bool Expired(const Entry& entry, VirtualTime finished);
  absl::btree_map<std::string, Entry> entries_;
};

}  // namespace ksim::kubelet
