#include "ksim/api/lease.h"

#include "ksim/api/core/timestamps.h"

namespace ksim::api {

std::string_view LeaseView::holder() const {
  return lease_.spec().Get("holderIdentity").AsString();
}
Duration LeaseView::duration() const {
  return Seconds(lease_.spec().Get("leaseDurationSeconds").AsInt());
}
std::optional<VirtualTime> LeaseView::acquire_time() const {
  return TimeOf(lease_.spec().Get("acquireTime"));
}
std::optional<VirtualTime> LeaseView::renew_time() const {
  return TimeOf(lease_.spec().Get("renewTime"));
}
std::int64_t LeaseView::transitions() const {
  return lease_.spec().Get("leaseTransitions").AsInt();
}

}  // namespace ksim::api
