// The EndpointSlices that mirror Endpoints: one for each of their subsets and type of address.
//
// Sources: pkg/controller/endpointslicemirroring/{reconciler,reconciler_helpers,utils}.go.
#pragma once
#include <cstdint>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/controllers/endpointutil/slice_draft.h"

namespace ksim::controllers {

inline constexpr std::string_view kMirroringController = "endpointslicemirroring-controller.k8s.io";
inline constexpr std::int64_t kMaxEndpointsPerSubset = 1000;

struct MirrorPlan {
  MirrorPlan() = default;
  std::vector<SliceDraft> create, update, erase;
  std::vector<api::Object> right;      // those that are as they should be
  std::int64_t invalid_addresses = 0;  // no IP addresses
  std::int64_t skipped_addresses = 0;  // these, and those beyond the limit
};

MirrorPlan PlanMirroring(const api::Object& endpoints, const std::vector<api::Object>& existing,
                         const Profile& profile);

}  // namespace ksim::controllers
