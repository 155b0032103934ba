// The part of a DeploymentSync (deployment_sync.h) that takes one step of a rolling update: up with
// the new ReplicaSet, or else down with the old ones.
//
// Source: pkg/controller/deployment/rolling.go.
#include <algorithm>
#include <utility>

#include "ksim/controllers/deployment/deployment_spec.h"
#include "ksim/controllers/deployment/deployment_sync.h"
#include "ksim/controllers/deployment/new_set_size.h"
#include "ksim/controllers/deployment/progress.h"

namespace ksim::controllers::deployment {

sim::Task<DeploymentSync::Error> DeploymentSync::RollOut() {
  NewAndOld sets;
  Error error = co_await FindSets(true, &sets);
  if (error) co_return error;

  const Scaled up = co_await ScaleNewSet(sets);
  if (up.error) co_return up.error;
  if (up.scaled) co_return co_await SyncRolloutStatus(sets);

  const bool down = co_await ScaleDownOldSets(sets);
  if (down) co_return co_await SyncRolloutStatus(sets);

  if (IsComplete(deployment_, DeploymentStatus::From(deployment_))) {
    error = co_await CleanUpHistory(sets.old);
    if (error) co_return error;
  }
  co_return co_await SyncRolloutStatus(sets);
}

sim::Task<DeploymentSync::Scaled> DeploymentSync::ScaleNewSet(NewAndOld sets) {
  const std::int64_t wanted = DeploymentReplicas(deployment_);
  const std::int64_t current = SizeOf(sets.latest);
  std::int64_t size = wanted;
  if (current < wanted)
    size = NewSetSize(deployment_, SumOfSizes(sets.All()), current).value_or(current);
  co_return co_await ScaleSet(sets.latest, size, false);
}

sim::Task<bool> DeploymentSync::ScaleDownOldSets(NewAndOld sets) {
  ReplicaSetList old = ActiveOf(sets.old);
  if (old.empty()) co_return false;
  // New pods that are not available keep old ones from going: an old one that goes in the next step
  // would leave too few.
  const std::int64_t least = DeploymentReplicas(deployment_) - MaxUnavailable(deployment_);
  const std::int64_t new_unavailable = SizeOf(sets.latest) - AvailableOf(sets.latest);
  const std::int64_t most = SumOfSizes(sets.All()) - least - new_unavailable;
  if (most <= 0) co_return false;

  // Old pods that are not available go first, whatever else: they would block the rollout.
  const std::optional<std::int64_t> unhealthy = co_await CleanUpUnhealthy(&old, most);
  if (!unhealthy) co_return false;
  const std::optional<std::int64_t> available = co_await ScaleDownAvailable(old, sets.latest);
  if (!available) co_return false;
  co_return *unhealthy + *available > 0;
}

sim::Task<std::optional<std::int64_t>> DeploymentSync::CleanUpUnhealthy(ReplicaSetList* old,
                                                                        std::int64_t most) {
  std::int64_t gone = 0;
  for (api::Object& set : *old) {
    if (gone >= most) break;
    const std::int64_t unavailable = SizeOf(set) - AvailableOf(set);
    if (SizeOf(set) == 0 || unavailable == 0) continue;
    const std::int64_t going = std::min(most - gone, unavailable);
    // More are available than are wanted: the status is out of date, and upstream gives up.
    if (going < 0) co_return std::nullopt;
    Scaled scaled = co_await ScaleSet(set, SizeOf(set) - going, false);
    if (scaled.error) co_return std::nullopt;
    gone += going;
    set = std::move(scaled.set);
  }
  co_return gone;
}

sim::Task<std::optional<std::int64_t>> DeploymentSync::ScaleDownAvailable(ReplicaSetList old,
                                                                          api::Object latest) {
  const std::int64_t least = DeploymentReplicas(deployment_) - MaxUnavailable(deployment_);
  const std::int64_t spare = SumOfAvailable(old) + AvailableOf(latest) - least;
  std::int64_t gone = 0;
  for (const api::Object& set : old) {
    if (gone >= spare) break;
    if (SizeOf(set) == 0) continue;
    const std::int64_t going = std::min(SizeOf(set), spare - gone);
    const Scaled scaled = co_await ScaleSet(set, SizeOf(set) - going, false);
    if (scaled.error) co_return std::nullopt;
    gone += going;
  }
  co_return gone;
}

}  // namespace ksim::controllers::deployment
