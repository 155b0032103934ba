#include "ksim/controllers/deployment/progress.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "ksim/api/core/timestamps.h"
#include "ksim/controllers/deployment/deployment_spec.h"

namespace ksim::controllers::deployment {

using value::Value;

namespace {

VirtualTime UpdateTime(const Value& condition) {
  return api::TimeOf(condition.Get("lastUpdateTime")).value_or(VirtualTime());
}

// `what`: "has successfully progressed", "is progressing", "has timed out progressing".
std::string ProgressText(const api::Object& deployment, const NewAndOld& sets, const char* what) {
  const bool of_set = !sets.latest.empty();
  return fmt::format("{} \"{}\" {}.", of_set ? "ReplicaSet" : "Deployment",
                     of_set ? sets.latest.name() : deployment.name(), what);
}

void EstimateProgress(const api::Object& deployment, const NewAndOld& sets,
                      const DeploymentStatus& before, VirtualTime now, DeploymentStatus* after) {
  const auto condition = [&](std::string_view status, std::string_view reason, const char* what) {
    return MakeDeploymentCondition(kProgressing, status, reason,
                                   ProgressText(deployment, sets, what), now);
  };
  if (IsComplete(deployment, *after)) {
    after->SetCondition(condition("True", kNewReplicaSetAvailable, "has successfully progressed"));
  } else if (IsProgressing(before, *after)) {
    // Each step of progress moves lastUpdateTime, also under the same reason.
    Value progressing = condition("True", kReplicaSetUpdated, "is progressing");
    const Value* const current = before.Condition(kProgressing);
    if (current != nullptr && current->Get("status").AsString() == "True")
      progressing =
          std::move(progressing).Set("lastTransitionTime", current->Get("lastTransitionTime"));
    after->RemoveCondition(kProgressing);
    after->SetCondition(std::move(progressing));
  } else if (HasTimedOut(deployment, *after, now)) {
    after->SetCondition(condition("False", kProgressDeadlineExceeded, "has timed out progressing"));
  }
}

}  // namespace

bool IsComplete(const api::Object& deployment, const DeploymentStatus& status) {
  const std::int64_t wanted = DeploymentReplicas(deployment);
  return status.updated == wanted && status.replicas == wanted && status.available == wanted &&
         status.observed_generation >= deployment.generation();
}

bool IsProgressing(const DeploymentStatus& before, const DeploymentStatus& after) {
  return after.updated > before.updated ||
         after.replicas - after.updated < before.replicas - before.updated ||
         after.ready > before.ready || after.available > before.available;
}

bool HasTimedOut(const api::Object& deployment, const DeploymentStatus& status, VirtualTime now) {
  const Value* const condition = status.Condition(kProgressing);
  if (!HasProgressDeadline(deployment) || condition == nullptr) return false;
  const std::string_view reason = condition->Get("reason").AsString();
  if (reason == kNewReplicaSetAvailable) return false;
  if (reason == kProgressDeadlineExceeded) return true;
  return UpdateTime(*condition) + ProgressDeadline(deployment) < now;
}

DeploymentStatus RolloutStatus(const api::Object& deployment, const NewAndOld& sets,
                               const Profile& profile, VirtualTime now) {
  const DeploymentStatus before = DeploymentStatus::From(deployment);
  DeploymentStatus after = CalculateDeploymentStatus(deployment, sets, profile, now);
  if (!HasProgressDeadline(deployment)) after.RemoveCondition(kProgressing);

  // Once a rollout has come to its end, nothing is estimated until the next one.
  const bool ended =
      after.replicas == after.updated && before.ProgressingReason() == kNewReplicaSetAvailable;
  if (HasProgressDeadline(deployment) && !ended)
    EstimateProgress(deployment, sets, before, now, &after);

  Value failure = FailureOf(sets);
  if (failure.is_null()) {
    after.RemoveCondition(kDeploymentReplicaFailure);
  } else {
    after.SetCondition(std::move(failure));
  }
  return after;
}

std::optional<Duration> TimeToDeadline(const api::Object& deployment, const DeploymentStatus& after,
                                       VirtualTime now) {
  const DeploymentStatus current = DeploymentStatus::From(deployment);
  const Value* const condition = current.Condition(kProgressing);
  if (!HasProgressDeadline(deployment) || condition == nullptr) return std::nullopt;
  if (IsComplete(deployment, after) || current.ProgressingReason() == kProgressDeadlineExceeded)
    return std::nullopt;
  return UpdateTime(*condition) + ProgressDeadline(deployment) - now;
}

}  // namespace ksim::controllers::deployment
