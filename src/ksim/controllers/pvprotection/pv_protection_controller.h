// The PV protection controller: a volume that is being deleted goes once no claim is bound to it.
//
// Source: pkg/controller/volume/pvprotection/pv_protection_controller.go.
#pragma once
#include <memory>
#include <string>

#include "ksim/client/cache/first_use.h"
#include "ksim/client/client.h"
#include "ksim/client/informer.h"
#include "ksim/client/reconciler.h"
#include "ksim/client/workqueue.h"
#include "ksim/controllers/controller.h"

namespace ksim::controllers {

inline constexpr const char* kPvProtection = "kubernetes.io/pv-protection";

class PvProtectionController : public Controller, public client::Reconciler {
 public:
  explicit PvProtectionController(ControllerContext context);
  ~PvProtectionController() override;
  void Start() override;

 private:
  void Begin();
  void Work();
  sim::Task<client::ReconcileResult> Reconcile(std::string key) override;

  ControllerContext context_;
  const api::ResourceInfo* resource_;
  client::Client client_;
  client::FirstUse first_use_;
  client::SharedInformer* volumes_ = nullptr;  // null until there is a volume
  client::HandlerFuncs handlers_;
  client::WorkQueue queue_;
  std::unique_ptr<client::ReconcileLoop> loop_;
};

}  // namespace ksim::controllers
