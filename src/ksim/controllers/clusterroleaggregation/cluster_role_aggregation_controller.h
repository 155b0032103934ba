// The ClusterRole aggregation controller: fills a ClusterRole that has an aggregationRule with the
// rules of those that it selects.
//
// Source: pkg/controller/clusterroleaggregation/clusterroleaggregation_controller.go.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "ksim/client/client.h"
#include "ksim/client/informer.h"
#include "ksim/client/reconciler.h"
#include "ksim/client/workqueue.h"
#include "ksim/controllers/controller.h"

namespace ksim::controllers {

class ClusterRoleAggregationController : public Controller, public client::Reconciler {
 public:
  explicit ClusterRoleAggregationController(ControllerContext context);
  ~ClusterRoleAggregationController() override;
  void Start() override;

 private:
  // Whatever changed, every ClusterRole that gathers others is looked at.
  void EnqueueAll();
  sim::Task<client::ReconcileResult> Reconcile(std::string key) override;
  // The rules that the role gathers by its selectors, each once. A selector that cannot be read
  // is an error.
  api::Result<std::vector<value::Value>> GatheredRules(const api::Object& role) const;

  ControllerContext context_;
  client::Client client_;
  const api::ResourceInfo* resource_;
  client::SharedInformer& roles_;
  client::HandlerFuncs handlers_;
  client::WorkQueue queue_;
  std::unique_ptr<client::ReconcileLoop> loop_;
};

}  // namespace ksim::controllers
