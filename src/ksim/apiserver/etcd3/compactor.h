// Compactor: every five minutes compacts etcd to the revision of the previous round. Among several
// API servers only the one that wins the race for `compact_rev_key` compacts (API-18, API-19).
//
// Source: apiserver pkg/storage/etcd3/compact.go.
#pragma once
#include <functional>

#include "ksim/base/time.h"
#include "ksim/sim/simulation.h"
#include "ksim/sim/task.h"
#include "ksim/store/etcd_client.h"

namespace ksim::apiserver {

class Compactor {
 public:
  static constexpr Duration kPollPeriod = Seconds(15);  // at which snapshots are dropped

  // `on_compacted` receives the revision of each compaction at the next poll, counted from now.
  Compactor(sim::Simulation& sim, store::EtcdClient& client, sim::ActorId actor, Duration interval,
            std::function<void(store::Revision)> on_compacted);
  // Runs the rounds; returns at once with interval 0. Spawn both as background tasks.
  sim::Task<void> Run();
  // Watches the revision that any server compacts to (Profile::follows_compact_revision).
  sim::Task<void> FollowCompactRevision();

 private:
  sim::Task<void> CompactOnce();
  sim::Task<void> FollowWatch();

  sim::Simulation& sim_;
  store::EtcdClient& client_;
  sim::ActorId actor_;
  Duration interval_;
  std::function<void(store::Revision)> on_compacted_;
  VirtualTime started_;
  std::int64_t version_ = 0;    // of compact_rev_key, as last seen
  store::Revision target_ = 0;  // the revision that the next round compacts to
};

}  // namespace ksim::apiserver
