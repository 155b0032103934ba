// DeploymentSync: one sync of one Deployment, from the ReplicaSets that it has claimed to its
// status. It works on a copy of the cached Deployment: what a sync writes goes into the copy, but
// not the version that the server answers with, so that a second write of one sync meets a conflict
// and the Deployment comes again, as upstream's does.
//
// Its parts stand in a file each: deployment_sync.cc (which part runs, and statuses),
// new_replica_set.cc, scaling.cc (sizes and history), rolling.cc, recreate.cc, rollback.cc.
//
// Source:
// pkg/controller/deployment/{deployment_controller,sync,rolling,recreate,rollback,progress}.go.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/api/status.h"
#include "ksim/client/client.h"
#include "ksim/client/event_recorder.h"
#include "ksim/client/informer.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/controllers/deployment/deployment_status.h"
#include "ksim/controllers/deployment/replica_sets.h"
#include "ksim/sim/process.h"
#include "ksim/sim/task.h"

namespace ksim::controllers::deployment {

// The tools that the controller lends to a sync.
struct DeploymentTools {
  client::Client& client;
  client::EventRecorder& recorder;
  sim::Process& process;
  const Profile& profile;
  const api::ResourceInfo* deployments;
  client::SharedInformer& replica_sets;
  client::SharedInformer& pods;
  // Asks for another sync once the rollout's deadline may be over: at once and rate limited if less
  // than a second is left.
  std::function<void(const std::string& key, Duration left)> look_at_deadline;
  bool counts_collisions = true;  // the variant deployment.hashCollision
};

// The pods of the ReplicaSets, as the cache has them (getPodMapForDeployment).
std::vector<api::Object> PodsOfSets(const client::SharedInformer& pods,
                                    const api::Object& deployment, const ReplicaSetList& sets,
                                    const Profile& profile);

class DeploymentSync {
 public:
  using Error = std::optional<api::Status>;  // nullopt: none

  DeploymentSync(DeploymentTools& tools, api::Object deployment, ReplicaSetList claimed);
  sim::Task<Error> Run();

 private:
  struct Scaled {
    Scaled() = default;
    bool scaled = false;
    api::Object set;  // as the server answered; as it was if nothing was written
    Error error;
  };

  // --- deployment_sync.cc ---
  sim::Task<Error> CheckPausedCondition();
  sim::Task<Error> SyncStatusOnly();
  sim::Task<Error> ScaleAndSyncStatus();  // sync.go sync
  sim::Task<Error> SyncStatus(NewAndOld sets);
  sim::Task<Error> SyncRolloutStatus(NewAndOld sets);
  sim::Task<Error> WriteStatus();

  // --- new_replica_set.cc ---
  // The ReplicaSets with revisions up to date; with `create` the new one is made if it is not
  // there.
  sim::Task<Error> FindSets(bool create, NewAndOld* sets);
  sim::Task<client::Client::ObjectResult> AdoptExisting(api::Object existing,
                                                        std::int64_t revision);
  sim::Task<client::Client::ObjectResult> CreateNew(ReplicaSetList old, std::int64_t revision);
  // A ReplicaSet of the name is there: our own, or a collision of hashes.
  sim::Task<client::Client::ObjectResult> ResolveCollision(std::string name, api::Status exists);
  sim::Task<void> ReportFailedCreate(std::string name, api::Status error);

  // --- scaling.cc ---
  bool IsScalingEvent(const NewAndOld& sets) const;
  sim::Task<Error> Scale(NewAndOld sets);
  // With `force` the annotations are brought up to date even if the size stays. `direction`: the
  // word for the Event where it does not follow from the size (before 1.32).
  sim::Task<Scaled> ScaleSet(api::Object set, std::int64_t size, bool force,
                             const char* direction = nullptr);
  sim::Task<Error> CleanUpHistory(ReplicaSetList old);

  // --- rolling.cc ---
  sim::Task<Error> RollOut();
  sim::Task<Scaled> ScaleNewSet(NewAndOld sets);
  // Whether it scaled one down. Errors on the way are swallowed.
  sim::Task<bool> ScaleDownOldSets(NewAndOld sets);
  // How many pods it took away; nullopt after an error. Updates `old`.
  sim::Task<std::optional<std::int64_t>> CleanUpUnhealthy(ReplicaSetList* old, std::int64_t most);
  sim::Task<std::optional<std::int64_t>> ScaleDownAvailable(ReplicaSetList old, api::Object latest);

  // --- recreate.cc ---
  sim::Task<Error> Recreate(std::vector<api::Object> pods);
  bool OldPodsRun(const NewAndOld& sets, const std::vector<api::Object>& pods) const;

  // --- rollback.cc ---
  sim::Task<Error> RollBack();
  sim::Task<Error> RollBackTo(api::Object set, std::int64_t revision);
  sim::Task<Error> ClearRollback();

  VirtualTime Now() const { return tools_.process.Now(); }
  const api::ResourceInfo* set_resource() const { return tools_.replica_sets.resource(); }
  void SetProgressing(std::string_view status, std::string_view reason, const std::string& message);
  void Record(std::string_view type, std::string_view reason, const std::string& message) {
    tools_.recorder.Event(deployment_, type, reason, message);
  }

  DeploymentTools& tools_;
  const Profile& profile_;
  api::Object deployment_;  // the copy
  ReplicaSetList claimed_;  // by age, as they were cached
};

}  // namespace ksim::controllers::deployment
