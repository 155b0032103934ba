// The service account controller: sees to it that each active namespace has a service account
// `default`, without which pods are refused.
//
// Source: pkg/controller/serviceaccount/serviceaccounts_controller.go.
#pragma once
#include <memory>
#include <string>

#include "ksim/client/client.h"
#include "ksim/client/informer.h"
#include "ksim/client/reconciler.h"
#include "ksim/client/workqueue.h"
#include "ksim/controllers/controller.h"

namespace ksim::controllers {

class ServiceAccountController : public Controller, public client::Reconciler {
 public:
  explicit ServiceAccountController(ControllerContext context);
  ~ServiceAccountController() override;
  void Start() override;

 private:
  // `key` is a namespace.
  sim::Task<client::ReconcileResult> Reconcile(std::string key) override;

  ControllerContext context_;
  client::Client client_;
  const api::ResourceInfo* resource_;
  client::SharedInformer& accounts_;
  client::SharedInformer& namespaces_;
  client::HandlerFuncs account_handlers_, namespace_handlers_;
  client::WorkQueue queue_;
  std::unique_ptr<client::ReconcileLoop> loop_;
};

}  // namespace ksim::controllers
