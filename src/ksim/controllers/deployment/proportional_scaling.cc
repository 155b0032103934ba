#include "ksim/controllers/deployment/proportional_scaling.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>

#include "ksim/controllers/deployment/deployment_spec.h"
#include "ksim/controllers/deployment/revisions.h"

namespace ksim::controllers::deployment {
namespace {

// Go's int32: it wraps.
std::int32_t Wrapped(std::int64_t n) { return static_cast<std::int32_t>(n); }

// integer.RoundToInt32 of a / b: halves go away from zero.
std::int64_t RoundedQuotient(std::int64_t a, std::int64_t b) {
  const bool negative = (a < 0) != (b < 0);
  const std::int64_t up = std::abs(a), down = std::abs(b);
  const std::int64_t rounded = (2 * up + down) / (2 * down);
  return negative ? -rounded : rounded;
}

// How many pods a ReplicaSet would get, or lose, if its share stayed the same.
std::int64_t FractionOf(const api::Object& deployment, const api::Object& set,
                        const Profile& profile) {
  const std::int64_t size = SizeOf(set);
  if (DeploymentReplicas(deployment) == 0) return -size;
  const std::int64_t most = DeploymentReplicas(deployment) + MaxSurge(deployment);
  std::optional<std::int64_t> before = ReplicasAnnotation(set, kMaxReplicasAnnotation, profile);
  const bool unknown = !before || (profile.checks_replicas_annotations && *before == 0);
  if (unknown) before = deployment.status().Get("replicas").AsInt();
  if (*before == 0) {
    if (profile.checks_replicas_annotations) return 0;
    // Before 1.34 a division by zero, whose result no int32 holds; amd64 makes it the smallest.
    return Wrapped(std::numeric_limits<std::int32_t>::min() - size);
  }
  return RoundedQuotient(Wrapped(size * most), *before) - size;
}

std::int64_t ProportionOf(const api::Object& deployment, const api::Object& set,
                          std::int64_t to_add, std::int64_t added, const Profile& profile) {
  if (SizeOf(set) == 0 || to_add == 0 || to_add == added) return 0;
  const std::int64_t fraction = FractionOf(deployment, set, profile);
  const std::int64_t allowed = to_add - added;
  return to_add > 0 ? std::min(fraction, allowed) : std::max(fraction, allowed);
}

void SortBySize(ReplicaSetList* sets, bool newer_first) {
  std::sort(sets->begin(), sets->end(), [&](const api::Object& a, const api::Object& b) {
    if (SizeOf(a) != SizeOf(b)) return SizeOf(a) > SizeOf(b);
    return newer_first ? IsOlder(b, a) : IsOlder(a, b);
  });
}

}  // namespace

std::vector<SetSize> ProportionalSizes(const api::Object& deployment, ReplicaSetList active,
                                       const Profile& profile) {
  const std::int64_t wanted = DeploymentReplicas(deployment);
  const std::int64_t allowed = wanted > 0 ? wanted + MaxSurge(deployment) : 0;
  const std::int64_t to_add = allowed - SumOfSizes(active);
  if (to_add != 0) SortBySize(&active, to_add > 0);

  std::vector<SetSize> sizes;
  std::int64_t added = 0;
  for (const api::Object& set : active) {
    const std::int64_t share = ProportionOf(deployment, set, to_add, added, profile);
    sizes.emplace_back(set, SizeOf(set) + share);
    added += share;
  }
  // The largest one takes what rounding has left over.
  if (!sizes.empty() && to_add != 0)
    sizes.front().size = std::max(std::int64_t{0}, sizes.front().size + to_add - added);
  return sizes;
}

}  // namespace ksim::controllers::deployment
