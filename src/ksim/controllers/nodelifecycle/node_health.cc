#include "ksim/controllers/nodelifecycle/node_health.h"

#include <algorithm>

#include "ksim/api/conditions.h"
#include "ksim/api/lease.h"
#include "ksim/sim/probe.h"
#include "ksim/value/timestamp.h"

namespace ksim::controllers {

using value::Value;

namespace {

// NodeNetworkUnavailable is not among them: the control plane itself keeps it.
constexpr const char* kConditions[] = {"Ready", "MemoryPressure", "DiskPressure", "PIDPressure"};

const Value* ReadyOf(const Value& status) {
  return api::FindCondition(status.Get("conditions"), "Ready");
}

bool IsRenewed(const api::Object& saved, const api::Object& observed) {
  if (observed.empty()) return false;
  if (saved.empty()) return true;
  if (observed.tree().SameTree(saved.tree())) return false;
  const std::optional<VirtualTime> before = api::LeaseView(saved).renew_time();
  const std::optional<VirtualTime> now = api::LeaseView(observed).renew_time();
  return now && (!before || *before < *now);
}

// The time that the last sign of life says of itself.
VirtualTime LastSign(const Value& ready, const api::Object& lease) {
  const auto heartbeat = value::ParseTimestamp(ready.Get("lastHeartbeatTime").AsString());
  const std::optional<VirtualTime> renewed =
      lease.empty() ? std::nullopt : api::LeaseView(lease).renew_time();
  return std::max(heartbeat.value_or(VirtualTime()), renewed.value_or(VirtualTime()));
}

// The node's status with the four conditions Unknown; those that are so already stay as they are.
Value WithUnknownConditions(const api::Object& node, VirtualTime now) {
  const Value time = value::TimestampValue(now);
  Value conditions = node.status().Get("conditions");
  for (const char* type : kConditions) {
    const Value* const old = api::FindCondition(conditions, type);
    if (old != nullptr && old->Get("status").AsString() == "Unknown") continue;
    const value::Path place{value::PathStep::Match("type", type)};
    Value condition = old == nullptr
                          ? api::MakeCondition(type, "Unknown", "NodeStatusNeverUpdated",
                                               "Kubelet never posted node status.")
                                .Set("lastHeartbeatTime", node.metadata().Get("creationTimestamp"))
                          : old->Set("status", Value::Of("Unknown"))
                                .Set("reason", Value::Of("NodeStatusUnknown"))
                                .Set("message", Value::Of("Kubelet stopped posting node status."));
    condition = condition.Set("lastTransitionTime", time);
    conditions = old == nullptr ? conditions.Append(condition) : conditions.Set(place, condition);
  }
  return node.status().Set("conditions", conditions);
}

}  // namespace

// A grace that is over exactly at a pass is over: upstream asks whether the time is later, and its
// passes come a little later each time (wait.Until counts from the end of a pass).
bool NodeHealth::IsOverdue(const Known& known, Duration grace, ClockReading now) const {
  return (known.by_calendar ? now.wall : now.steady) >= known.probed + grace;
}

HealthVerdict NodeHealth::Assess(const api::Object& node, const api::Object& lease,
                                 ClockReading now) {
  const std::string name(node.name());
  const Value* const ready = ReadyOf(node.status());
  HealthVerdict verdict;
  verdict.observed = ready == nullptr ? "Unknown" : std::string(ready->Get("status").AsString());
  verdict.current = ready == nullptr ? "" : verdict.observed;

  // 1. Signs of life in the node's status.
  const auto [it, is_new] = nodes_.try_emplace(name);
  Known& known = it->second;
  const Value* const saved = ReadyOf(known.status);
  const api::Object saved_lease = known.lease;
  if (ready == nullptr && is_new) {
    known.probed = node.creation_time().value_or(now.wall);
    known.by_calendar = true;
    known.status = node.status();
  } else if (ready == nullptr) {
    // A condition that was there and is gone changes nothing: the saved status is replaced first.
    known.status = node.status();
  } else if (is_new || saved == nullptr ||
             saved->Get("lastHeartbeatTime") != ready->Get("lastHeartbeatTime")) {
    known.probed = now.steady;
    known.by_calendar = false;
    known.status = node.status();
    // Upstream's new record has no lease, so that the next pass takes even an old one for a sign.
    known.lease = api::Object();
  }

  // 2. Its lease.
  if (IsRenewed(saved_lease, lease)) {
    known.lease = lease;
    known.probed = now.steady;
    known.by_calendar = false;
  }

  if (by_heartbeat_ && ready != nullptr) {
    KSIM_PROBE("variant/nodelifecycle.probeClock");
    known.probed = LastSign(*ready, lease);
    known.by_calendar = true;
  }

  // 3. The verdict.
  if (!IsOverdue(known, ready == nullptr ? kStartupGracePeriod : grace_, now)) return verdict;
  const Value status = WithUnknownConditions(node, now.wall);
  verdict.current = "Unknown";
  if (ready != nullptr && *ReadyOf(status) == *ready) return verdict;
  verdict.update =
      api::Object::FromTree(node.tree().Set("status", status), node.resource_version());
  return verdict;
}

void NodeHealth::Written(const api::Object& node, const api::Object& lease) {
  Known& known = nodes_[std::string(node.name())];
  known.status = node.status();
  known.lease = lease;
}

std::string_view NodeHealth::ReadyStatus(const std::string& node) const {
  const auto it = nodes_.find(node);
  const Value* const ready = it == nodes_.end() ? nullptr : ReadyOf(it->second.status);
  return ready == nullptr ? std::string_view() : ready->Get("status").AsString();
}

void NodeHealth::Restart(const std::string& node, ClockReading now) {
  const auto it = nodes_.find(node);
  if (it == nodes_.end()) return;
  it->second.probed = now.steady;
  it->second.by_calendar = false;
}

}  // namespace ksim::controllers
