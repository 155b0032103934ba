// The part of a DeploymentSync (deployment_sync.h) that changes the sizes of ReplicaSets outside a
// rollout, and deletes those that history no longer needs.
//
// Source: pkg/controller/deployment/sync.go (isScalingEvent, scale, scaleReplicaSet,
// cleanupDeployment).
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/controllers/deployment/deployment_spec.h"
#include "ksim/controllers/deployment/deployment_sync.h"
#include "ksim/controllers/deployment/proportional_scaling.h"
#include "ksim/controllers/deployment/revisions.h"

namespace ksim::controllers::deployment {

using value::Path;
using value::Value;

bool DeploymentSync::IsScalingEvent(const NewAndOld& sets) const {
  const ReplicaSetList active = ActiveOf(sets.All());
  return std::any_of(active.begin(), active.end(), [this](const api::Object& set) {
    const auto desired = ReplicasAnnotation(set, kDesiredReplicasAnnotation, profile_);
    return desired && *desired != DeploymentReplicas(deployment_);
  });
}

sim::Task<DeploymentSync::Error> DeploymentSync::Scale(NewAndOld sets) {
  // 1. One ReplicaSet has all the pods, or is to have them.
  const std::int64_t wanted = DeploymentReplicas(deployment_);
  const api::Object only = FindActiveOrLatest(sets);
  if (!only.empty()) {
    const Scaled scaled = co_await ScaleSet(only, wanted, false);
    co_return scaled.error;
  }

  // 2. The new one has all that are wanted: the old ones are adopted ones, and go.
  std::reverse(sets.old.begin(), sets.old.end());  // the newest first
  if (IsSaturated(deployment_, sets.latest)) {
    for (const api::Object& old : ActiveOf(sets.old)) {
      const Scaled scaled = co_await ScaleSet(old, 0, false);
      if (scaled.error) co_return scaled.error;
    }
    co_return std::nullopt;
  }

  // 3. In the middle of a rolling update each gets its share.
  if (!IsRollingUpdate(deployment_)) co_return std::nullopt;
  const ReplicaSetList active = ActiveOf(sets.All());
  const std::vector<SetSize> shares = ProportionalSizes(deployment_, active, profile_);
  std::int64_t total = 0;
  for (const SetSize& share : shares) total += share.size;
  // Before 1.32 the Events of all of them tell the direction of the whole.
  const char* const direction = total > SumOfSizes(active) ? "up" : "down";
  for (const SetSize& share : shares) {
    const Scaled scaled = co_await ScaleSet(share.set, share.size, true, direction);
    if (scaled.error) co_return scaled.error;
  }
  co_return std::nullopt;
}

sim::Task<DeploymentSync::Scaled> DeploymentSync::ScaleSet(api::Object set, std::int64_t size,
                                                           bool force, const char* direction) {
  Scaled result;
  result.set = set;
  const std::int64_t before = SizeOf(set);
  const bool differs = before != size;
  if (!differs && !force) co_return result;
  if (!differs && !NeedsReplicasAnnotations(deployment_, set)) co_return result;

  static const Path kReplicas{"spec", "replicas"};
  const api::Object annotated = WithReplicasAnnotations(deployment_, set);
  const api::Object sized = api::Object::FromTree(annotated.tree().Set(kReplicas, Value::Int(size)),
                                                  set.resource_version());
  client::Client::ObjectResult written = co_await tools_.client.Update(set_resource(), sized);
  if (!written.ok()) {
    result.error = written.status();
    co_return result;
  }
  result.set = *written;
  result.scaled = differs;
  if (!differs) co_return result;
  if (direction == nullptr || profile_.scaled_from_to) direction = before < size ? "up" : "down";
  Record("Normal", "ScalingReplicaSet",
         profile_.scaled_from_to ? fmt::format("Scaled {} replica set {} from {} to {}", direction,
                                               set.name(), before, size)
                                 : fmt::format("Scaled {} replica set {} to {} from {}", direction,
                                               set.name(), size, before));
  co_return result;
}

sim::Task<DeploymentSync::Error> DeploymentSync::CleanUpHistory(ReplicaSetList old) {
  if (!HasRevisionHistoryLimit(deployment_)) co_return std::nullopt;
  std::erase_if(old, [](const api::Object& set) { return set.deleting(); });
  const auto count = static_cast<std::int64_t>(old.size());
  const std::int64_t surplus = count - deployment_.spec().Get("revisionHistoryLimit").AsInt();
  if (surplus <= 0) co_return std::nullopt;
  SortByRevision(&old);
  for (std::int64_t i = 0; i < surplus; ++i) {
    const api::Object& set = old[i];
    const Value& status = set.status();
    const bool has_pods = status.Get("replicas").AsInt() != 0 || SizeOf(set) != 0 ||
                          set.generation() > status.Get("observedGeneration").AsInt();
    if (has_pods) continue;
    const api::DeleteOptions options;
    client::Client::ObjectResult deleted = co_await tools_.client.Delete(
        set_resource(), std::string(set.ns()), std::string(set.name()), options);
    if (!deleted.ok() && !api::IsNotFound(deleted.status())) co_return deleted.status();
  }
  co_return std::nullopt;
}

}  // namespace ksim::controllers::deployment
