#include <algorithm>

#include "ksim/api/conditions.h"
#include "ksim/api/core/timestamps.h"
#include "ksim/api/lease.h"
#include "ksim/api/node.h"
#include "ksim/api/replicaset.h"

namespace ksim::api {

using value::Value;

std::int64_t ReplicaSetView::replicas() const {
  const Value& replicas = rs_.spec().Get("replicas");
  return replicas.is_int() ? replicas.AsInt() : 1;
}
Duration ReplicaSetView::min_ready() const {
  return Seconds(rs_.spec().Get("minReadySeconds").AsInt());
}
const Value& ReplicaSetView::selector() const { return rs_.spec().Get("selector"); }
const Value& ReplicaSetView::pod_template() const { return rs_.spec().Get("template"); }
const Value& ReplicaSetView::template_labels() const {
  return pod_template().Get("metadata").Get("labels");
}
std::int64_t ReplicaSetView::status_replicas() const {
  return rs_.status().Get("replicas").AsInt();
}
std::int64_t ReplicaSetView::fully_labeled_replicas() const {
  return rs_.status().Get("fullyLabeledReplicas").AsInt();
}
std::int64_t ReplicaSetView::ready_replicas() const {
  return rs_.status().Get("readyReplicas").AsInt();
}
std::int64_t ReplicaSetView::available_replicas() const {
  return rs_.status().Get("availableReplicas").AsInt();
}
std::int64_t ReplicaSetView::observed_generation() const {
  return rs_.status().Get("observedGeneration").AsInt();
}
const Value& ReplicaSetView::conditions() const { return rs_.status().Get("conditions"); }

bool NodeView::unschedulable() const { return node_.spec().Get("unschedulable").AsBool(); }
const Value& NodeView::taints() const { return node_.spec().Get("taints"); }
bool NodeView::HasTaint(std::string_view key, std::string_view effect) const {
  const auto items = taints().items();
  return std::any_of(items.begin(), items.end(), [&](const Value& taint) {
    return taint.Get("key").AsString() == key && taint.Get("effect").AsString() == effect;
  });
}
const Value& NodeView::capacity() const { return node_.status().Get("capacity"); }
const Value& NodeView::allocatable() const { return node_.status().Get("allocatable"); }
const Value& NodeView::conditions() const { return node_.status().Get("conditions"); }
std::string_view NodeView::ready_status() const { return ConditionStatus(conditions(), "Ready"); }
std::string_view NodeView::Address(std::string_view type) const {
  for (const Value& address : node_.status().Get("addresses").items()) {
    if (address.Get("type").AsString() == type) return address.Get("address").AsString();
  }
  return {};
}
const Value& NodeView::node_info() const { return node_.status().Get("nodeInfo"); }

std::vector<std::string> NodeView::Roles() const {
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  std::vector<std::string> roles;
  for (const Value::Member& label : node_.labels().members()) {
    const std::string_view name = label.name.text();
    if (name.starts_with(kPrefix) && name.size() > kPrefix.size()) {
      roles.emplace_back(name.substr(kPrefix.size()));
    } else if (name == "kubernetes.io/role" && !label.value.AsString().empty()) {
      roles.emplace_back(label.value.AsString());
    }
  }
  std::sort(roles.begin(), roles.end());
  roles.erase(std::unique(roles.begin(), roles.end()), roles.end());
  return roles;
}

std::string_view LeaseView::holder() const {
  return lease_.spec().Get("holderIdentity").AsString();
}
Duration LeaseView::duration() const {
  return Seconds(lease_.spec().Get("leaseDurationSeconds").AsInt());
}
std::optional<VirtualTime> LeaseView::acquire_time() const {
  return TimeOf(lease_.spec().Get("acquireTime"));
}
std::optional<VirtualTime> LeaseView::renew_time() const {
  return TimeOf(lease_.spec().Get("renewTime"));
}
std::int64_t LeaseView::transitions() const {
  return lease_.spec().Get("leaseTransitions").AsInt();
}

}  // namespace ksim::api
