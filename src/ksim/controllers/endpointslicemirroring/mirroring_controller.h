// The EndpointSlice mirroring controller: makes EndpointSlices of the Endpoints that somebody wrote
// by hand for a Service without a selector.
//
// Source: pkg/controller/endpointslicemirroring/endpointslicemirroring_controller.go.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "ksim/client/client.h"
#include "ksim/client/event_recorder.h"
#include "ksim/client/informer.h"
#include "ksim/client/reconciler.h"
#include "ksim/client/workqueue.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/controllers/controller.h"
#include "ksim/controllers/endpointslicemirroring/mirrored_slices.h"
#include "ksim/controllers/endpointutil/slice_tracker.h"

namespace ksim::controllers {

inline constexpr int kMirroringWorkers = 5;

class MirroringController : public Controller, public client::Reconciler {
 public:
  explicit MirroringController(ControllerContext context);
  ~MirroringController() override;
  void Start() override;

 private:
  void RegisterHandlers();
  void UpdateSlice(const api::Object& old_slice, const api::Object& new_slice);
  void DeleteSlice(const api::Object& slice);
  void QueueEndpointsOf(const api::Object& slice);
  std::vector<api::Object> SlicesOf(const client::ObjectKey& id) const;
  // The Endpoints of a Service that are to be mirrored; empty if there are none.
  api::Object EndpointsToMirror(const client::ObjectKey& id) const;

  sim::Task<client::ReconcileResult> Reconcile(std::string key) override;
  sim::Task<std::string> Sync(std::string key);
  sim::Task<std::string> DeleteMirrored(std::string key, client::ObjectKey id);
  sim::Task<std::string> Write(api::Object endpoints, MirrorPlan plan);
  void TellOfSkipped(const api::Object& endpoints, const MirrorPlan& plan);

  ControllerContext context_;
  const Profile& profile_;
  client::Client client_;
  client::EventRecorder recorder_;
  client::SharedInformer& endpoints_;
  client::SharedInformer& slices_;
  client::SharedInformer& services_;
  client::HandlerFuncs endpoints_handlers_, slice_handlers_, service_handlers_;
  client::WorkQueue queue_;
  SliceTracker tracker_;
  std::unique_ptr<client::ReconcileLoop> loop_;
};

}  // namespace ksim::controllers
