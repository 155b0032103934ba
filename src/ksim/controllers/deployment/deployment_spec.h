// The spec of a Deployment: sizes, limits of a rollout, deadlines.
//
// Source: pkg/controller/deployment/util/deployment_util.go (MaxSurge, MaxUnavailable,
// ResolveFenceposts, HasProgressDeadline, HasRevisionHistoryLimit).
#pragma once
#include <cstdint>
#include <string_view>

#include "ksim/api/object.h"
#include "ksim/base/time.h"
#include "ksim/value/value.h"

namespace ksim::controllers::deployment {

std::int64_t DeploymentReplicas(const api::Object& deployment);
std::string_view StrategyType(const api::Object& deployment);
bool IsRollingUpdate(const api::Object& deployment);
bool IsPaused(const api::Object& deployment);

// A whole number as it is, a percentage of `total` rounded up or down (intstr
// GetScaledValueFromIntOrPercent); null is 0.
std::int64_t ScaledValue(const value::Value& int_or_percent, std::int64_t total, bool round_up);

struct Fenceposts {
  std::int64_t surge = 0;
  std::int64_t unavailable = 0;
};
// Both at once: if both come to 0, one pod may be unavailable.
Fenceposts ResolveFenceposts(const value::Value& max_surge, const value::Value& max_unavailable,
                             std::int64_t desired);

// How many pods there may be above the wanted number in a rolling update; 0 of other strategies.
std::int64_t MaxSurge(const api::Object& deployment);
// How many pods may be missing in a rolling update: at most all; 0 of other strategies.
std::int64_t MaxUnavailable(const api::Object& deployment);

// Whether lack of progress is to be told.
bool HasProgressDeadline(const api::Object& deployment);
Duration ProgressDeadline(const api::Object& deployment);
bool HasRevisionHistoryLimit(const api::Object& deployment);

}  // namespace ksim::controllers::deployment
