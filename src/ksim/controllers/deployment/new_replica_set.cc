// The part of a DeploymentSync (deployment_sync.h) that finds or makes the new ReplicaSet and keeps
// revisions.
//
// Source: pkg/controller/deployment/sync.go (getAllReplicaSetsAndSyncRevision, getNewReplicaSet,
// generateReplicaSetName); pkg/controller/deployment/util/deployment_util.go NewRSNewReplicas.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/controllers/common/template_hash.h"
#include "ksim/controllers/deployment/deployment_spec.h"
#include "ksim/controllers/deployment/deployment_sync.h"
#include "ksim/controllers/deployment/new_set_size.h"
#include "ksim/controllers/deployment/revisions.h"
#include "ksim/sim/probe.h"

namespace ksim::controllers::deployment {

using value::Path;
using value::Value;

namespace {

constexpr std::size_t kMaxNameLength = 253;  // validation.DNS1123SubdomainMaxLength

// From 1.34 on the Deployment's name is cut so that the hash has room.
std::string NameOfSet(std::string_view deployment, std::string_view hash, const Profile& profile) {
  if (profile.cuts_replica_set_names)
    deployment = deployment.substr(0, kMaxNameLength - 1 - hash.size());
  return fmt::format("{}-{}", deployment, hash);
}

// The ReplicaSet of the Deployment's template, without a size and annotations.
api::Object BareSet(const api::Object& deployment, const std::string& hash,
                    const std::string& name) {
  static const Path kLabels{"metadata", "labels"};
  static const Path kHashOfTemplate{"metadata", "labels", kTemplateHashLabel};
  static const Path kHashOfSelector{"matchLabels", kTemplateHashLabel};
  const Value& spec = deployment.spec();
  const Value pod_template = spec.Get("template").Set(kHashOfTemplate, Value::String(hash));
  const Value owner = value::Obj({{"apiVersion", Value::Of("apps/v1")},
                                  {"kind", Value::Of("Deployment")},
                                  {"name", Value::String(deployment.name())},
                                  {"uid", Value::String(deployment.uid())},
                                  {"controller", Value::Bool(true)},
                                  {"blockOwnerDeletion", Value::Bool(true)}});
  const Value metadata = value::Obj({{"name", Value::String(name)},
                                     {"namespace", Value::String(deployment.ns())},
                                     {"labels", pod_template.Get(kLabels)},
                                     {"ownerReferences", value::Arr({owner})}});
  value::ObjectBuilder set_spec;
  set_spec.Add("replicas", Value::Int(0));
  const Value& min_ready = spec.Get("minReadySeconds");
  set_spec.AddIf(min_ready.AsInt() != 0, "minReadySeconds", min_ready);
  set_spec.Add("selector", spec.Get("selector").Set(kHashOfSelector, Value::String(hash)));
  set_spec.Add("template", pod_template);
  return api::Object::FromTree(value::Obj({{"apiVersion", Value::Of("apps/v1")},
                                           {"kind", Value::Of("ReplicaSet")},
                                           {"metadata", metadata},
                                           {"spec", set_spec.Build()}}));
}

}  // namespace

sim::Task<DeploymentSync::Error> DeploymentSync::FindSets(bool create, NewAndOld* sets) {
  const api::Object existing = FindNewReplicaSet(deployment_, claimed_, profile_);
  sets->old = FindOldReplicaSets(claimed_, existing);
  const std::int64_t revision = MaxRevision(sets->old) + 1;
  sets->latest = api::Object();
  if (existing.empty() && !create) co_return std::nullopt;
  if (existing.empty()) {
    client::Client::ObjectResult created = co_await CreateNew(sets->old, revision);
    if (!created.ok()) co_return created.status();
    sets->latest = *created;
  } else {
    client::Client::ObjectResult adopted = co_await AdoptExisting(existing, revision);
    if (!adopted.ok()) co_return adopted.status();
    sets->latest = *adopted;
  }
  co_return std::nullopt;
}

sim::Task<client::Client::ObjectResult> DeploymentSync::AdoptExisting(api::Object existing,
                                                                      std::int64_t revision) {
  // 1. Bring its annotations up to date. The Deployment's own revision then waits for another sync.
  const api::Object annotated = WithNewSetAnnotations(deployment_, existing, revision, false);
  const Value& wanted = deployment_.spec().Get("minReadySeconds");
  const bool min_ready_differs = wanted.AsInt() != existing.spec().Get("minReadySeconds").AsInt();
  if (!annotated.SameVersion(existing) || min_ready_differs) {
    static const Path kMinReady{"spec", "minReadySeconds"};
    Value tree = annotated.tree();
    if (min_ready_differs)
      tree = wanted.AsInt() != 0 ? tree.Set(kMinReady, wanted) : tree.Erase(kMinReady);
    const api::Object changed = api::Object::FromTree(std::move(tree), existing.resource_version());
    co_return co_await tools_.client.Update(set_resource(), changed);
  }

  // 2. Tell its revision, and that it was found, in the Deployment.
  const api::Object with_revision =
      WithAnnotation(deployment_, kRevisionAnnotation, existing.Annotation(kRevisionAnnotation));
  bool differs = !with_revision.SameVersion(deployment_);
  deployment_ = with_revision;
  const DeploymentStatus status = DeploymentStatus::From(deployment_);
  if (HasProgressDeadline(deployment_) && status.Condition(kProgressing) == nullptr) {
    SetProgressing("True", kFoundNewReplicaSet,
                   fmt::format("Found new replica set \"{}\"", existing.name()));
    differs = true;
  }
  if (!differs) co_return existing;
  Error error = co_await WriteStatus();
  if (error) co_return *error;
  co_return existing;
}

sim::Task<client::Client::ObjectResult> DeploymentSync::CreateNew(ReplicaSetList old,
                                                                  std::int64_t revision) {
  // 1. The object, with as many pods as there is room for.
  const std::string hash = ComputeHash(deployment_.spec().Get("template"),
                                       DeploymentStatus::From(deployment_).collisions, profile_);
  const std::string name = NameOfSet(deployment_.name(), hash, profile_);
  const api::Object bare = BareSet(deployment_, hash, name);
  const std::optional<std::int64_t> size = NewSetSize(deployment_, SumOfSizes(old), 0);
  if (!size) {
    co_return api::Unmapped(
        500, fmt::format("deployment type {} isn't supported", StrategyType(deployment_)));
  }
  static const Path kReplicas{"spec", "replicas"};
  const api::Object sized = api::Object::FromTree(bare.tree().Set(kReplicas, Value::Int(*size)));
  const api::Object made = WithNewSetAnnotations(deployment_, sized, revision, true);

  // 2. Create it.
  client::Client::ObjectResult created = co_await tools_.client.Create(set_resource(), made);
  const bool existed = !created.ok() && api::IsAlreadyExists(created.status());
  if (existed) {
    created = co_await ResolveCollision(name, created.status());
    if (!created.ok()) co_return created;
  } else if (!created.ok()) {
    const bool terminating = api::HasCause(created.status(), "NamespaceTerminating");
    if (!terminating) co_await ReportFailedCreate(name, created.status());
    co_return created;
  }
  if (!existed && *size > 0) {
    const char* const text = profile_.scaled_from_to ? "Scaled up replica set {} from 0 to {}"
                                                     : "Scaled up replica set {} to {}";
    Record("Normal", "ScalingReplicaSet", fmt::format(fmt::runtime(text), created->name(), *size));
  }

  // 3. Tell its revision, and that it is made, in the Deployment.
  const api::Object with_revision =
      WithAnnotation(deployment_, kRevisionAnnotation, std::to_string(revision));
  bool differs = !with_revision.SameVersion(deployment_);
  deployment_ = with_revision;
  if (!existed && HasProgressDeadline(deployment_)) {
    SetProgressing("True", kNewReplicaSetCreated,
                   fmt::format("Created new replica set \"{}\"", created->name()));
    differs = true;
  }
  if (!differs) co_return created;
  Error error = co_await WriteStatus();
  if (error) co_return *error;
  co_return created;
}

sim::Task<client::Client::ObjectResult> DeploymentSync::ResolveCollision(std::string name,
                                                                         api::Status exists) {
  const api::Object cached = tools_.replica_sets.lister().Get(deployment_.ns(), name);
  if (cached.empty()) {
    const api::GroupResource resource("apps", "replicaset");
    co_return api::NotFound(resource, name);
  }
  const std::optional<api::OwnerReference> owner = cached.controller();
  const ReplicaSetList only = {cached};
  const bool equal = !FindNewReplicaSet(deployment_, only, profile_).empty();
  if (owner && owner->uid == deployment_.uid() && equal) co_return cached;

  // Another template has the same hash: the next sync makes another one.
  if (!tools_.counts_collisions) {
    KSIM_PROBE("variant/deployment.hashCollision");
    co_return exists;
  }
  DeploymentStatus status = DeploymentStatus::From(deployment_);
  status.collisions = status.collisions.value_or(0) + 1;
  deployment_ = WithStatus(deployment_, status);
  co_await WriteStatus();
  co_return exists;
}

sim::Task<void> DeploymentSync::ReportFailedCreate(std::string name, api::Status error) {
  const std::string message =
      fmt::format("Failed to create new replica set \"{}\": {}", name, error.message);
  if (HasProgressDeadline(deployment_)) {
    SetProgressing("False", kReplicaSetCreateError, message);
    co_await WriteStatus();
  }
  Record("Warning", kReplicaSetCreateError, message);
}

}  // namespace ksim::controllers::deployment
