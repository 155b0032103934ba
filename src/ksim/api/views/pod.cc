#include "ksim/api/pod.h"

#include <algorithm>
#include <charconv>

#include "ksim/api/conditions.h"
#include "ksim/api/core/fields.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/core/timestamps.h"

namespace ksim::api {

using value::Path;
using value::Value;

namespace {

std::string_view Text(const Object& pod, const Path& path) { return pod.Get(path).AsString(); }

std::optional<std::int64_t> Number(const Value& v) {
  if (!v.is_int()) return std::nullopt;
  return v.AsInt();
}

const Value* FindNamed(const Value& list, std::string_view name) {
  for (const Value& item : list.items()) {
    if (item.Get(Fields().name).AsString() == name) return &item;
  }
  return nullptr;
}

std::int64_t RestartCount(const Value& status) {
  return status.Get(Fields().restart_count).AsInt();
}

}  // namespace

std::string_view PodView::restart_policy() const {
  static const Path kPath{"spec", "restartPolicy"};
  return Text(pod_, kPath);
}
std::string_view PodView::scheduler_name() const {
  static const Path kPath{"spec", "schedulerName"};
  return Text(pod_, kPath);
}
std::int64_t PodView::priority() const {
  static const Path kPath{"spec", "priority"};
  return pod_.Get(kPath).AsInt();
}
std::optional<std::int64_t> PodView::termination_grace_period_seconds() const {
  static const Path kPath{"spec", "terminationGracePeriodSeconds"};
  return Number(pod_.Get(kPath));
}
bool PodView::has_scheduling_gates() const {
  static const Path kPath{"spec", "schedulingGates"};
  return !pod_.Get(kPath).empty();
}
const Value& PodView::containers() const {
  static const Path kPath{"spec", "containers"};
  return pod_.Get(kPath);
}
const Value& PodView::init_containers() const {
  static const Path kPath{"spec", "initContainers"};
  return pod_.Get(kPath);
}
const Value& PodView::tolerations() const {
  static const Path kPath{"spec", "tolerations"};
  return pod_.Get(kPath);
}
bool PodView::IsSidecar(const Value& init_container) {
  return init_container.Get(Fields().restart_policy).AsString() == "Always";
}

std::optional<std::int64_t> PodView::deletion_grace_period_seconds() const {
  return Number(pod_.metadata().Get(Fields().deletion_grace_period_seconds));
}

std::string_view PodView::phase() const {
  static const Path kPath{"status", "phase"};
  return Text(pod_, kPath);
}
std::string_view PodView::reason() const {
  static const Path kPath{"status", "reason"};
  return Text(pod_, kPath);
}
std::string_view PodView::message() const {
  static const Path kPath{"status", "message"};
  return Text(pod_, kPath);
}
std::string_view PodView::pod_ip() const {
  static const Path kPath{"status", "podIP"};
  return Text(pod_, kPath);
}
std::string_view PodView::qos_class() const {
  static const Path kPath{"status", "qosClass"};
  return Text(pod_, kPath);
}
std::string_view PodView::nominated_node_name() const {
  static const Path kPath{"status", "nominatedNodeName"};
  return Text(pod_, kPath);
}
std::optional<VirtualTime> PodView::start_time() const {
  static const Path kPath{"status", "startTime"};
  return TimeOf(pod_.Get(kPath));
}
const Value& PodView::conditions() const {
  static const Path kPath{"status", "conditions"};
  return pod_.Get(kPath);
}
const Value* PodView::Condition(std::string_view type) const {
  return FindCondition(conditions(), type);
}
const Value& PodView::container_statuses() const {
  static const Path kPath{"status", "containerStatuses"};
  return pod_.Get(kPath);
}
const Value& PodView::init_container_statuses() const {
  static const Path kPath{"status", "initContainerStatuses"};
  return pod_.Get(kPath);
}
const Value* PodView::ContainerStatus(std::string_view container) const {
  return FindNamed(container_statuses(), container);
}

bool PodView::scheduled() const { return ConditionStatus(conditions(), "PodScheduled") == "True"; }
bool PodView::ready() const { return ConditionStatus(conditions(), "Ready") == "True"; }
std::optional<VirtualTime> PodView::ready_since() const {
  return ConditionSince(conditions(), "Ready");
}
bool PodView::terminal() const {
  const std::string_view p = phase();
  return p == "Succeeded" || p == "Failed";
}
bool PodView::active() const { return !terminal() && !pod_.deleting(); }
bool PodView::terminating() const { return !terminal() && pod_.deleting(); }

bool PodView::Available(Duration min_ready, VirtualTime now, Compat compat) const {
  if (!ready()) return false;
  if (min_ready == Duration()) return true;
  const std::optional<VirtualTime> since = ready_since();
  if (!since) return false;
  const VirtualTime due = *since + min_ready;
  return ProfileOf(compat).available_at_due_time ? due <= now : due < now;
}

std::int64_t PodView::MaxContainerRestarts() const {
  std::int64_t most = 0;
  for (const Value& c : container_statuses().items()) most = std::max(most, RestartCount(c));
  return most;
}

std::int64_t PodView::MaxSidecarRestarts() const {
  std::int64_t most = 0;
  for (const Value& status : init_container_statuses().items()) {
    const Value* container = FindNamed(init_containers(), status.Get(Fields().name).AsString());
    if (container != nullptr && IsSidecar(*container)) most = std::max(most, RestartCount(status));
  }
  return most;
}

std::optional<std::int32_t> ParseDeletionCost(std::string_view text) {
  if (text.size() > 1 && text[0] == '0') return std::nullopt;
  std::int32_t cost = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cost);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return cost;
}

}  // namespace ksim::api
