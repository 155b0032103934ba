// The disruption controller: says in the status of each PodDisruptionBudget how many of its pods
// may go at this moment. The API server's eviction takes from that number; this controller is the
// only one that adds to it.
//
// Source: pkg/controller/disruption/disruption.go.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "ksim/client/client.h"
#include "ksim/client/event_recorder.h"
#include "ksim/client/informer.h"
#include "ksim/client/reconciler.h"
#include "ksim/client/workqueue.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/controllers/controller.h"
#include "ksim/controllers/disruption/scale_finder.h"

namespace ksim::controllers {

class DisruptionController : public Controller, public client::Reconciler {
 public:
  explicit DisruptionController(ControllerContext context);
  ~DisruptionController() override;
  void Start() override;

 private:
  void AddPod(const api::Object& pod);
  // The budget that selects the pod, the first of several; empty if there is none.
  api::Object BudgetOf(const api::Object& pod);
  std::vector<api::Object> PodsOf(const api::Object& budget) const;

  // --- sync, trySync, failSafe ---
  sim::Task<client::ReconcileResult> Reconcile(std::string key) override;
  // Returns what went wrong; "" = nothing. `conflict`: the budget has changed, which is no failure
  // of the sync.
  sim::Task<std::string> TrySync(api::Object budget, bool* conflict);
  sim::Task<void> RecheckWorker();

  // --- a pod that says it is about to be disrupted, and is not (syncStalePodDisruption) ---
  std::optional<Duration> StaleAfter(const api::Object& pod) const;
  sim::Task<void> StaleWorker();
  sim::Task<bool> ClearStale(std::string key);

  ControllerContext context_;
  const Profile& profile_;
  const api::ResourceInfo* budget_resource_;
  const api::ResourceInfo* pod_resource_;
  client::Client client_;
  client::EventRecorder recorder_;
  client::SharedInformer& budget_informer_;
  client::SharedInformer& pod_informer_;
  ScaleFinder scales_;
  client::HandlerFuncs budget_handlers_, pod_handlers_;
  client::WorkQueue queue_, recheck_, stale_;
  std::unique_ptr<client::ReconcileLoop> loop_;
};

}  // namespace ksim::controllers
