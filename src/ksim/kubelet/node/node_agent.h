// NodeAgent: the kubelet's side of its Node: registers it, keeps its status and its lease alive.
// Everything after the registration is background work.
//
// Where no node lifecycle controller runs, the agent also taints the Node for each trouble that a
// condition names, as that controller would (doNoScheduleTaintingPass).
//
// Source: pkg/kubelet/kubelet_node_status.go registerWithAPIServer, updateNodeStatus;
// nodestatus/setters.go; component-helpers apimachinery/lease/controller.go. KUBELET-32..35.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/client/client.h"
#include "ksim/client/event_recorder.h"
#include "ksim/client/informer.h"
#include "ksim/kubelet/node/node_options.h"
#include "ksim/kubelet/node/volumes_in_use.h"
#include "ksim/kubelet/runtime/trouble.h"
#include "ksim/sim/process.h"
#include "ksim/sim/task.h"

namespace ksim::kubelet {

class NodeAgent {
 public:
  // `heartbeats` may be slow; registration uses the kubelet's own client. `has`: what the
  // conditions are to say is wrong.
  NodeAgent(sim::Process& process, client::Client& client, client::Client& heartbeats,
            client::SharedInformer& nodes, NodeOptions options, client::EventRecorder& recorder,
            VolumesInUse& volumes, std::function<bool(Trouble)> has);
  void Start();
  bool registered() const { return registered_; }

  // The Node as this kubelet would register it.
  api::Object InitialNode() const;

 private:
  sim::Task<void> Register();
  sim::Task<bool> TryRegister();
  sim::Task<void> ReportStatus();
  bool ReportIsDue() const;
  // The node is the one for which there was nothing to report the last time.
  bool IsUpToDate(const api::Object& node) const;
  sim::Task<bool> TryUpdateStatus(bool live);
  // Keeps the run going until the status tells which volumes are in use.
  void AwaitReport();
  sim::Task<void> WaitForReport();
  sim::Task<void> RenewLease();
  sim::Task<bool> EnsureLease();
  sim::Task<bool> TryRenewLease();
  // A taint for each trouble, and none for one that is over.
  sim::Task<bool> UpdateTaints(api::Object node);
  void RecordTransitions(const api::Object& node, const value::Value& status);
  value::Value Status(const value::Value& current) const;
  // The conditions with those of the machine as it is now.
  value::Value Conditions(const value::Value& conditions) const;
  // The machine's troubles now, a bit for each of kNodeConditions.
  unsigned Troubles() const;
  value::Value RenewTime() const;
  api::Object NewLease() const;
  value::Value LeaseOwners() const;

  sim::Process& process_;
  client::Client& client_;
  client::Client& heartbeats_;
  client::SharedInformer& nodes_;
  NodeOptions options_;
  client::EventRecorder& recorder_;
  VolumesInUse& volumes_;
  std::function<bool(Trouble)> has_;
  // The parts of the status that never change.
  struct Fixed {
    Fixed(const NodeOptions& options, api::Compat compat);
    value::Value addresses, capacity, endpoints, info;
  };
  const Fixed fixed_;
  const api::ResourceInfo* node_resource_;
  const api::ResourceInfo* lease_resource_;
  sim::SiteId lease_site_, status_site_;
  bool registered_ = false;
  std::string node_uid_;  // of the Node that was registered
  VirtualTime last_report_;
  VirtualTime next_report_;     // when it looks whether there is something to report
  bool awaits_report_ = false;  // WaitForReport runs
  // The last status that the machine had nothing to add to, and what troubled it then: while both
  // stay, the same would be found again.
  value::Value last_equal_status_;
  unsigned last_equal_troubles_ = 0;
  api::Object lease_;
};

}  // namespace ksim::kubelet
