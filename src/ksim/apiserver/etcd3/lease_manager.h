// LeaseManager: gives out leases for objects with a time to live. Objects written close together
// share a lease, so an object lives at least its TTL and at most a little longer (API-17).
//
// Source: apiserver pkg/storage/etcd3/lease_manager.go.
#pragma once
#include <cstdint>

#include "ksim/api/status.h"
#include "ksim/base/time.h"
#include "ksim/sim/task.h"
#include "ksim/store/etcd_client.h"

namespace ksim::apiserver {

class LeaseManager {
 public:
  static constexpr std::int64_t kReusePercent = 5;      // of the TTL
  static constexpr std::int64_t kMaxReuseSeconds = 60;  // and at most this
  static constexpr std::int64_t kMaxObjects = 1000;     // on one lease

  LeaseManager(sim::Simulation& sim, store::EtcdClient& client) : sim_(sim), client_(client) {}
  // Returns a lease that lives for at least `ttl_seconds` and at most the reuse time longer.
  sim::Task<api::Result<store::LeaseId>> Lease(std::int64_t ttl_seconds);

 private:
  sim::Simulation& sim_;
  store::EtcdClient& client_;
  store::LeaseId previous_ = 0;
  VirtualTime previous_expires_;
  std::int64_t objects_ = 0;  // asked for on the previous lease
};

}  // namespace ksim::apiserver
