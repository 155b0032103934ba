#include "ksim/store/lessor.h"

#include <algorithm>

#include "ksim/base/check.h"
#include "ksim/store/errors.h"

namespace ksim::store {

VirtualTime Lessor::DeadlineOf(std::int64_t ttl, VirtualTime now) {
  const Duration left = VirtualTime::Max() - now;
  return ttl > left.whole_seconds() ? VirtualTime::Max() : now + Seconds(ttl);
}

absl::StatusOr<const Lessor::Lease*> Lessor::Grant(LeaseId id, std::int64_t ttl, VirtualTime now) {
  if (ttl > kMaxLeaseTtl) return LeaseTtlTooLargeError();
  while (id == 0) {
    if (!leases_.contains(next_id_)) id = next_id_;
    ++next_id_;
  }
  if (leases_.contains(id)) return LeaseExistsError();
  Lease lease;
  lease.id = id;
  lease.ttl = std::max(ttl, kMinLeaseTtl);
  lease.deadline = DeadlineOf(lease.ttl, now);
  by_deadline_.emplace(lease.deadline.ns(), id);
  return &leases_.emplace(id, std::move(lease)).first->second;
}

const Lessor::Lease* Lessor::Find(LeaseId id) const {
  const auto it = leases_.find(id);
  return it == leases_.end() ? nullptr : &it->second;
}

void Lessor::Renew(LeaseId id, VirtualTime now) {
  const auto it = leases_.find(id);
  KSIM_CHECK(it != leases_.end()) << "lease " << id;
  Lease& lease = it->second;
  by_deadline_.erase({lease.deadline.ns(), id});
  lease.deadline = DeadlineOf(lease.ttl, now);
  by_deadline_.emplace(lease.deadline.ns(), id);
}

void Lessor::Erase(LeaseId id) {
  const auto it = leases_.find(id);
  KSIM_CHECK(it != leases_.end()) << "lease " << id;
  by_deadline_.erase({it->second.deadline.ns(), id});
  leases_.erase(it);
}

void Lessor::Attach(LeaseId id, std::string_view key) {
  const auto it = leases_.find(id);
  KSIM_CHECK(it != leases_.end()) << "lease " << id;
  it->second.keys.emplace(key);
}

void Lessor::Detach(LeaseId id, std::string_view key) {
  const auto it = leases_.find(id);
  if (it != leases_.end()) it->second.keys.erase(std::string(key));
}

std::vector<LeaseId> Lessor::ids() const {
  std::vector<LeaseId> ids;
  ids.reserve(leases_.size());
  for (const auto& [id, lease] : leases_) ids.push_back(id);
  return ids;
}

const Lessor::Lease* Lessor::Next() const {
  if (by_deadline_.empty()) return nullptr;
  return Find(by_deadline_.begin()->second);
}

}  // namespace ksim::store
