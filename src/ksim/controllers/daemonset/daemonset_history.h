// DaemonSetHistory: the ControllerRevisions of DaemonSets. A sync finds the one that has its
// template, or makes it, and drops old ones that no pod is of.
//
// Source: pkg/controller/daemon/update.go constructHistory, dedupCurHistories, snapshot,
// cleanupHistory, controlledHistories.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/api/status.h"
#include "ksim/client/client.h"
#include "ksim/client/informer.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/controllers/daemonset/daemon_pods.h"
#include "ksim/sim/task.h"

namespace ksim::controllers {

class DaemonSetHistory {
 public:
  // Claims the pods of a DaemonSet (getDaemonPods).
  using ClaimPods =
      std::function<sim::Task<api::Result<std::vector<api::Object>>>(api::Object daemon_set)>;
  // All outlive it.
  DaemonSetHistory(client::Client& client, client::SharedInformer& revisions,
                   const api::ResourceInfo* daemon_sets, const api::ResourceInfo* pods,
                   const Profile& profile, ClaimPods claim_pods);

  struct Found {
    Found() = default;
    std::string hash;              // of the current revision
    std::vector<api::Object> old;  // the others
  };
  sim::Task<api::Result<Found>> Construct(api::Object daemon_set);
  // Deletes the oldest ones beyond spec.revisionHistoryLimit but those that pods are of. Returns
  // what went wrong; "" = nothing.
  sim::Task<std::string> CleanUp(api::Object daemon_set, std::vector<api::Object> old,
                                 PodsByNode pods);

 private:
  using Result = client::Client::ObjectResult;
  // Those that it controls, after adopting and releasing.
  sim::Task<api::Result<std::vector<api::Object>>> Controlled(api::Object daemon_set);
  // Gives a revision its name as its hash label, if it has none.
  sim::Task<Result> Labeled(api::Object revision);
  // The one of several equal revisions that stays.
  sim::Task<Result> Dedup(api::Object daemon_set, std::vector<api::Object> current);
  sim::Task<api::Result<bool>> Relabel(api::Object daemon_set, std::string hash);
  sim::Task<Result> Snapshot(api::Object daemon_set, value::Value data, std::int64_t revision);
  // Its name is taken by a revision of another template: counts that in the DaemonSet's status, so
  // that the next sync finds another name. Returns what the sync fails with.
  sim::Task<api::Status> Collide(api::Object daemon_set, api::Status taken);
  sim::Task<Result> Delete(api::Object revision);

  client::Client& client_;
  client::SharedInformer& revisions_;
  const api::ResourceInfo* daemon_sets_;
  const api::ResourceInfo* pods_;
  const Profile& profile_;
  ClaimPods claim_pods_;
};

}  // namespace ksim::controllers
