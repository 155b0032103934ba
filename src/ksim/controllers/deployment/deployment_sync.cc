#include "ksim/controllers/deployment/deployment_sync.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/controllers/common/pod_owner_index.h"
#include "ksim/controllers/deployment/deployment_spec.h"
#include "ksim/controllers/deployment/progress.h"
#include "ksim/controllers/deployment/revisions.h"
#include "ksim/value/selector.h"

namespace ksim::controllers::deployment {

std::vector<api::Object> PodsOfSets(const client::SharedInformer& pods,
                                    const api::Object& deployment, const ReplicaSetList& sets,
                                    const Profile& profile) {
  std::vector<api::Object> found;
  const auto selector = value::LabelSelector::FromObject(deployment.spec().Get("selector"));
  for (const api::Object& set : sets) {
    for (api::Object& pod : PodsOfOwner(pods, set)) {
      const bool counts =
          profile.deployment_pods_by_owner || (selector.ok() && selector->Matches(pod.labels()));
      if (counts) found.push_back(std::move(pod));
    }
  }
  return found;
}

DeploymentSync::DeploymentSync(DeploymentTools& tools, api::Object deployment,
                               ReplicaSetList claimed)
    : tools_(tools),
      profile_(tools.profile),
      deployment_(std::move(deployment)),
      claimed_(std::move(claimed)) {
  SortByAge(&claimed_);
}

sim::Task<DeploymentSync::Error> DeploymentSync::Run() {
  const std::string type(StrategyType(deployment_));
  std::vector<api::Object> pods;  // as they are when the sync begins
  if (type == "Recreate") pods = PodsOfSets(tools_.pods, deployment_, claimed_, profile_);
  if (deployment_.deleting()) co_return co_await SyncStatusOnly();
  Error error = co_await CheckPausedCondition();
  if (error) co_return error;
  if (IsPaused(deployment_)) co_return co_await ScaleAndSyncStatus();
  if (RollbackRevision(deployment_)) co_return co_await RollBack();

  NewAndOld sets;
  error = co_await FindSets(false, &sets);
  if (error) co_return error;
  if (IsScalingEvent(sets)) co_return co_await ScaleAndSyncStatus();

  if (type == "Recreate") co_return co_await Recreate(std::move(pods));
  if (type == "RollingUpdate") co_return co_await RollOut();
  co_return api::Unmapped(500, fmt::format("unexpected deployment strategy type: {}", type));
}

void DeploymentSync::SetProgressing(std::string_view status, std::string_view reason,
                                    const std::string& message) {
  DeploymentStatus changed = DeploymentStatus::From(deployment_);
  changed.SetCondition(MakeDeploymentCondition(kProgressing, status, reason, message, Now()));
  deployment_ = WithStatus(deployment_, changed);
}

// The time that a Deployment is paused does not count against its deadline.
sim::Task<DeploymentSync::Error> DeploymentSync::CheckPausedCondition() {
  if (!HasProgressDeadline(deployment_)) co_return std::nullopt;
  const DeploymentStatus status = DeploymentStatus::From(deployment_);
  if (status.ProgressingReason() == kProgressDeadlineExceeded) co_return std::nullopt;
  const bool was_paused = status.ProgressingReason() == kDeploymentPaused;
  if (was_paused == IsPaused(deployment_)) co_return std::nullopt;
  if (was_paused) {
    SetProgressing("Unknown", kDeploymentResumed, "Deployment is resumed");
  } else {
    SetProgressing("Unknown", kDeploymentPaused, "Deployment is paused");
  }
  co_return co_await WriteStatus();
}

sim::Task<DeploymentSync::Error> DeploymentSync::SyncStatusOnly() {
  NewAndOld sets;
  Error error = co_await FindSets(false, &sets);
  if (error) co_return error;
  co_return co_await SyncStatus(sets);
}

sim::Task<DeploymentSync::Error> DeploymentSync::ScaleAndSyncStatus() {
  NewAndOld sets;
  Error error = co_await FindSets(false, &sets);
  if (error) co_return error;
  error = co_await Scale(sets);
  if (error) co_return error;
  if (IsPaused(deployment_) && !RollbackRevision(deployment_)) {
    error = co_await CleanUpHistory(sets.old);
    if (error) co_return error;
  }
  co_return co_await SyncStatus(sets);
}

sim::Task<DeploymentSync::Error> DeploymentSync::SyncStatus(NewAndOld sets) {
  const DeploymentStatus status = CalculateDeploymentStatus(deployment_, sets, profile_, Now());
  if (status == DeploymentStatus::From(deployment_)) co_return std::nullopt;
  deployment_ = WithStatus(deployment_, status);
  co_return co_await WriteStatus();
}

sim::Task<DeploymentSync::Error> DeploymentSync::SyncRolloutStatus(NewAndOld sets) {
  const DeploymentStatus status = RolloutStatus(deployment_, sets, profile_, Now());
  if (status == DeploymentStatus::From(deployment_)) {
    const std::optional<Duration> left = TimeToDeadline(deployment_, status, Now());
    if (left) tools_.look_at_deadline(deployment_.key(), *left);
    co_return std::nullopt;
  }
  deployment_ = WithStatus(deployment_, status);
  co_return co_await WriteStatus();
}

sim::Task<DeploymentSync::Error> DeploymentSync::WriteStatus() {
  client::Client::ObjectResult written =
      co_await tools_.client.UpdateStatus(tools_.deployments, deployment_);
  if (!written.ok()) co_return written.status();
  co_return std::nullopt;
}

}  // namespace ksim::controllers::deployment
