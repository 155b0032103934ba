#include "ksim/controllers/deployment/deployment_spec.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace ksim::controllers::deployment {

using value::Path;
using value::Value;

namespace {

constexpr std::int64_t kMaxInt32 = std::numeric_limits<std::int32_t>::max();

bool IsSetBelowMax(const Value& number) { return !number.is_null() && number.AsInt() != kMaxInt32; }

const Value& RollingField(const api::Object& deployment, const char* name) {
  static const Path kRolling{"strategy", "rollingUpdate"};
  return deployment.spec().Get(kRolling).Get(name);
}

Fenceposts FencepostsOf(const api::Object& deployment) {
  return ResolveFenceposts(RollingField(deployment, "maxSurge"),
                           RollingField(deployment, "maxUnavailable"),
                           DeploymentReplicas(deployment));
}

}  // namespace

std::int64_t DeploymentReplicas(const api::Object& deployment) {
  return deployment.spec().Get("replicas").AsInt();
}

std::string_view StrategyType(const api::Object& deployment) {
  static const Path kType{"strategy", "type"};
  return deployment.spec().Get(kType).AsString();
}

bool IsRollingUpdate(const api::Object& deployment) {
  return StrategyType(deployment) == "RollingUpdate";
}

bool IsPaused(const api::Object& deployment) { return deployment.spec().Get("paused").AsBool(); }

std::int64_t ScaledValue(const Value& int_or_percent, std::int64_t total, bool round_up) {
  if (!int_or_percent.is_string()) return int_or_percent.AsInt();
  const std::string_view text = int_or_percent.AsString();
  std::int64_t percent = 0;
  std::from_chars(text.data(), text.data() + text.size(), percent);
  return (percent * total + (round_up ? 99 : 0)) / 100;
}

Fenceposts ResolveFenceposts(const Value& max_surge, const Value& max_unavailable,
                             std::int64_t desired) {
  Fenceposts posts;
  posts.surge = ScaledValue(max_surge, desired, true);
  posts.unavailable = ScaledValue(max_unavailable, desired, false);
  if (posts.surge == 0 && posts.unavailable == 0) posts.unavailable = 1;
  return posts;
}

std::int64_t MaxSurge(const api::Object& deployment) {
  return IsRollingUpdate(deployment) ? FencepostsOf(deployment).surge : 0;
}

std::int64_t MaxUnavailable(const api::Object& deployment) {
  const std::int64_t replicas = DeploymentReplicas(deployment);
  if (!IsRollingUpdate(deployment) || replicas == 0) return 0;
  return std::min(FencepostsOf(deployment).unavailable, replicas);
}

bool HasProgressDeadline(const api::Object& deployment) {
  return IsSetBelowMax(deployment.spec().Get("progressDeadlineSeconds"));
}

Duration ProgressDeadline(const api::Object& deployment) {
  return Seconds(deployment.spec().Get("progressDeadlineSeconds").AsInt());
}

bool HasRevisionHistoryLimit(const api::Object& deployment) {
  return IsSetBelowMax(deployment.spec().Get("revisionHistoryLimit"));
}

}  // namespace ksim::controllers::deployment
