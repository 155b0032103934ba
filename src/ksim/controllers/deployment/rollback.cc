// The part of a DeploymentSync (deployment_sync.h) that rolls back for clients of an older API;
// what kubectl rollout undo does, it does by itself.
//
// Source: pkg/controller/deployment/rollback.go; pkg/controller/deployment/util/deployment_util.go
// SetFromReplicaSetTemplate.
#include <fmt/format.h>

#include <utility>

#include "ksim/controllers/deployment/deployment_sync.h"
#include "ksim/controllers/deployment/revisions.h"

namespace ksim::controllers::deployment {

using value::Path;
using value::Value;

sim::Task<DeploymentSync::Error> DeploymentSync::RollBack() {
  NewAndOld sets;
  Error error = co_await FindSets(true, &sets);
  if (error) co_return error;
  const ReplicaSetList all = sets.All();
  std::int64_t revision = RollbackRevision(deployment_).value_or(0);
  if (revision == 0) {
    revision = LastRevision(all);
    if (revision == 0) {
      Record("Warning", "DeploymentRollbackRevisionNotFound", "Unable to find last revision.");
      co_return co_await ClearRollback();
    }
  }
  for (const api::Object& set : all) {
    if (RevisionOf(set) == revision) co_return co_await RollBackTo(set, revision);
  }
  Record("Warning", "DeploymentRollbackRevisionNotFound",
         "Unable to find the revision to rollback to.");
  co_return co_await ClearRollback();
}

sim::Task<DeploymentSync::Error> DeploymentSync::RollBackTo(api::Object set,
                                                            std::int64_t revision) {
  const ReplicaSetList only = {set};
  const bool unchanged = !FindNewReplicaSet(deployment_, only, profile_).empty();
  if (unchanged) {
    Record("Warning", "DeploymentRollbackTemplateUnchanged",
           fmt::format("The rollback revision contains the same template as current deployment "
                       "\"{}\"",
                       deployment_.name()));
    co_return co_await ClearRollback();
  }
  static const Path kTemplate{"spec", "template"};
  static const Path kHash{"metadata", "labels", kTemplateHashLabel};
  const Value pod_template = set.spec().Get("template").Erase(kHash);
  deployment_ = api::Object::FromTree(deployment_.tree().Set(kTemplate, pod_template),
                                      deployment_.resource_version());
  deployment_ = WithAnnotationsOf(deployment_, set);
  Error error = co_await ClearRollback();
  if (!error) {
    Record(
        "Normal", "DeploymentRollback",
        fmt::format("Rolled back deployment \"{}\" to revision {}", deployment_.name(), revision));
  }
  co_return error;
}

sim::Task<DeploymentSync::Error> DeploymentSync::ClearRollback() {
  const Path annotation{"metadata", "annotations", kRollbackAnnotation};
  deployment_ =
      api::Object::FromTree(deployment_.tree().Erase(annotation), deployment_.resource_version());
  client::Client::ObjectResult written =
      co_await tools_.client.Update(tools_.deployments, deployment_);
  if (!written.ok()) co_return written.status();
  co_return std::nullopt;
}

}  // namespace ksim::controllers::deployment
