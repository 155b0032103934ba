// The EndpointSlice controller: keeps the EndpointSlices of each Service that has a selector.
//
// It acts on its caches alone. The generations of the slices that it wrote tell it when its cache
// of slices lags; it waits for it then.
//
// Source: pkg/controller/endpointslice/endpointslice_controller.go.
#pragma once
#include <memory>
#include <string>

#include "ksim/client/client.h"
#include "ksim/client/event_recorder.h"
#include "ksim/client/informer.h"
#include "ksim/client/reconciler.h"
#include "ksim/client/workqueue.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/controllers/controller.h"
#include "ksim/controllers/endpointslice/slice_reconciler.h"
#include "ksim/controllers/endpointutil/service_watch.h"
#include "ksim/controllers/endpointutil/trigger_times.h"

namespace ksim::controllers {

inline constexpr int kEndpointSliceWorkers = 5;

class EndpointSliceController : public Controller, public client::Reconciler {
 public:
  explicit EndpointSliceController(ControllerContext context);
  ~EndpointSliceController() override;
  void Start() override;

 private:
  // --- handlers ---
  void RegisterHandlers();
  void UpdateSlice(const api::Object& old_slice, const api::Object& new_slice);
  void DeleteSlice(const api::Object& slice);
  // The Service of a slice is looked at again in a second, so that changes of several slices come
  // together.
  void QueueServiceOf(const api::Object& slice);
  void UpdateNode(const api::Object& old_node, const api::Object& new_node);

  // --- sync (syncService) ---
  sim::Task<client::ReconcileResult> Reconcile(std::string key) override;
  sim::Task<std::string> Sync(std::string key);
  // Takes the nodes in, and looks again at Services whose hints overload a zone.
  sim::Task<void> TopologyWorker();

  ControllerContext context_;
  const Profile& profile_;
  client::Client client_;
  client::EventRecorder recorder_;
  client::SharedInformer& pods_;
  client::SharedInformer& services_;
  client::SharedInformer& nodes_;
  client::SharedInformer& slices_;
  client::HandlerFuncs node_handlers_, slice_handlers_;
  client::WorkQueue queue_, topology_queue_;
  ServiceWatch service_watch_;
  SliceReconciler reconciler_;
  TriggerTimes trigger_times_;
  std::unique_ptr<client::ReconcileLoop> loop_;
};

}  // namespace ksim::controllers
