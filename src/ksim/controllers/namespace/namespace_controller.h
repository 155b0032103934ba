// The namespace controller: empties namespaces that are being deleted, and lets them go.
//
// A namespace is looked at 5 s after its deletion is seen, so that every API server knows of it and
// makes nothing new in it, then again and again until nothing is left.
//
// Source: pkg/controller/namespace/namespace_controller.go;
// cmd/kube-controller-manager/app/core.go newNamespaceController.
#pragma once
#include <memory>
#include <string>

#include "ksim/client/client.h"
#include "ksim/client/informer.h"
#include "ksim/client/reconciler.h"
#include "ksim/client/workqueue.h"
#include "ksim/controllers/controller.h"
#include "ksim/controllers/namespace/content_deleter.h"

namespace ksim::controllers {

inline constexpr int kNamespaceWorkers = 10;

class NamespaceController : public Controller, public client::Reconciler {
 public:
  explicit NamespaceController(ControllerContext context);
  ~NamespaceController() override;
  void Start() override;

 private:
  void Enqueue(const api::Object& ns);
  sim::Task<client::ReconcileResult> Reconcile(std::string key) override;

  ControllerContext context_;
  client::Client client_;
  NamespaceDeleter deleter_;
  client::SharedInformer& informer_;
  client::HandlerFuncs handlers_;
  client::WorkQueue queue_;
  std::unique_ptr<client::ReconcileLoop> loop_;
};

}  // namespace ksim::controllers
