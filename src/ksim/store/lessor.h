// Lessor: leases, the times when they run out, and the keys that are attached to them. Knows no
// revisions: the caller deletes the keys of a lease before it revokes the lease.
//
// Invariants
//  1. A key is attached to at most one lease (its stored version says which).
//  2. `by_deadline_` has one entry for each lease.
//
// Source: server/lease/lessor.go.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/status/statusor.h"
#include "ksim/base/time.h"
#include "ksim/store/key_value.h"

namespace ksim::store {

inline constexpr std::int64_t kMinLeaseTtl = 2;  // ceil(1.5 x election timeout of 1 s)
inline constexpr std::int64_t kMaxLeaseTtl = 9'000'000'000;

class Lessor {
 public:
  struct Lease {
    LeaseId id = 0;
    std::int64_t ttl = 0;  // seconds, as granted
    VirtualTime deadline;
    absl::btree_set<std::string> keys;
  };

  // STORE-86. id 0: the next free number.
  absl::StatusOr<const Lease*> Grant(LeaseId id, std::int64_t ttl, VirtualTime now);
  const Lease* Find(LeaseId id) const;  // null if there is none
  void Renew(LeaseId id, VirtualTime now);
  void Erase(LeaseId id);

  void Attach(LeaseId id, std::string_view key);
  void Detach(LeaseId id, std::string_view key);

  std::vector<LeaseId> ids() const;  // sorted
  // The lease that runs out next, by (deadline, id); null if there is none.
  const Lease* Next() const;

 private:
  static VirtualTime DeadlineOf(std::int64_t ttl, VirtualTime now);
  absl::btree_map<LeaseId, Lease> leases_;
  absl::btree_set<std::pair<std::int64_t, LeaseId>> by_deadline_;  // ns
  LeaseId next_id_ = 1;
};

}  // namespace ksim::store
