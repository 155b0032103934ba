// The PVC protection controller: a claim that is being deleted goes once no pod on a node uses it.
//
// Claims wait by namespace: the pods of a namespace are listed live once for all of its claims that
// are looked at together.
//
// Source: pkg/controller/volume/pvcprotection/pvc_protection_controller.go.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ksim/client/cache/first_use.h"
#include "ksim/client/client.h"
#include "ksim/client/informer.h"
#include "ksim/client/reconciler.h"
#include "ksim/client/workqueue.h"
#include "ksim/controllers/controller.h"

namespace ksim::controllers {

inline constexpr const char* kPvcProtection = "kubernetes.io/pvc-protection";
inline constexpr int kPvcProtectionWorkers = 1;

class PvcProtectionController : public Controller, public client::Reconciler {
 public:
  explicit PvcProtectionController(ControllerContext context);
  ~PvcProtectionController() override;
  void Start() override;

 private:
  void Begin();
  void Work();
  void LookAtClaim(const api::Object& claim);
  void LookAtPod(const api::Object& pod, bool deleted);
  void UpdatePod(const api::Object& before, const api::Object& after);
  sim::Task<client::ReconcileResult> Reconcile(std::string key) override;
  sim::Task<api::Result<std::vector<api::Object>>> LivePods(std::string ns);

  ControllerContext context_;
  const api::ResourceInfo* resource_;
  const api::ResourceInfo* pod_kind_;
  client::Client client_;
  client::FirstUse first_use_;
  client::SharedInformer* claims_ = nullptr;  // null until there is a claim
  client::SharedInformer* pods_ = nullptr;
  client::HandlerFuncs claim_handlers_, pod_handlers_;
  client::WorkQueue queue_;
  std::unique_ptr<client::ReconcileLoop> loop_;
};

}  // namespace ksim::controllers
