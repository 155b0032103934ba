// Part of node_lifecycle_controller.h: what follows from events of nodes and pods, and how pods are
// marked as not ready.
//
// Source: doNoScheduleTaintingPass, reconcileNodeLabels, processPod;
// pkg/controller/util/node/controller_utils.go MarkPodsNotReady.
#include <algorithm>
#include <iterator>

#include "ksim/api/conditions.h"
#include "ksim/api/node.h"
#include "ksim/api/pod.h"
#include "ksim/client/reconciler.h"
#include "ksim/controllers/nodelifecycle/node_lifecycle_controller.h"

namespace ksim::controllers {

using value::Value;

namespace {

constexpr std::string_view kUnschedulable = "node.kubernetes.io/unschedulable";

// nodeConditionToTaintKeyStatusMap.
struct ConditionTaint {
  std::string_view condition, status, taint;
};
constexpr ConditionTaint kConditionTaints[] = {
    {"Ready", "False", "node.kubernetes.io/not-ready"},
    {"Ready", "Unknown", "node.kubernetes.io/unreachable"},
    {"MemoryPressure", "True", "node.kubernetes.io/memory-pressure"},
    {"DiskPressure", "True", "node.kubernetes.io/disk-pressure"},
    {"NetworkUnavailable", "True", "node.kubernetes.io/network-unavailable"},
    {"PIDPressure", "True", "node.kubernetes.io/pid-pressure"},
};

// labelReconcileInfo.
constexpr const char* kLabels[][2] = {{"kubernetes.io/os", "beta.kubernetes.io/os"},
                                      {"kubernetes.io/arch", "beta.kubernetes.io/arch"}};

// A taint that the conditions, or the lack of them, decide over.
bool IsOfConditions(const Value& taint) {
  if (taint.Get("effect").AsString() != "NoSchedule") return false;
  const std::string_view key = taint.Get("key").AsString();
  return key == kUnschedulable ||
         std::any_of(std::begin(kConditionTaints), std::end(kConditionTaints),
                     [key](const ConditionTaint& row) { return row.taint == key; });
}

}  // namespace

Taints TaintsOfConditions(const api::Object& node) {
  Taints taints;
  const api::NodeView view(node);
  for (const Value& condition : view.conditions().items())
    for (const ConditionTaint& row : kConditionTaints)
      if (row.condition == condition.Get("type").AsString() &&
          row.status == condition.Get("status").AsString())
        taints.push_back(MakeTaint(row.taint, "NoSchedule"));
  if (view.unschedulable()) taints.push_back(MakeTaint(kUnschedulable, "NoSchedule"));
  return taints;
}

TaintChanges FindTaintChanges(const api::Object& node) {
  TaintChanges changes;
  const Taints wanted = TaintsOfConditions(node);
  const Value& has = node.spec().Get("taints");
  std::copy_if(wanted.begin(), wanted.end(), std::back_inserter(changes.to_add),
               [&has](const Value& t) { return !TaintExists(has, t); });
  const Value list = Value::Array(wanted);
  for (const Value& taint : has.items())
    if (IsOfConditions(taint) && !TaintExists(list, taint)) changes.to_remove.push_back(taint);
  return changes;
}

NodeWrites::Labels LabelsToReconcile(const api::Object& node) {
  NodeWrites::Labels labels;
  for (const auto& [primary, secondary] : kLabels) {
    if (!node.labels().Has(primary)) continue;
    if (node.labels().Has(secondary) && node.Label(primary) == node.Label(secondary)) continue;
    labels.emplace_back(secondary, std::string(node.Label(primary)));
  }
  return labels;
}

Value NotReadyStatus(const api::Object& pod, VirtualTime now) {
  const Value& conditions = pod.status().Get("conditions");
  const Value* const ready = api::FindCondition(conditions, "Ready");
  if (ready == nullptr || ready->Get("status").AsString() == "False") return Value();
  return pod.status().Set(
      "conditions",
      api::UpdateCondition(conditions, ready->Set("status", Value::Of("False")), now));
}

sim::Task<void> NodeLifecycleController::NodeWorker() {
  for (;;) {
    const std::optional<std::string> name = co_await node_queue_.Get();
    if (!name) co_return;
    co_await ReconcileNode(*name);
    node_queue_.Done(*name);
  }
}

// A failure waits for the node's next event, as upstream's does.
sim::Task<void> NodeLifecycleController::ReconcileNode(std::string name) {
  const api::Object node = Cached(name);
  if (node.empty()) co_return;

  // 1. NoSchedule taints.
  TaintChanges changes = FindTaintChanges(node);
  if (!changes.empty())
    co_await writes_.SwapTaints(std::move(changes.to_add), std::move(changes.to_remove), node);

  // 2. Labels. The cache may have moved on.
  const api::Object again = Cached(name);
  if (again.empty()) co_return;
  NodeWrites::Labels labels = LabelsToReconcile(again);
  if (!labels.empty()) co_await writes_.SetLabels(name, std::move(labels));
}

sim::Task<void> NodeLifecycleController::PodWorker() {
  for (;;) {
    const std::optional<std::string> key = co_await pod_queue_.Get();
    if (!key) co_return;
    const bool done = co_await ProcessPod(*key);
    if (!done) pod_queue_.AddRateLimited(*key);
    pod_queue_.Done(*key);
  }
}

sim::Task<bool> NodeLifecycleController::ProcessPod(std::string key) {
  const absl::StatusOr<client::ObjectKey> id = client::SplitKey(key);
  if (!id.ok()) co_return true;
  const api::Object pod = pods_.lister().Get(id->ns, id->name);
  if (pod.empty()) co_return true;
  const std::string node(pod.node_name());
  if (!health_.Knows(node)) co_return true;  // the next pass sees its pods
  if (Cached(node).empty()) co_return false;
  const std::string_view ready = health_.ReadyStatus(node);
  if (ready.empty() || ready == "True") co_return true;
  const Objects pods = {pod};
  co_return co_await MarkPodsNotReady(pods, node);
}

sim::Task<bool> NodeLifecycleController::MarkPodsNotReady(Objects pods, std::string node) {
  bool all = true;
  for (const api::Object& pod : pods) {
    if (pod.node_name() != node) continue;
    const Value status = NotReadyStatus(pod, context_.process.Now());
    if (status.is_null()) continue;
    const api::Object update =
        api::Object::FromTree(pod.tree().Set("status", status), pod.resource_version());
    client::Client::ObjectResult put = co_await client_.UpdateStatus(pod_resource_, update);
    if (!put.ok() && api::IsNotFound(put.status())) continue;
    all = all && put.ok();
    recorder_.Event(update, "Warning", "NodeNotReady", "Node is not ready");
  }
  co_return all;
}

}  // namespace ksim::controllers
