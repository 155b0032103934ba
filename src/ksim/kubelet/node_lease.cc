// NodeAgent: the node's lease.
//
// Source: component-helpers apimachinery/lease/controller.go. KUBELET-33.
#include <algorithm>

#include "ksim/kubelet/node_agent.h"
#include "ksim/value/timestamp.h"

namespace ksim::kubelet {

using value::Value;

namespace {

constexpr std::int64_t kLeaseSeconds = 40;
constexpr Duration kRenewInterval = Seconds(10);
constexpr int kLeaseTries = 5;
constexpr Duration kMaxLeaseBackoff = Seconds(7);
constexpr const char* kLeaseNamespace = "kube-node-lease";

}  // namespace

Value NodeAgent::LeaseSpec() const {
  return value::Obj({{"holderIdentity", Value::String(options_.name)},
                     {"leaseDurationSeconds", Value::Int(kLeaseSeconds)},
                     {"renewTime", Value::String(value::FormatMicroTime(process_.Now()))}});
}

// Every 10 s (a quarter of the lease) with up to 4 % more.
sim::Task<void> NodeAgent::RenewLease() {
  sim::Simulation& sim = process_.simulation();
  sim.context().unawaited = true;
  for (std::uint64_t tick = 0;; ++tick) {
    bool renewed = false;
    if (!lease_.empty()) {
      for (int i = 0; i < kLeaseTries && !renewed; ++i) {
        static const value::Path kSpec{"spec"};
        const api::Object update =
            api::Object::FromTree(lease_.tree().Set(kSpec, LeaseSpec()), lease_.resource_version());
        client::Client::ObjectResult put = co_await heartbeats_.Update(lease_resource_, update);
        if (put.ok()) {
          lease_ = *put;
          renewed = true;
        } else if (api::IsConflict(put.status())) {
          const bool have = co_await EnsureLease();
          if (!have) break;
        }
      }
    }
    if (!renewed) {
      lease_ = {};
      co_await EnsureLease();
    }
    const Duration jitter = sim.decisions().DrawDuration(lease_site_, tick, {}, Milliseconds(400));
    co_await sim.Sleep(kRenewInterval + jitter, sim::TimerKind::kPeriodic, "lease renewal");
  }
}

// Reads the lease, or makes it, owned by the Node; backs off 200 ms, doubling, up to 7 s.
sim::Task<bool> NodeAgent::EnsureLease() {
  for (Duration backoff = Milliseconds(200);; backoff = std::min(backoff * 2, kMaxLeaseBackoff)) {
    client::Client::ObjectResult got =
        co_await heartbeats_.Get(lease_resource_, kLeaseNamespace, options_.name);
    if (got.ok()) {
      lease_ = *got;
      co_return true;
    }
    if (api::IsNotFound(got.status())) {
      value::ObjectBuilder metadata;
      metadata.Add("name", Value::String(options_.name))
          .Add("namespace", Value::Of(kLeaseNamespace));
      const api::Object node = nodes_.lister().Get("", options_.name);
      if (!node.empty()) {
        metadata.Add("ownerReferences",
                     value::Arr({value::Obj({{"apiVersion", Value::Of("v1")},
                                             {"kind", Value::Of("Node")},
                                             {"name", Value::String(options_.name)},
                                             {"uid", Value::String(node.uid())}})}));
      }
      const api::Object lease =
          api::Object::FromTree(value::Obj({{"apiVersion", Value::Of("coordination.k8s.io/v1")},
                                            {"kind", Value::Of("Lease")},
                                            {"metadata", metadata.Build()},
                                            {"spec", LeaseSpec()}}));
      client::Client::ObjectResult created = co_await heartbeats_.Create(lease_resource_, lease);
      if (created.ok()) {
        lease_ = *created;
        co_return true;
      }
    }
    co_await process_.simulation().Sleep(backoff, sim::TimerKind::kPeriodic, "lease");
  }
}

}  // namespace ksim::kubelet
