// NewSetSize: how many pods the new ReplicaSet of a Deployment is to have.
//
// Source: pkg/controller/deployment/util/deployment_util.go NewRSNewReplicas.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>

#include "ksim/api/object.h"
#include "ksim/controllers/deployment/deployment_spec.h"

namespace ksim::controllers::deployment {

// `all`: the sizes of all its ReplicaSets together; `current`: that of the new one, which takes
// part in `all`. As many as a rolling update has room for, at once all of another strategy.
// nullopt: the strategy is unknown.
inline std::optional<std::int64_t> NewSetSize(const api::Object& deployment, std::int64_t all,
                                              std::int64_t current) {
  const std::int64_t wanted = DeploymentReplicas(deployment);
  if (StrategyType(deployment) == "Recreate") return wanted;
  if (!IsRollingUpdate(deployment)) return std::nullopt;
  static const value::Path kMaxSurge{"strategy", "rollingUpdate", "maxSurge"};
  const std::int64_t surge = ScaledValue(deployment.spec().Get(kMaxSurge), wanted, true);
  const std::int64_t room = wanted + surge - all;
  return room <= 0 ? current : current + std::min(room, wanted - current);
}

}  // namespace ksim::controllers::deployment
