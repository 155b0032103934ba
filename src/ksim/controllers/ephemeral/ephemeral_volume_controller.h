// The ephemeral volume controller: it makes the claims of pods' generic ephemeral volumes. Each
// belongs to its pod, with which the garbage collector deletes it.
//
// Source: pkg/controller/volume/ephemeral/controller.go.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "ksim/client/cache/first_use.h"
#include "ksim/client/client.h"
#include "ksim/client/event_recorder.h"
#include "ksim/client/informer.h"
#include "ksim/client/reconciler.h"
#include "ksim/client/workqueue.h"
#include "ksim/controllers/controller.h"

namespace ksim::controllers {

inline constexpr int kEphemeralVolumeWorkers = 5;

class EphemeralVolumeController : public Controller, public client::Reconciler {
 public:
  explicit EphemeralVolumeController(ControllerContext context);
  ~EphemeralVolumeController() override;
  void Start() override;

 private:
  void Begin();
  void Work();
  void LookAtPod(const api::Object& pod);
  void LookAtDeletedClaim(const api::Object& claim);
  sim::Task<client::ReconcileResult> Reconcile(std::string key) override;
  // nullopt: the claim is there.
  sim::Task<std::optional<std::string>> MakeClaim(api::Object pod, value::Value volume);

  ControllerContext context_;
  const api::ResourceInfo* claim_kind_;
  client::Client client_;
  client::EventRecorder recorder_;
  client::FirstUse first_use_;
  client::SharedInformer* pods_ = nullptr;  // null until a pod has such a volume
  client::SharedInformer* claims_ = nullptr;
  client::HandlerFuncs pod_handlers_, claim_handlers_;
  client::WorkQueue queue_;
  std::unique_ptr<client::ReconcileLoop> loop_;
};

}  // namespace ksim::controllers
