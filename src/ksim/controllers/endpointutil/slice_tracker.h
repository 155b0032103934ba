// SliceTracker: the generations of the EndpointSlices that a controller has written, by Service, so
// that it can tell a cache that lags from a change that somebody else made.
//
// Source: endpointslice util/endpointslice_tracker.go.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "ksim/api/object.h"

namespace ksim::controllers {

class SliceTracker {
 public:
  SliceTracker() = default;
  bool Has(const api::Object& slice) const;
  // The slice is unknown, or newer than what the controller wrote.
  bool ShouldSync(const api::Object& slice) const;
  // The cached slices of the Service are behind: one of them is older than written or should be
  // gone, or one that was written is not there. `service` is its key.
  bool AreStale(const std::string& service, const std::vector<api::Object>& slices) const;
  void Update(const api::Object& slice);
  void ExpectDeletion(const api::Object& slice);
  // A slice is gone. False: nobody expected that.
  bool HandleDeletion(const api::Object& slice);
  void DeleteService(const std::string& service) { services_.erase(service); }

 private:
  static constexpr std::int64_t kDeletionExpected = -1;
  using Generations = absl::btree_map<std::string, std::int64_t>;  // by uid

  const std::int64_t* Find(const api::Object& slice) const;

  absl::btree_map<std::string, Generations> services_;
};

// The key of the Service of a slice by its label kubernetes.io/service-name; "NAMESPACE/" without.
std::string ServiceKeyOf(const api::Object& slice);

}  // namespace ksim::controllers
