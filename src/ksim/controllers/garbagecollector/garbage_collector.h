// The garbage collector: deletes what has lost all its owners, lets owners go that wait for their
// dependents, and takes the references to an owner away that is deleted and leaves orphans.
//
// Its graph may lag behind, so it asks the API server for an object and each of its owners before
// it deletes. A restart loses the graph and the queues, which the lists of the informers bring
// back.
//
// Source: pkg/controller/garbagecollector/garbagecollector.go;
// cmd/kube-controller-manager/app/core.go startGarbageCollectorController.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ksim/client/client.h"
#include "ksim/client/event_recorder.h"
#include "ksim/client/informer.h"
#include "ksim/client/reconciler.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/controllers/controller.h"
#include "ksim/controllers/garbagecollector/discovered_kinds.h"
#include "ksim/controllers/garbagecollector/graph_builder.h"
#include "ksim/controllers/garbagecollector/node_queue.h"
#include "ksim/controllers/garbagecollector/object_requests.h"
#include "ksim/controllers/garbagecollector/owner_lookup.h"
#include "ksim/sim/mailbox.h"

namespace ksim::controllers {

// Workers of each of the two queues.
inline constexpr int kGarbageCollectorWorkers = 20;

class GarbageCollector : public Controller, private GraphBuilder::Sink {
 public:
  explicit GarbageCollector(ControllerContext context);
  ~GarbageCollector() override;
  void Start() override;

  const Graph& graph() const { return builder_.graph(); }

 private:
  // The informer of one resource, and what it tells the graph's builder.
  struct Monitor;
  // The patches of one owner's dependents.
  struct Batch;

  // --- GraphBuilder::Sink ---
  void AttemptToDelete(const NodePtr& node) override { to_delete_.Add(node); }
  void AttemptToDeleteLater(const NodePtr& node) override { to_delete_.AddRateLimited(node); }
  void AttemptToOrphan(const NodePtr& node) override { to_orphan_.Add(node); }
  void TellOfInvalidNamespace(const Node& dependent, const Owner& owner) override;

  // --- monitors ---
  sim::Task<void> Run();
  sim::Task<void> WatchNewKinds();
  // Asks discovery. False: it tells of nothing new.
  bool AskDiscovery();
  // Watches the resources that discovery told of and that have had objects, but those that are
  // watched already. What is listed then is the work of this controller, whoever woke it.
  void AddMonitors();
  bool MonitorsHaveSynced() const;
  sim::Task<void> WaitForMonitors();
  sim::Task<void> ResyncMonitors();
  void Wake(bool* reason);
  const client::Lister* CacheOf(const api::ResourceInfo* resource) const;

  // --- the workers ---
  sim::Task<client::ReconcileResult> DeleteWorker(NodePtr node);
  sim::Task<Outcome> AttemptToDeleteItem(NodePtr node);
  sim::Task<Outcome> CollectItem(NodePtr node, api::Object latest);
  sim::Task<Outcome> ProcessDeletingDependents(NodePtr node);
  sim::Task<Outcome> DeleteInForeground(NodePtr node, api::Object latest);
  sim::Task<client::ReconcileResult> OrphanWorker(NodePtr node);
  sim::Task<Outcome> OrphanDependents(NodePtr node);
  sim::Task<void> OrphanOne(Batch* batch, NodePtr dependent, std::string owner_uid);

  ControllerContext context_;
  const Profile& profile_;
  client::Client client_;  // upstream's metadata client
  client::EventRecorder recorder_;
  GraphBuilder builder_;
  DiscoveredKinds kinds_;
  ObjectRequests requests_;
  OwnerLookup owners_;
  NodeQueue to_delete_, to_orphan_;
  std::vector<std::unique_ptr<Monitor>> monitors_;
  absl::flat_hash_map<const api::ResourceInfo*, Monitor*> monitor_of_;  // looked up only
  std::vector<const api::ResourceInfo*> discovered_;
  std::shared_ptr<const void> first_objects_;
  bool definitions_changed_ = false;
  bool has_new_objects_ = false;  // of a resource that had none
  std::uint64_t start_cause_ = 0;
  sim::Signal changed_;
};

}  // namespace ksim::controllers
