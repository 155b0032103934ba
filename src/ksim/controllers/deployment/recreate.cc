// The part of a DeploymentSync (deployment_sync.h) that recreates: all old pods go before the first
// new one comes.
//
// Source: pkg/controller/deployment/recreate.go.
#include <algorithm>
#include <utility>

#include "ksim/api/pod.h"
#include "ksim/controllers/deployment/deployment_spec.h"
#include "ksim/controllers/deployment/deployment_sync.h"
#include "ksim/controllers/deployment/progress.h"

namespace ksim::controllers::deployment {

sim::Task<DeploymentSync::Error> DeploymentSync::Recreate(std::vector<api::Object> pods) {
  // The new ReplicaSet is not made yet: no pod comes before the old ones are gone.
  NewAndOld sets;
  Error error = co_await FindSets(false, &sets);
  if (error) co_return error;

  bool scaled_down = false;
  for (const api::Object& old : ActiveOf(sets.old)) {
    const Scaled scaled = co_await ScaleSet(old, 0, false);
    if (scaled.error) co_return scaled.error;
    scaled_down = scaled_down || scaled.scaled;
  }
  if (scaled_down || OldPodsRun(sets, pods)) co_return co_await SyncRolloutStatus(sets);

  if (sets.latest.empty()) {
    error = co_await FindSets(true, &sets);
    if (error) co_return error;
  }
  const Scaled up = co_await ScaleSet(sets.latest, DeploymentReplicas(deployment_), false);
  if (up.error) co_return up.error;
  if (IsComplete(deployment_, DeploymentStatus::From(deployment_))) {
    error = co_await CleanUpHistory(sets.old);
    if (error) co_return error;
  }
  co_return co_await SyncRolloutStatus(sets);
}

bool DeploymentSync::OldPodsRun(const NewAndOld& sets, const std::vector<api::Object>& pods) const {
  if (SumOfReplicas(sets.old) > 0) return true;
  return std::any_of(pods.begin(), pods.end(), [&sets](const api::Object& pod) {
    const std::optional<api::OwnerReference> owner = pod.controller();
    const bool is_new = owner && !sets.latest.empty() && owner->uid == sets.latest.uid();
    return !is_new && !api::PodView(pod).terminal();
  });
}

}  // namespace ksim::controllers::deployment
