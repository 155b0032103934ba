// The root CA publisher: keeps a ConfigMap kube-root-ca.crt in each namespace, which pods mount
// beside their tokens.
//
// Source: pkg/controller/certificates/rootcacertpublisher/publisher.go.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "ksim/client/client.h"
#include "ksim/client/informer.h"
#include "ksim/client/reconciler.h"
#include "ksim/client/workqueue.h"
#include "ksim/controllers/controller.h"

namespace ksim::controllers {

// The certificate that it publishes: the same in all runs, and nobody's (docs/fidelity.md).
std::string_view RootCaCertificate();

class RootCaPublisher : public Controller, public client::Reconciler {
 public:
  explicit RootCaPublisher(ControllerContext context);
  ~RootCaPublisher() override;
  void Start() override;

 private:
  void AddIfRootCa(const api::Object& config_map);
  // `key` is a namespace.
  sim::Task<client::ReconcileResult> Reconcile(std::string key) override;
  sim::Task<client::ReconcileResult> Publish(std::string ns);

  ControllerContext context_;
  client::Client client_;
  const api::ResourceInfo* resource_;
  client::SharedInformer& config_maps_;
  client::SharedInformer& namespaces_;
  client::HandlerFuncs config_map_handlers_, namespace_handlers_;
  client::WorkQueue queue_;
  std::unique_ptr<client::ReconcileLoop> loop_;
};

}  // namespace ksim::controllers
