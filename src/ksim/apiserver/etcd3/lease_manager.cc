#include "ksim/apiserver/etcd3/lease_manager.h"

#include <algorithm>
#include <utility>

#include "ksim/apiserver/etcd3/storage.h"

namespace ksim::apiserver {

sim::Task<api::Result<store::LeaseId>> LeaseManager::Lease(std::int64_t ttl_seconds) {
  const VirtualTime now = sim_.SteadyNow();
  const std::int64_t reuse = std::min(ttl_seconds * kReusePercent / 100, kMaxReuseSeconds);
  const bool valid = now + Seconds(ttl_seconds) < previous_expires_;
  const bool sufficient = now + Seconds(ttl_seconds + reuse) > previous_expires_;
  ++objects_;
  if (previous_ != 0 && valid && sufficient && objects_ <= kMaxObjects) co_return previous_;
  store::LeaseGrantRequest request(0, ttl_seconds + reuse);
  absl::StatusOr<store::LeaseGrantResponse> granted =
      co_await client_.LeaseGrant(std::move(request));
  if (!granted.ok()) co_return StorageError(granted.status());
  previous_ = granted->id;
  previous_expires_ = now + Seconds(granted->ttl);
  objects_ = 1;
  co_return previous_;
}

}  // namespace ksim::apiserver
