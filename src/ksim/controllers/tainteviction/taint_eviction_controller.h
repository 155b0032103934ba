// The taint eviction controller: TaintEviction as a controller of its own, from 1.29 on.
//
// Source: cmd/kube-controller-manager/app/core.go newTaintEvictionController.
#pragma once
#include "ksim/client/informer.h"
#include "ksim/controllers/controller.h"
#include "ksim/controllers/tainteviction/taint_eviction.h"

namespace ksim::controllers {

class TaintEvictionController : public Controller {
 public:
  explicit TaintEvictionController(ControllerContext context);
  void Start() override;

 private:
  sim::Task<void> Run();

  ControllerContext context_;
  client::SharedInformer& pods_;
  client::SharedInformer& nodes_;
  TaintEviction eviction_;
  client::HandlerFuncs pod_handlers_, node_handlers_;
};

}  // namespace ksim::controllers
