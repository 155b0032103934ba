// The DaemonSet controller: a pod on every node that the DaemonSet's template fits. It makes each
// pod for one node, by a required node affinity to the node's name; the scheduler binds it there.
//
// It acts on its informers' caches and protects itself from their lag by expectations and, in 1.36,
// by the consistency gate. A restart loses the queues, the expectations, the records of own writes
// and the back-off of failed pods.
//
// Source: pkg/controller/daemon/daemon_controller.go, update.go.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/client/client.h"
#include "ksim/client/core/keyed_backoff.h"
#include "ksim/client/event_recorder.h"
#include "ksim/client/informer.h"
#include "ksim/client/reconciler.h"
#include "ksim/client/workqueue.h"
#include "ksim/controllers/common/consistency_store.h"
#include "ksim/controllers/common/expectations.h"
#include "ksim/controllers/common/pod_control.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/controllers/controller.h"
#include "ksim/controllers/daemonset/daemon_pods.h"
#include "ksim/controllers/daemonset/daemon_rollout.h"
#include "ksim/controllers/daemonset/daemonset_history.h"

namespace ksim::controllers {

// Pods created, and deleted, at one go at most (BurstReplicas).
inline constexpr std::size_t kDaemonBurst = 250;
inline constexpr int kDaemonSetWorkers = 2;

class DaemonSetController : public Controller, public client::Reconciler {
 public:
  explicit DaemonSetController(ControllerContext context);
  ~DaemonSetController() override;
  void Start() override;

  const Expectations& expectations() const { return expectations_; }

 private:
  // --- handlers (addDaemonset ... updateNode) ---
  void RegisterHandlers();
  void UpdateDaemonSet(const api::Object& before, const api::Object& after);
  void DeleteDaemonSet(const api::Object& daemon_set);
  void AddRevision(const api::Object& revision);
  void UpdateRevision(const api::Object& before, const api::Object& after);
  void DeleteRevision(const api::Object& revision);
  void AddPod(const api::Object& pod);
  void UpdatePod(const api::Object& before, const api::Object& after);
  void DeletePod(const api::Object& pod);
  void AddNode(const api::Object& node);
  void UpdateNode(const api::Object& before, const api::Object& after);
  // The DaemonSet that controls an object, if the cache has it with that uid; else empty.
  api::Object OwnerOf(const api::Object& object) const;
  void EnqueueOwner(const api::Object& object);
  // Those whose selector matches the labels of a pod or of a revision.
  void EnqueueMatching(const api::Object& orphan);

  // --- nodes, from 1.36 on by a queue of their own ---
  sim::Task<void> NodeWorker();
  void SyncNode(const std::string& name);

  // --- sync (syncDaemonSet) ---
  sim::Task<client::ReconcileResult> Reconcile(std::string key) override;
  // Everything but the status. Returns what went wrong; "" = nothing.
  sim::Task<std::string> Act(api::Object daemon_set, std::vector<api::Object> nodes,
                             DaemonSetHistory::Found history);
  sim::Task<std::string> UpdateStatus(api::Object daemon_set, std::vector<api::Object> nodes,
                                      std::string hash, bool observed);
  sim::Task<api::Result<std::vector<api::Object>>> ClaimPods(api::Object daemon_set);
  // `with_ended`: those too that have ended and are being deleted.
  sim::Task<api::Result<PodsByNode>> ClaimPodsByNode(api::Object daemon_set, bool with_ended);

  // --- manage ---
  sim::Task<std::string> Manage(api::Object daemon_set, std::vector<api::Object> nodes,
                                std::string hash);
  // podsShouldBeOnNode. Tells of pods that have ended.
  void PlanNode(const api::Object& daemon_set, const api::Object& node, RunsOnNode runs,
                const PodsByNode& pods, std::string_view hash, DaemonChanges* changes);
  // The pods that still run; the others are told of, and go unless they are to wait.
  std::vector<api::Object> RunningPods(const api::Object& daemon_set, const api::Object& node,
                                       const std::vector<api::Object>& pods,
                                       DaemonChanges* changes);
  // True if the failed pod is to go.
  bool DeletesFailedPod(const api::Object& daemon_set, const api::Object& node,
                        const api::Object& pod);
  void PruneSurge(const api::Object& daemon_set, std::vector<api::Object> running,
                  std::string_view hash, DaemonChanges* changes) const;

  // --- syncNodes ---
  sim::Task<std::string> Apply(api::Object daemon_set, DaemonChanges changes, std::string hash);
  struct Batch;
  sim::Task<void> CreateOne(Batch* batch, api::Object daemon_set, value::Value pod_template);
  sim::Task<void> DeleteOne(Batch* batch, api::Object daemon_set, std::string name);

  ControllerContext context_;
  const Profile& profile_;
  const api::ResourceInfo* resource_;
  const api::ResourceInfo* pod_resource_;
  client::Client client_;
  client::EventRecorder recorder_;
  PodControl pods_;
  client::SharedInformer& sets_;
  client::SharedInformer& revisions_;
  client::SharedInformer& pod_informer_;
  client::SharedInformer& nodes_;
  client::HandlerFuncs set_handlers_, revision_handlers_, pod_handlers_, node_handlers_;
  client::WorkQueue queue_, node_queue_;
  Expectations expectations_;
  ConsistencyStore consistency_;
  // A failed pod stays on its node that long before it is deleted: else the controller, which makes
  // it anew, and a kubelet that refuses it would race each other (apps.go
  // startDaemonSetController).
  client::KeyedBackoff failed_pods_{Seconds(1), Minutes(15)};
  DaemonSetHistory history_;
  std::unique_ptr<client::ReconcileLoop> loop_;
};

}  // namespace ksim::controllers
