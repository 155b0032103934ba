#include "ksim/controllers/deployment/deployment_status.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "ksim/api/conditions.h"
#include "ksim/controllers/deployment/deployment_spec.h"
#include "ksim/value/timestamp.h"

namespace ksim::controllers::deployment {

using value::Value;

namespace {

std::optional<std::int64_t> IntOrNone(const Value& number) {
  if (number.is_null()) return std::nullopt;
  return number.AsInt();
}

const Value* FailureIn(const api::Object& set) {
  return api::FindCondition(set.status().Get("conditions"), kDeploymentReplicaFailure);
}

}  // namespace

DeploymentStatus DeploymentStatus::From(const api::Object& deployment) {
  const Value& tree = deployment.status();
  DeploymentStatus status;
  status.observed_generation = tree.Get("observedGeneration").AsInt();
  status.replicas = tree.Get("replicas").AsInt();
  status.updated = tree.Get("updatedReplicas").AsInt();
  status.ready = tree.Get("readyReplicas").AsInt();
  status.available = tree.Get("availableReplicas").AsInt();
  status.unavailable = tree.Get("unavailableReplicas").AsInt();
  status.terminating = IntOrNone(tree.Get("terminatingReplicas"));
  status.collisions = IntOrNone(tree.Get("collisionCount"));
  status.conditions = tree.Get("conditions");
  return status;
}

Value DeploymentStatus::ToTree() const {
  value::ObjectBuilder tree;
  const auto count = [&tree](const char* name, std::int64_t n) {
    tree.AddIf(n != 0, name, Value::Int(n));
  };
  count("observedGeneration", observed_generation);
  count("replicas", replicas);
  count("updatedReplicas", updated);
  count("readyReplicas", ready);
  count("availableReplicas", available);
  count("unavailableReplicas", unavailable);
  if (terminating) tree.Add("terminatingReplicas", Value::Int(*terminating));
  if (collisions) tree.Add("collisionCount", Value::Int(*collisions));
  tree.AddIf(!conditions.empty(), "conditions", conditions);
  return tree.Build();
}

bool operator==(const DeploymentStatus& a, const DeploymentStatus& b) {
  const bool same_conditions =
      (a.conditions.empty() && b.conditions.empty()) || a.conditions == b.conditions;
  return a.observed_generation == b.observed_generation && a.replicas == b.replicas &&
         a.updated == b.updated && a.ready == b.ready && a.available == b.available &&
         a.unavailable == b.unavailable && a.terminating == b.terminating &&
         a.collisions == b.collisions && same_conditions;
}

const Value* DeploymentStatus::Condition(std::string_view type) const {
  return api::FindCondition(conditions, type);
}

std::string_view DeploymentStatus::ProgressingReason() const {
  const Value* const condition = Condition(kProgressing);
  return condition != nullptr ? condition->Get("reason").AsString() : std::string_view();
}

void DeploymentStatus::SetCondition(Value condition) {
  const Value* const current = Condition(condition.Get("type").AsString());
  if (current != nullptr && current->Get("status") == condition.Get("status")) {
    if (current->Get("reason").AsString() == condition.Get("reason").AsString()) return;
    condition = std::move(condition).Set("lastTransitionTime", current->Get("lastTransitionTime"));
  }
  RemoveCondition(condition.Get("type").AsString());
  conditions = conditions.Append(std::move(condition));
}

void DeploymentStatus::RemoveCondition(std::string_view type) {
  conditions = api::RemoveCondition(conditions, type);
}

api::Object WithStatus(const api::Object& deployment, const DeploymentStatus& status) {
  return api::Object::FromTree(deployment.tree().Set("status", status.ToTree()),
                               deployment.resource_version());
}

Value MakeDeploymentCondition(std::string_view type, std::string_view status,
                              std::string_view reason, const std::string& message,
                              VirtualTime now) {
  return value::Obj({{"type", Value::String(type)},
                     {"status", Value::String(status)},
                     {"lastUpdateTime", value::TimestampValue(now)},
                     {"lastTransitionTime", value::TimestampValue(now)},
                     {"reason", Value::String(reason)},
                     {"message", Value::String(message)}});
}

Value FailureOf(const NewAndOld& sets) {
  const Value* failure = FailureIn(sets.latest);
  for (const api::Object& set : sets.old) {
    if (failure != nullptr) break;
    failure = FailureIn(set);
  }
  if (failure == nullptr) return {};
  return failure->Set("lastUpdateTime", failure->Get("lastTransitionTime"));
}

DeploymentStatus CalculateDeploymentStatus(const api::Object& deployment, const NewAndOld& sets,
                                           const Profile& profile, VirtualTime now) {
  const DeploymentStatus before = DeploymentStatus::From(deployment);
  const ReplicaSetList all = sets.All();
  DeploymentStatus status;
  status.observed_generation = deployment.generation();
  status.replicas = SumOfReplicas(all);
  status.updated = SumOfReplicas({sets.latest});
  status.ready = SumOfReady(all);
  status.available = SumOfAvailable(all);
  status.unavailable = std::max(std::int64_t{0}, SumOfSizes(all) - status.available);
  status.collisions = before.collisions;
  if (profile.terminating_replicas) status.terminating = SumOfTerminating(all);
  status.conditions = before.conditions;

  const std::int64_t least = DeploymentReplicas(deployment) - MaxUnavailable(deployment);
  if (status.available >= least) {
    status.SetCondition(MakeDeploymentCondition("Available", "True", "MinimumReplicasAvailable",
                                                "Deployment has minimum availability.", now));
  } else {
    status.SetCondition(MakeDeploymentCondition("Available", "False", "MinimumReplicasUnavailable",
                                                "Deployment does not have minimum availability.",
                                                now));
  }
  return status;
}

}  // namespace ksim::controllers::deployment
