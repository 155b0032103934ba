#include "ksim/controllers/tainteviction/taint_eviction.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/api/conditions.h"
#include "ksim/api/pod.h"
#include "ksim/api/views/taints.h"
#include "ksim/client/reconciler.h"
#include "ksim/controllers/common/pod_status_patch.h"

namespace ksim::controllers {

using value::Value;

namespace {

constexpr int kTries = 5;
constexpr Duration kBetweenTries = Milliseconds(10);

Value NoExecuteTaints(const api::Object& node) {
  std::vector<Value> out;
  for (const Value& taint : node.spec().Get("taints").items())
    if (taint.Get("effect").AsString() == "NoExecute") out.push_back(taint);
  return Value::Array(std::move(out));
}

// The work item of a pod: what it says of the node is how the workers find out that it is old.
std::string ItemOf(const api::Object& pod) {
  return fmt::format("{} {}", pod.node_name(), pod.key());
}

}  // namespace

void AddPodNodeIndex(client::SharedInformer& pods) {
  if (pods.lister().HasIndex(kPodNodeIndex)) return;
  pods.AddIndex(kPodNodeIndex, [](const api::Object& pod, client::IndexValues& values) {
    if (!pod.node_name().empty()) values.Add(pod.node_name());
  });
}

std::optional<std::vector<Value>> MatchingTolerations(const Value& taints,
                                                      const Value& tolerations) {
  std::vector<Value> used;
  const Value::Items all = tolerations.items();
  for (const Value& taint : taints.items()) {
    const Value* const match = std::find_if(
        all.begin(), all.end(), [&taint](const Value& t) { return api::Tolerates(t, taint); });
    if (match == all.end()) return std::nullopt;
    used.push_back(*match);
  }
  return used;
}

std::optional<Duration> MinTolerationTime(const std::vector<Value>& tolerations) {
  if (tolerations.empty()) return Duration();
  std::optional<Duration> least;
  for (const Value& toleration : tolerations) {
    const Value& seconds = toleration.Get("tolerationSeconds");
    if (seconds.is_null()) continue;
    if (seconds.AsInt() <= 0) return Duration();
    const Duration time = Seconds(seconds.AsInt());
    if (!least || time < *least) least = time;
  }
  return least;
}

TaintEviction::TaintEviction(const ControllerContext& context, client::ClientOptions limits)
    : process_(context.process),
      part_(context.name),
      profile_(controllers::ProfileOf(context.env().compat)),
      pod_resource_(context.Resource("", "pods")),
      client_(context.connection, context.actor(), std::move(limits)),
      recorder_(context.connection, context.actor(),
                profile_.separate_taint_eviction ? "taint-eviction-controller" : "taint-controller",
                "", client::EventRecorder::Api::kCore, client_.options()),
      pods_(context.informers.For(pod_resource_)),
      nodes_(context.informers.For(context.Resource("", "nodes"))),
      node_queue_(process_, client::DefaultControllerRateLimiter(process_)),
      pod_queue_(process_, client::DefaultControllerRateLimiter(process_)),
      evictions_(process_, part_, profile_.forgets_done_evictions,
                 [this](std::string key) { return Evict(std::move(key)); }) {
  AddPodNodeIndex(pods_);
}

void TaintEviction::StartWorkers() {
  process_.Spawn(NodeWorker(), part_);
  process_.Spawn(PodWorker(), part_);
}

// --- handlers ----------------------------------------------------------------------------------

void TaintEviction::PodUpdated(const api::Object& before, const api::Object& after) {
  const bool both = !before.empty() && !after.empty();
  if (both && before.node_name() == after.node_name() &&
      before.spec().Get("tolerations") == after.spec().Get("tolerations"))
    return;
  pod_queue_.Add(ItemOf(after.empty() ? before : after));
}

void TaintEviction::NodeUpdated(const api::Object& before, const api::Object& after) {
  const bool both = !before.empty() && !after.empty();
  if (both && NoExecuteTaints(before) == NoExecuteTaints(after)) return;
  node_queue_.Add(std::string((after.empty() ? before : after).name()));
}

// --- workers -----------------------------------------------------------------------------------

// Upstream has eight workers, and a node with its pods always goes to the same one. As none of them
// waits for anything, one for nodes and one for pods do the same.
sim::Task<void> TaintEviction::NodeWorker() {
  for (;;) {
    const std::optional<std::string> name = co_await node_queue_.Get();
    if (!name) co_return;
    HandleNode(*name);
    node_queue_.Done(*name);
  }
}

// Nodes go first, so that a pod is judged by taints that are known already.
sim::Task<void> TaintEviction::PodWorker() {
  for (;;) {
    const std::optional<std::string> item = co_await pod_queue_.Get();
    if (!item) co_return;
    while (node_queue_.size() > 0) {
      const std::optional<std::string> name = co_await node_queue_.Get();
      if (!name) co_return;
      HandleNode(*name);
      node_queue_.Done(*name);
    }
    HandlePod(*item);
    pod_queue_.Done(*item);
  }
}

void TaintEviction::HandleNode(const std::string& name) {
  const api::Object node = nodes_.lister().Get("", name);
  // The pods of a node that is gone keep their timers: others delete them.
  if (node.empty()) {
    tainted_nodes_.erase(name);
    return;
  }
  const Value taints = NoExecuteTaints(node);
  if (taints.empty())
    tainted_nodes_.erase(name);
  else
    tainted_nodes_[name] = taints;
  for (const api::Object& pod : pods_.lister().ByIndex(kPodNodeIndex, name)) {
    if (taints.empty())
      CancelWithEvent(pod.key());
    else
      ProcessPodOnNode(pod.key(), pod.spec().Get("tolerations"), taints);
  }
}

void TaintEviction::HandlePod(const std::string& item) {
  const std::size_t space = item.find(' ');
  const std::string node = item.substr(0, space);
  const std::string key = item.substr(space + 1);
  const absl::StatusOr<client::ObjectKey> id = client::SplitKey(key);
  if (!id.ok()) return;
  const api::Object pod = pods_.lister().Get(id->ns, id->name);
  if (pod.empty()) {
    CancelWithEvent(key);
    return;
  }
  // Another item is on its way where the pod has another node by now.
  if (pod.node_name() != node || node.empty()) return;
  const auto tainted = tainted_nodes_.find(node);
  if (tainted == tainted_nodes_.end()) return;
  ProcessPodOnNode(key, pod.spec().Get("tolerations"), tainted->second);
}

void TaintEviction::ProcessPodOnNode(const std::string& key, const Value& tolerations,
                                     const Value& taints) {
  const VirtualTime now = process_.SteadyNow();
  const std::optional<std::vector<Value>> used = MatchingTolerations(taints, tolerations);
  if (!used) {
    CancelWithEvent(key);
    evictions_.Add(key, now, now);
    return;
  }
  const std::optional<Duration> time = MinTolerationTime(*used);
  if (!time) {
    CancelWithEvent(key);
    return;
  }
  // An eviction that waits goes on waiting, whatever the new time is. Upstream compares the two
  // beginnings, and its clock has moved on since the first.
  if (evictions_.CreatedAt(key)) return;
  evictions_.Add(key, now, now + *time);
}

void TaintEviction::CancelWithEvent(const std::string& key) {
  if (evictions_.Cancel(key)) Record(key, "Cancelling deletion of");
}

// --- the eviction ------------------------------------------------------------------------------

sim::Task<bool> TaintEviction::Evict(std::string key) {
  Record(key, "Marking for deletion");
  const absl::StatusOr<client::ObjectKey> id = client::SplitKey(key);
  if (!id.ok()) co_return false;
  for (int i = 0; i < kTries; ++i) {
    const bool deleted = co_await MarkAndDelete(id->ns, id->name);
    if (deleted) co_return true;
    co_await process_.simulation().Sleep(kBetweenTries, sim::TimerKind::kWork, "taint eviction");
  }
  co_return false;
}

// addConditionAndDeletePod.
sim::Task<bool> TaintEviction::MarkAndDelete(std::string ns, std::string name) {
  if (profile_.disruption_conditions) {
    client::Client::ObjectResult pod = co_await client_.Get(pod_resource_, ns, name);
    if (!pod.ok()) co_return false;
    const Value condition = DisruptionTarget(
        *pod, "DeletionByTaintManager", "Taint manager: deleting due to NoExecute taint", profile_);
    if (!HasCondition(*pod, condition)) {
      const Value conditions =
          api::UpdateCondition(pod->status().Get("conditions"), condition, process_.Now());
      const Value status = pod->status().Set("conditions", conditions);
      const std::optional<api::Status> failed = co_await PatchPodStatus(client_, *pod, status);
      if (failed) co_return false;
    }
  }
  const api::DeleteOptions graceful;
  client::Client::ObjectResult deleted = co_await client_.Delete(pod_resource_, ns, name, graceful);
  co_return deleted.ok();
}

// The Event names the pod by namespace and name alone; in 1.25 not even by its version of the API.
void TaintEviction::Record(const std::string& key, const char* what) {
  const absl::StatusOr<client::ObjectKey> id = client::SplitKey(key);
  if (!id.ok()) return;
  Value reference = value::Obj({{"kind", Value::Of("Pod")},
                                {"metadata", value::Obj({{"namespace", Value::String(id->ns)},
                                                         {"name", Value::String(id->name)}})}});
  if (profile_.separate_taint_eviction) reference = reference.Set("apiVersion", Value::Of("v1"));
  recorder_.Event(api::Object::FromTree(std::move(reference)), "Normal", "TaintManagerEviction",
                  fmt::format("{} Pod {}", what, key));
}

}  // namespace ksim::controllers
