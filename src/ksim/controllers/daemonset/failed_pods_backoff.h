// FailedPodsBackoff: how long a DaemonSet's failed pod stays on its node before it is deleted: a
// second after the last one was, doubling to 15 minutes. Else the controller, which makes the pod
// anew, and a kubelet that refuses it would race each other.
//
// Source: client-go util/flowcontrol/backoff.go; cmd/kube-controller-manager/app/apps.go
// startDaemonSetController. Its garbage collection is left out: what it drops has expired.
#pragma once
#include <string>

#include "absl/container/btree_map.h"
#include "ksim/base/time.h"

namespace ksim::controllers {

class FailedPodsBackoff {
 public:
  // IsInBackOffSinceUpdate
  bool IsWaiting(const std::string& key, VirtualTime now) const;
  // The wait that it is in; 0 of a key that never was.
  Duration Get(const std::string& key) const;
  // Counts one more failure.
  void Next(const std::string& key, VirtualTime now);

 private:
  struct Entry {
    Duration wait;
    VirtualTime updated;
  };
  static bool Expired(const Entry& entry, VirtualTime now);
  absl::btree_map<std::string, Entry> entries_;
};

}  // namespace ksim::controllers
