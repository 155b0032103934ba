// NodeQueue: one of the garbage collector's two work queues, of nodes, with its workers. A node
// that has left the graph stays until the queue is done with it.
//
// In 1.25 and 1.30 the workers pause while informers of new resources fill their caches: the pause
// begins once no worker is at work (workerLock).
//
// Source: pkg/controller/garbagecollector/garbagecollector.go processAttemptToDeleteWorker,
// processAttemptToOrphanWorker.
#pragma once
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "ksim/client/reconciler.h"
#include "ksim/client/workqueue.h"
#include "ksim/controllers/controller.h"
#include "ksim/controllers/garbagecollector/graph.h"
#include "ksim/sim/mailbox.h"

namespace ksim::controllers {

class NodeQueue : private client::Reconciler {
 public:
  using Worker = absl::AnyInvocable<sim::Task<client::ReconcileResult>(NodePtr node)>;

  // Keys begin with `prefix`, so that those of two queues differ.
  NodeQueue(const ControllerContext& context, std::string prefix, Worker worker);
  ~NodeQueue() override;

  void Add(const NodePtr& node);
  void AddRateLimited(const NodePtr& node);
  void Start(int workers);
  sim::Task<void> Pause();  // ends when no worker is at work
  void Resume();

 private:
  std::string Keep(const NodePtr& node);  // returns its key
  void ForgetFinished();
  sim::Task<client::ReconcileResult> Reconcile(std::string key) override;

  std::string prefix_;
  Worker worker_;
  client::WorkQueue queue_;
  client::ReconcileLoop loop_;
  absl::flat_hash_map<std::string, NodePtr> nodes_;  // by key; looked up only
  std::vector<std::string> finished_;                // keys that workers are done with
  bool paused_ = false;
  int at_work_ = 0;
  sim::Signal changed_;  // paused_ or at_work_
};

}  // namespace ksim::controllers
