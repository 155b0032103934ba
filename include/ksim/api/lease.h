// LeaseView: names and types over a coordination.k8s.io/v1 Lease.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "ksim/api/object.h"

namespace ksim::api {

class LeaseView {
 public:
  explicit LeaseView(Object lease) : lease_(std::move(lease)) {}
  const Object& object() const { return lease_; }

  std::string_view holder() const;  // spec.holderIdentity
  Duration duration() const;        // spec.leaseDurationSeconds; 0 if missing
  std::optional<VirtualTime> acquire_time() const;
  std::optional<VirtualTime> renew_time() const;
  std::int64_t transitions() const;

 private:
  Object lease_;
};

}  // namespace ksim::api
