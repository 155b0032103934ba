// The Deployment controller: rolls from the ReplicaSet of an old template to that of a new one, a
// step a sync (deployment_sync.h). It has no memory but its queue: what it has to know stands in
// annotations and statuses.
//
// Source: pkg/controller/deployment/deployment_controller.go.
#pragma once
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "ksim/client/client.h"
#include "ksim/client/event_recorder.h"
#include "ksim/client/informer.h"
#include "ksim/client/reconciler.h"
#include "ksim/client/workqueue.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/controllers/controller.h"
#include "ksim/controllers/deployment/deployment_sync.h"

namespace ksim::controllers::deployment {

inline constexpr int kDeploymentWorkers = 5;
// A Deployment that fails is tried again so often, and then dropped.
inline constexpr int kDeploymentMaxRetries = 15;

class DeploymentController : public Controller, public client::Reconciler {
 public:
  explicit DeploymentController(ControllerContext context);
  ~DeploymentController() override;
  void Start() override;
  // A rollout that stands still has a deadline.
  bool HasWorkAhead(const Heartbeats& heartbeats) const override;

 private:
  // --- handlers ---
  void RegisterHandlers();
  void AddSet(const api::Object& set);
  void UpdateSet(const api::Object& old_set, const api::Object& new_set);
  void DeleteSet(const api::Object& set);
  // Wakes a Deployment of the strategy Recreate once its last pod is gone.
  void DeletePod(const api::Object& pod);
  // The handler for deleted pods asks the server and holds up what comes after it.
  sim::Task<void> HandleDeletedPods();
  sim::Task<void> HandleDeletedPod(api::Object pod);
  api::Object ResolveControllerRef(std::string_view ns,
                                   const std::optional<api::OwnerReference>& owner) const;
  api::Object DeploymentOfPod(const api::Object& pod) const;
  void EnqueueOwner(const api::Object& set);
  // Those whose selectors match a ReplicaSet that nobody owns.
  void EnqueueMatching(const api::Object& set);

  // --- sync ---
  sim::Task<client::ReconcileResult> Reconcile(std::string key) override;
  sim::Task<void> TellOfEmptySelector(api::Object deployment);
  client::ReconcileResult ResultOf(const std::string& key,
                                   const DeploymentSync::Error& error) const;

  // --- deadlines ---
  void LookAtDeadline(const std::string& key, Duration left);
  sim::Task<void> WaitForDeadline(std::string key, VirtualTime due);

  ControllerContext context_;
  const Profile& profile_;
  const api::ResourceInfo* resource_;
  client::Client client_;
  client::EventRecorder recorder_;
  client::SharedInformer& deployment_informer_;
  client::SharedInformer& set_informer_;
  client::SharedInformer& pod_informer_;
  client::HandlerFuncs deployment_handlers_, set_handlers_, pod_handlers_;
  client::WorkQueue queue_;
  std::deque<api::Object> deleted_pods_;
  bool handling_deleted_pods_ = false;
  absl::btree_map<std::string, VirtualTime> deadlines_;  // when a key is to be looked at
  DeploymentTools tools_;
  std::unique_ptr<client::ReconcileLoop> loop_;
};

}  // namespace ksim::controllers::deployment
