// TaintEviction: deletes pods that do not tolerate the NoExecute taints of their node: at once, or
// when the shortest tolerationSeconds of the tolerations that it used is over. The timers live in
// memory, so that they begin anew with the process. Budgets are not asked.
//
// From 1.29 on it is a controller of its own (TaintEvictionController); in 1.25 the node lifecycle
// controller has it inside.
//
// Source: pkg/controller/tainteviction/taint_eviction.go; 1.25:
// pkg/controller/nodelifecycle/scheduler/taint_manager.go.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "ksim/client/client.h"
#include "ksim/client/event_recorder.h"
#include "ksim/client/informer.h"
#include "ksim/client/workqueue.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/controllers/controller.h"
#include "ksim/controllers/tainteviction/timed_workers.h"

namespace ksim::controllers {

// The index of pods by spec.nodeName; the first controller of a process that needs it adds it.
inline constexpr const char* kPodNodeIndex = "spec.nodeName";
void AddPodNodeIndex(client::SharedInformer& pods);

// The tolerations that cover all of the taints, the first that fits for each; nullopt if a taint is
// not covered. GetMatchingTolerations.
std::optional<std::vector<value::Value>> MatchingTolerations(const value::Value& taints,
                                                             const value::Value& tolerations);
// The shortest of their times; nullopt is for ever. None at all, or one that is not positive, is 0.
// getMinTolerationTime.
std::optional<Duration> MinTolerationTime(const std::vector<value::Value>& tolerations);

class TaintEviction {
 public:
  TaintEviction(const ControllerContext& context, client::ClientOptions limits);

  // Spawns the workers. The caches have synced by then.
  void StartWorkers();
  // An empty object stands for one that is not there: before an add, after a delete.
  void PodUpdated(const api::Object& before, const api::Object& after);
  void NodeUpdated(const api::Object& before, const api::Object& after);

 private:
  sim::Task<void> NodeWorker();
  sim::Task<void> PodWorker();
  void HandleNode(const std::string& name);
  void HandlePod(const std::string& item);
  void ProcessPodOnNode(const std::string& key, const value::Value& tolerations,
                        const value::Value& taints);
  void CancelWithEvent(const std::string& key);
  sim::Task<bool> Evict(std::string key);
  // The condition DisruptionTarget, where the version has it, and the DELETE; true if it went well.
  sim::Task<bool> MarkAndDelete(std::string ns, std::string name);
  void Record(const std::string& key, const char* what);

  sim::Process& process_;
  std::string part_;
  const Profile& profile_;
  const api::ResourceInfo* pod_resource_;
  client::Client client_;
  client::EventRecorder recorder_;
  client::SharedInformer& pods_;
  client::SharedInformer& nodes_;
  client::WorkQueue node_queue_;  // names
  client::WorkQueue pod_queue_;   // NODE NAMESPACE/NAME
  TimedWorkers evictions_;
  absl::btree_map<std::string, value::Value> tainted_nodes_;  // their NoExecute taints
};

}  // namespace ksim::controllers
