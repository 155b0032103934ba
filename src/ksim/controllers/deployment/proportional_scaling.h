// Proportional scaling: how a change of a Deployment's size in the middle of a rollout is shared
// out among its ReplicaSets, so that it neither speeds the rollout up nor holds it back.
//
// Source: pkg/controller/deployment/sync.go scale; pkg/controller/deployment/util/
// deployment_util.go (GetReplicaSetProportion, getReplicaSetFraction).
#pragma once
#include <cstdint>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/controllers/deployment/replica_sets.h"

namespace ksim::controllers::deployment {

struct SetSize {
  SetSize(api::Object s, std::int64_t n) : set(std::move(s)), size(n) {}
  api::Object set;
  std::int64_t size = 0;
};

// The new sizes of ReplicaSets that have pods, in the order in which they are written: the largest
// first; of two that are as large the newer one if pods come, the older one if pods go.
std::vector<SetSize> ProportionalSizes(const api::Object& deployment, ReplicaSetList active,
                                       const Profile& profile);

}  // namespace ksim::controllers::deployment
