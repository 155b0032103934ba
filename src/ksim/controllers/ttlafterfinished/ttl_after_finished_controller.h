// The TTL-after-finished controller: deletes Jobs some time after they have finished.
//
// Source: pkg/controller/ttlafterfinished/ttlafterfinished_controller.go.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "ksim/client/client.h"
#include "ksim/client/informer.h"
#include "ksim/client/reconciler.h"
#include "ksim/client/workqueue.h"
#include "ksim/controllers/controller.h"

namespace ksim::controllers {

inline constexpr int kTtlWorkers = 5;

class TtlAfterFinishedController : public Controller, public client::Reconciler {
 public:
  explicit TtlAfterFinishedController(ControllerContext context);
  ~TtlAfterFinishedController() override;
  void Start() override;

 private:
  void Look(const api::Object& job);
  sim::Task<client::ReconcileResult> Reconcile(std::string key) override;
  // processTTL: the time is over. If it is not yet, the Job comes again when it is.
  bool IsExpired(const api::Object& job);

  ControllerContext context_;
  const api::ResourceInfo* resource_;
  client::Client client_;
  client::SharedInformer& jobs_;
  client::HandlerFuncs handlers_;
  client::WorkQueue queue_;
  std::unique_ptr<client::ReconcileLoop> loop_;
};

}  // namespace ksim::controllers
