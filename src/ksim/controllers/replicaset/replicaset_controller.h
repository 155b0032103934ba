// The ReplicaSet controller: keeps spec.replicas pods of a template alive.
//
// It acts only on its informers' caches (live reads: the adoption check and the status retry), and
// protects itself from their lag by expectations and, in 1.36, by the consistency gate. A restart
// loses the work queue, the expectations and the consistency records, and nothing else.
//
// Source: pkg/controller/replicaset/replica_set.go.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/client/client.h"
#include "ksim/client/event_recorder.h"
#include "ksim/client/informer.h"
#include "ksim/client/reconciler.h"
#include "ksim/client/workqueue.h"
#include "ksim/controllers/common/consistency_store.h"
#include "ksim/controllers/common/expectations.h"
#include "ksim/controllers/common/pod_control.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/controllers/controller.h"
#include "ksim/controllers/replicaset/replicaset_status.h"
#include "ksim/value/selector.h"

namespace ksim::controllers {

// Pods created or deleted in one sync at most.
inline constexpr std::int64_t kBurstReplicas = 500;
inline constexpr std::int64_t kSlowStartInitialBatchSize = 1;
inline constexpr int kReplicaSetWorkers = 5;

// The kind of which it keeps the pods, and what goes with that: upstream makes the controller of
// ReplicationControllers of it by an adapter (pkg/controller/replication).
struct ReplicaKind {
  std::string_view kind, group, resource;
  std::string_view account;        // in whose name it asks, and the source of its Events
  bool selector_is_map = false;    // spec.selector is a map of labels
  bool reads_own_writes = true;    // where the version, or the variant, has it
  bool counts_terminating = true;  // where the version has status.terminatingReplicas
};
inline constexpr ReplicaKind kReplicaSets = {
    .kind = "ReplicaSet",
    .group = "apps",
    .resource = "replicasets",
    .account = "replicaset-controller",
};

class ReplicaSetController : public Controller, public client::Reconciler {
 public:
  explicit ReplicaSetController(ControllerContext context)
      : ReplicaSetController(std::move(context), kReplicaSets) {}
  ReplicaSetController(ControllerContext context, const ReplicaKind& kind);
  ~ReplicaSetController() override;
  void Start() override;

  const TrackingExpectations& expectations() const { return expectations_; }

 private:
  // --- handlers (replica_set.go addRS ... deletePod) ---
  void RegisterHandlers();
  void UpdateReplicaSet(const api::Object& old_rs, const api::Object& new_rs);
  void DeleteReplicaSet(const api::Object& rs);
  void AddPod(const api::Object& pod);
  void UpdatePod(const api::Object& old_pod, const api::Object& new_pod);
  void DeletePod(const api::Object& pod);
  void EnqueueAfterMinReady(const api::Object& rs);
  // The owner that a reference names, if the cache has it under that name with that uid.
  api::Object ResolveControllerRef(std::string_view ns,
                                   const std::optional<api::OwnerReference>& ref) const;
  std::vector<api::Object> MatchingReplicaSets(const api::Object& pod) const;

  // --- sync (syncReplicaSet) ---
  sim::Task<client::ReconcileResult> Reconcile(std::string key) override;
  // The pods whose controller it is.
  std::vector<api::Object> OwnedPods(const api::Object& rs) const;
  // The active ones of them and of those that nobody owns.
  std::vector<api::Object> CandidatePods(const api::Object& rs,
                                         std::vector<api::Object> owned) const;
  static std::vector<api::Object> TerminatingPods(const std::vector<api::Object>& owned,
                                                  const value::LabelSelector& selector);
  // nullopt: done. Creates or deletes up to kBurstReplicas pods.
  sim::Task<std::optional<api::Status>> ManageReplicas(std::string key, api::Object rs,
                                                       std::vector<api::Object> active);
  sim::Task<std::optional<api::Status>> CreatePods(std::string key, api::Object rs,
                                                   std::int64_t count);
  sim::Task<std::optional<api::Status>> DeletePods(std::string key, api::Object rs,
                                                   std::vector<api::Object> active,
                                                   std::int64_t count);
  std::vector<api::Object> ChooseVictims(const api::Object& rs,
                                         const std::vector<api::Object>& active,
                                         std::int64_t count) const;
  std::vector<api::Object> RelatedPods(const api::Object& rs) const;
  std::optional<Duration> NextAvailabilityCheck(const api::Object& rs,
                                                const std::vector<api::Object>& active,
                                                VirtualTime evaluated) const;

  // One call of a batch: reports to the batch, which lives in the waiting sync's frame.
  struct Batch;
  sim::Task<void> CreateOne(Batch* batch, api::Object rs);
  sim::Task<void> DeleteOne(Batch* batch, std::string key, api::Object rs, api::Object pod);

  absl::StatusOr<value::LabelSelector> SelectorOf(const api::Object& rs) const;

  ControllerContext context_;
  const ReplicaKind kind_;
  const Profile& profile_;
  const api::ResourceInfo* resource_;
  const api::ResourceInfo* pod_resource_;
  client::Client client_;
  client::EventRecorder recorder_;
  PodControl pods_;
  client::SharedInformer& rs_informer_;
  client::SharedInformer& pod_informer_;
  client::HandlerFuncs rs_handlers_, pod_handlers_;
  client::WorkQueue queue_;
  TrackingExpectations expectations_;
  ConsistencyStore consistency_;
  std::unique_ptr<client::ReconcileLoop> loop_;
};

}  // namespace ksim::controllers
