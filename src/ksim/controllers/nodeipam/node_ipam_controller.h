// The node IPAM controller: gives each node a range of addresses for its pods (spec.podCIDR).
//
// Upstream runs it with --allocate-node-cidrs alone, as kubeadm does; so it runs where it is named.
// A range is taken for good when it is chosen, before it is written; one that turns out to be
// superfluous, or whose write fails, is released.
//
// Source: pkg/controller/nodeipam/ipam/range_allocator.go.
#pragma once
#include <memory>
#include <string>

#include "ksim/client/client.h"
#include "ksim/client/event_recorder.h"
#include "ksim/client/informer.h"
#include "ksim/client/reconciler.h"
#include "ksim/client/workqueue.h"
#include "ksim/controllers/controller.h"
#include "ksim/controllers/nodeipam/cidr_set.h"

namespace ksim::controllers {

class NodeIpamController : public Controller, public client::Reconciler {
 public:
  explicit NodeIpamController(ControllerContext context);
  void Start() override;

 private:
  sim::Task<client::ReconcileResult> Reconcile(std::string key) override;
  // Writes the range that was chosen for the node; the last failure if it cannot.
  sim::Task<client::ReconcileResult> Assign(api::Object node, std::string cidr);
  void Release(const api::Object& node);
  void RecordStatus(const api::Object& node, const char* what);

  ControllerContext context_;
  const api::ResourceInfo* resource_;
  client::Client client_;
  client::EventRecorder recorder_;
  client::SharedInformer& nodes_;
  client::HandlerFuncs handlers_;
  client::WorkQueue queue_;
  CidrSet ranges_;
  std::unique_ptr<client::ReconcileLoop> loop_;
};

}  // namespace ksim::controllers
