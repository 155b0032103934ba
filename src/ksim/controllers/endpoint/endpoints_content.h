// The content of the Endpoints of a Service: what its pods make of it, and how it is cut to the
// 1000 addresses that Endpoints hold.
//
// Source: pkg/controller/endpoint/endpoints_controller.go podToEndpointAddressForService,
// addEndpointSubset, truncateEndpoints, capacityAnnotationSetCorrectly, labelsCorrectForEndpoints.
#pragma once
#include <optional>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/base/time.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/value/value.h"

namespace ksim::controllers {

inline constexpr std::int64_t kMaxEndpointsCapacity = 1000;

// The subsets in their canonical form.
value::Value SubsetsOf(const api::Object& service, const std::vector<api::Object>& pods,
                       const Profile& profile);

// Shares the capacity among the subsets in proportion; ready addresses come before others. The same
// tree if nothing has to go.
value::Value TruncateSubsets(const value::Value& subsets);

// The Endpoints in the cache are what they should be.
bool EndpointsAreRight(const api::Object& current, const api::Object& service,
                       const value::Value& subsets, const Profile& profile);

// `current` is empty if there are none yet.
api::Object NewEndpoints(const api::Object& current, const api::Object& service,
                         const value::Value& subsets, std::optional<VirtualTime> trigger,
                         const Profile& profile);

}  // namespace ksim::controllers
