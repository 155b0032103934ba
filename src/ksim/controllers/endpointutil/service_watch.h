// ServiceWatch: wakes a controller of endpoints when Services change, or pods that they select.
//
// Source: the handlers that endpoint/endpoints_controller.go and
// endpointslice/endpointslice_controller.go share.
#pragma once
#include "ksim/client/informer.h"
#include "ksim/client/workqueue.h"
#include "ksim/sim/simulation.h"

namespace ksim::controllers {

class ServiceWatch {
 public:
  // Puts the keys of the Services that a change concerns into the queue. All outlive it.
  ServiceWatch(client::SharedInformer& services, client::SharedInformer& pods,
               client::WorkQueue& queue);
  ServiceWatch(const ServiceWatch&) = delete;
  ServiceWatch& operator=(const ServiceWatch&) = delete;
  void Begin(sim::ActorId listener);

 private:
  client::SharedInformer& services_;
  client::SharedInformer& pods_;
  client::HandlerFuncs service_handlers_, pod_handlers_;
};

}  // namespace ksim::controllers
