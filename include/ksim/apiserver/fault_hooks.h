// Fault hooks: what a fault, or a test, can do to one kube-apiserver. Server::faults() gives them
// out; they live as long as the server.
#pragma once
#include <cstdint>
#include <string_view>

#include "ksim/api/kinds.h"
#include "ksim/api/status.h"
#include "ksim/base/time.h"

namespace ksim::apiserver {

// The faults of one resource's watch cache. All of them end with the server's process: its next
// incarnation begins with an empty cache. These bodies, of a cache that does not exist, do nothing.
class WatchCacheFaults {
 public:
  virtual ~WatchCacheFaults() = default;

  // A frozen cache applies nothing; responses of etcd wait until it has been thawed as often as it
  // was frozen, or until ThawAll.
  virtual void Freeze() {}
  virtual void Thaw() {}
  virtual void ThawAll() {}
  // A held storage watch delivers nothing; responses of etcd wait on their way until it has been
  // released as often as it was held.
  virtual void HoldStorageWatch() {}
  virtual void ReleaseStorageWatch() {}
  // The cache receives each response of etcd this long after it has arrived.
  virtual void SetLag(Duration /*lag*/) {}
  // The storage watch breaks: the cache opens it again from the revision that it has reached.
  virtual void BreakStorageWatch() {}
  // The cache starts again as after the loss of its storage watch: it is not ready at once, its
  // history is empty, and all its watches end after a pause of 1 s.
  virtual void Reinit() {}
  // The cache forgets its history: a watch from an older revision is answered 410.
  virtual void ExpireHistory() {}
};

// How a write to etcd goes wrong on its way from an API server.
struct CommitFault {
  enum class Kind : std::uint8_t {
    kNone,
    kRefused,   // etcd takes in no more: "etcdserver: too many requests"
    kTimedOut,  // etcd gives up after 7 s: "etcdserver: request timed out"
    kStuck      // no answer comes: the time of the request runs out
  };
  Kind kind = Kind::kNone;
  bool applied = false;  // kTimedOut, kStuck: the write is done all the same
};

// How a call of a webhook goes wrong.
struct WebhookFault {
  bool hangs = false;  // no answer comes
  Duration later;      // it comes so much later
};

class ServerFaults {
 public:
  virtual ~ServerFaults() = default;

  // A server that is down refuses connections and resets those that are open; its process lives on.
  // The calls are counted: each caller that takes it down must let it up again.
  virtual void SetDown(bool down) = 0;
  // Ends the process' watches of the resource with this ERROR, after what they have been sent.
  virtual void FailWatches(std::string_view client, const api::ResourceInfo& r,
                           const api::Status& error) = 0;
  // Without a watch cache of the resource, or while the process is dead, the result does nothing.
  virtual WatchCacheFaults& watch_cache(const api::ResourceInfo& r) = 0;
};

}  // namespace ksim::apiserver
