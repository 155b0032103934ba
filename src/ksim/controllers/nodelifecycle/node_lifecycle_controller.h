// The node lifecycle controller: notices nodes whose kubelets have fallen silent.
//
//   every 5 s        MonitorNodeHealth: conditions become Unknown, pods not ready, NoExecute taints
//                    are asked for or taken away, zones change their rates
//   every 100 ms     TaintLoop: gives the NoExecute taints that were asked for, at the zone's rate
//   on node events   NoSchedule taints by the conditions, old labels by the new ones
//   on pod events    a pod that comes to a node which is not ready is marked
//
// A pass of either loop that finds nothing to do makes no request and no event. The first goes on
// in the background; the second sleeps until a look may bring something, and its looks are at the
// times that they would have otherwise.
//
// In 1.25 it has the taint eviction inside.
//
// Source: pkg/controller/nodelifecycle/node_lifecycle_controller.go.
#pragma once
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "ksim/client/client.h"
#include "ksim/client/event_recorder.h"
#include "ksim/client/informer.h"
#include "ksim/client/workqueue.h"
#include "ksim/controllers/common/node_writes.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/controllers/common/ticks.h"
#include "ksim/controllers/controller.h"
#include "ksim/controllers/nodelifecycle/node_health.h"
#include "ksim/controllers/nodelifecycle/zones.h"
#include "ksim/controllers/tainteviction/taint_eviction.h"
#include "ksim/sim/mailbox.h"

namespace ksim::controllers {

// The NoSchedule taints that the conditions of a node ask for, and spec.unschedulable, in the order
// of the conditions. nodeConditionToTaintKeyStatusMap.
Taints TaintsOfConditions(const api::Object& node);
// The changes that make the node's taints those.
struct TaintChanges {
  Taints to_add, to_remove;
  bool empty() const { return to_add.empty() && to_remove.empty(); }
};
TaintChanges FindTaintChanges(const api::Object& node);
// The NoExecute taint of a node whose Ready condition is "False", else that of an unreachable one.
const value::Value& NoExecuteTaintOf(std::string_view ready);
// The labels that follow from others and are wrong or missing (labelReconcileInfo).
NodeWrites::Labels LabelsToReconcile(const api::Object& node);
// The pod's status with the condition Ready False; null if there is nothing to change.
value::Value NotReadyStatus(const api::Object& pod, VirtualTime now);

class NodeLifecycleController : public Controller {
 public:
  explicit NodeLifecycleController(ControllerContext context);
  ~NodeLifecycleController() override;
  void Start() override;
  bool HasWorkAhead(const Heartbeats& heartbeats) const override;

 private:
  using Objects = std::vector<api::Object>;
  void RegisterHandlers();
  sim::Task<void> Run();

  // --- node_events.cc ---
  sim::Task<void> NodeWorker();
  sim::Task<void> PodWorker();
  sim::Task<void> ReconcileNode(std::string name);
  sim::Task<bool> ProcessPod(std::string key);  // false: to be tried again
  // False if a pod could not be written.
  sim::Task<bool> MarkPodsNotReady(Objects pods, std::string node);

  // --- the pass of monitorNodeHealth ---
  struct Pass;
  sim::Task<void> MonitorNodeHealth();
  sim::Task<void> TakeInNodes(const Objects& nodes);
  sim::Task<void> MonitorNodes(Pass* pass);
  sim::Task<void> MonitorWorker(Pass* pass);
  sim::Task<void> MonitorNode(Pass* pass, api::Object node, HealthVerdict verdict);
  // Writes the verdict, or that of the node as it is by then; false if the node is to be left
  // alone.
  sim::Task<bool> WriteHealth(api::Object* node, HealthVerdict* verdict);
  HealthVerdict Assess(const api::Object& node);
  sim::Task<void> HandleDisruption(Pass* pass);

  // --- node_taints.cc: NoExecute taints ---
  // Asks for the taint that goes with the status, or takes taints away.
  sim::Task<void> ProcessTaints(api::Object node, std::string ready);
  bool NeedsTaintWrites(const api::Object& node, std::string_view ready) const;
  void AskForTaint(const api::Object& node, const value::Value& taint);
  sim::Task<void> MarkReachable(api::Object node);
  sim::Task<void> TaintLoop();
  sim::Task<void> TaintZone(std::string zone);
  std::optional<VirtualTime> NextTaintLook() const;

  ClockReading Now() const;
  api::Object Cached(const std::string& node) const;
  api::Object LeaseOf(const api::Object& node) const;
  Objects PodsOn(const api::Object& node) const;
  void RecordNodeEvent(const api::Object& node, const char* reason, const std::string& text);

  ControllerContext context_;
  const Profile& profile_;
  const api::ResourceInfo* pod_resource_;
  const api::ResourceInfo* node_resource_;
  client::Client client_;
  client::EventRecorder recorder_;
  NodeWrites writes_;
  client::SharedInformer& leases_;
  client::SharedInformer& pods_;
  client::SharedInformer& nodes_;
  client::SharedInformer& daemon_sets_;  // waited for, as upstream does, and not read
  client::HandlerFuncs pod_handlers_, node_handlers_;
  client::WorkQueue node_queue_, pod_queue_;
  std::unique_ptr<TaintEviction> eviction_;  // in 1.25
  NodeHealth health_;
  Zones zones_;
  absl::btree_map<std::string, api::Object, std::less<>> known_nodes_;
  std::set<std::string> nodes_to_retry_;  // whose pods could not all be marked
  Ticks taint_ticks_;
  sim::Signal taint_asked_;
};

}  // namespace ksim::controllers
