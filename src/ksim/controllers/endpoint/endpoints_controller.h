// The Endpoints controller: keeps the Endpoints of each Service that has a selector, the older form
// of its EndpointSlices.
//
// It acts on its caches alone. It remembers which version of the Endpoints an update has replaced,
// and waits for its cache while that still has it.
//
// Source: pkg/controller/endpoint/endpoints_controller.go, endpoints_tracker.go.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "absl/container/btree_map.h"
#include "ksim/client/client.h"
#include "ksim/client/event_recorder.h"
#include "ksim/client/informer.h"
#include "ksim/client/reconciler.h"
#include "ksim/client/workqueue.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/controllers/controller.h"
#include "ksim/controllers/endpointutil/service_watch.h"
#include "ksim/controllers/endpointutil/trigger_times.h"

namespace ksim::controllers {

inline constexpr int kEndpointWorkers = 5;

class EndpointsController : public Controller, public client::Reconciler {
 public:
  explicit EndpointsController(ControllerContext context);
  ~EndpointsController() override;
  void Start() override;

 private:
  void RegisterHandlers();
  sim::Task<client::ReconcileResult> Reconcile(std::string key) override;
  sim::Task<std::string> Sync(std::string key);
  // The Service is gone.
  sim::Task<std::string> DeleteEndpoints(std::string key, client::ObjectKey id);
  // Creates the Endpoints, or updates them if `current` is not empty.
  sim::Task<std::string> Write(api::Object service, api::Object current, api::Object wanted);
  // Once, at the start: Endpoints of Services that went while nobody looked.
  sim::Task<void> CheckLeftover();

  ControllerContext context_;
  const Profile& profile_;
  client::Client client_;
  client::EventRecorder recorder_;
  client::SharedInformer& pods_;
  client::SharedInformer& services_;
  client::SharedInformer& endpoints_;
  client::HandlerFuncs endpoints_handlers_;
  client::WorkQueue queue_;
  ServiceWatch service_watch_;
  TriggerTimes trigger_times_;
  absl::btree_map<std::string, std::int64_t> stale_;  // by key: the version that was replaced
  std::unique_ptr<client::ReconcileLoop> loop_;
};

}  // namespace ksim::controllers
