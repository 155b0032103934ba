// NodeAgent: the node's lease.
//
// Source: component-helpers apimachinery/lease/controller.go. KUBELET-33.
#include <algorithm>

#include "ksim/api/core/fields.h"
#include "ksim/kubelet/node/node_agent.h"
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

Value NodeAgent::RenewTime() const { return value::MicroTimeValue(process_.Now()); }

// util/nodelease.go SetNodeOwnerFunc: the lease goes when its Node does.
Value NodeAgent::LeaseOwners() const {
  return value::Arr({value::Obj({{"apiVersion", Value::Of("v1")},
                                 {"kind", Value::Of("Node")},
                                 {"name", Value::String(options_.name)},
                                 {"uid", Value::String(node_uid_)}})});
}

api::Object NodeAgent::NewLease() const {
  const Value metadata = value::Obj({{"name", Value::String(options_.name)},
                                     {"namespace", Value::Of(kLeaseNamespace)},
                                     {"ownerReferences", LeaseOwners()}});
  const Value spec = value::Obj({{"holderIdentity", Value::String(options_.name)},
                                 {"leaseDurationSeconds", Value::Int(kLeaseSeconds)},
                                 {"renewTime", RenewTime()}});
  return api::Object::FromTree(value::Obj({{"apiVersion", Value::Of("coordination.k8s.io/v1")},
                                           {"kind", Value::Of("Lease")},
                                           {"metadata", metadata},
                                           {"spec", spec}}));
}

// Every 10 s (a quarter of the lease) with up to 4 % more. The one that is known is renewed without
// being read; else it is looked for, and renewed unless it had to be made.
sim::Task<void> NodeAgent::RenewLease() {
  sim::Simulation& sim = process_.simulation();
  sim.context().unawaited = !options_.lease_is_awaited;
  for (std::uint64_t tick = 0;; ++tick) {
    bool renewed = false;
    if (!lease_.empty()) renewed = co_await TryRenewLease();
    if (!renewed) {
      const bool made = co_await EnsureLease();
      if (!made) co_await TryRenewLease();
    }
    const Duration jitter = sim.decisions().DrawDuration(lease_site_, tick, {}, Milliseconds(400));
    co_await sim.Sleep(kRenewInterval + jitter, sim::TimerKind::kPeriodic, "lease renewal");
  }
}

// retryUpdateLease
sim::Task<bool> NodeAgent::TryRenewLease() {
  for (int i = 0; i < kLeaseTries; ++i) {
    static const value::Path kOwners{"metadata", "ownerReferences"};
    static const value::Path kRenewTime{"spec", "renewTime"};
    Value tree = lease_.tree().Set(kRenewTime, RenewTime());
    if (lease_.metadata().Get(api::Fields().owner_references).empty())
      tree = tree.Set(kOwners, LeaseOwners());
    api::Object update = api::Object::FromTree(std::move(tree), lease_.resource_version());
    client::Client::ObjectResult put =
        co_await heartbeats_.Update(lease_resource_, std::move(update));
    if (put.ok()) {
      lease_ = *put;
      co_return true;
    }
    if (api::IsConflict(put.status())) co_await EnsureLease();
  }
  co_return false;
}

// Reads the lease, or makes it, owned by the Node: true if made. Backs off 200 ms, doubling, up to
// 7 s.
sim::Task<bool> NodeAgent::EnsureLease() {
  for (Duration backoff = Milliseconds(200);; backoff = std::min(backoff * 2, kMaxLeaseBackoff)) {
    client::Client::ObjectResult got =
        co_await heartbeats_.Get(lease_resource_, kLeaseNamespace, options_.name);
    if (got.ok()) {
      lease_ = *got;
      co_return false;
    }
    if (api::IsNotFound(got.status())) {
      const api::Object lease = NewLease();
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
