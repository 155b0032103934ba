// The half of DaemonSetController that acts on pods: which it claims, makes and deletes
// (daemonset_controller.h; the other half hears of changes and leads a sync through its steps).
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/api/pod.h"
#include "ksim/base/status.h"
#include "ksim/controllers/common/controller_ref.h"
#include "ksim/controllers/common/manager_client.h"
#include "ksim/controllers/common/pod_owner_index.h"
#include "ksim/controllers/daemonset/daemonset_controller.h"
#include "ksim/sim/mailbox.h"

namespace ksim::controllers {

using value::Value;

namespace {

constexpr std::size_t kFirstDaemonBatch = 1;  // SlowStartInitialBatchSize

// As far as a deletion asks.
api::Object PodNamed(std::string_view ns, std::string_view name) {
  const Value metadata =
      value::Obj({{"namespace", Value::String(ns)}, {"name", Value::String(name)}});
  return api::Object::FromTree(value::Obj({{"metadata", metadata}}));
}

// getUnscheduledPodsWithoutNode: nobody else would delete them.
void AddPodsWithoutNode(const std::vector<api::Object>& nodes, const PodsByNode& pods,
                        std::vector<std::string>* out) {
  absl::btree_set<std::string_view> names;
  for (const api::Object& node : nodes) names.insert(node.name());
  for (const auto& [node, on_node] : pods) {
    if (names.contains(node)) continue;
    for (const api::Object& pod : on_node)
      if (pod.node_name().empty()) out->emplace_back(pod.name());
  }
}

}  // namespace

// --- claiming ------------------------------------------------------------------------------------

sim::Task<api::Result<std::vector<api::Object>>> DaemonSetController::ClaimPods(
    api::Object daemon_set) {
  const auto selector = value::LabelSelector::FromObject(daemon_set.spec().Get("selector"));
  if (!selector.ok()) co_return api::Unmapped(500, Message(selector.status()));
  std::vector<api::Object> candidates = PodsOfOwner(pod_informer_, daemon_set);
  const std::vector<api::Object> orphans = OrphanPods(pod_informer_, daemon_set.ns());
  candidates.insert(candidates.end(), orphans.begin(), orphans.end());
  PodClaimer claimer(client_, pods_, resource_, daemon_set, *selector);
  PodClaimer::Claimed claimed = co_await claimer.Claim(std::move(candidates));
  for (const api::Object& pod : claimed.adopted) {
    consistency_.WroteAt(daemon_set.key(), daemon_set.uid(), pod_resource_->group_resource(),
                         pod.resource_version());
  }
  if (claimed.error) co_return *claimed.error;
  co_return std::move(claimed.pods);
}

sim::Task<api::Result<PodsByNode>> DaemonSetController::ClaimPodsByNode(api::Object daemon_set,
                                                                        bool with_ended) {
  api::Result<std::vector<api::Object>> claimed = co_await ClaimPods(daemon_set);
  if (!claimed.ok()) {
    co_return api::Unmapped(
        500, fmt::format("couldn't get node to daemon pod mapping for daemon set \"{}\": {}",
                         daemon_set.name(), claimed.status().message));
  }
  with_ended = with_ended || !profile_.daemon_ignores_deleted_ended_pods;
  PodsByNode by_node;
  for (const api::Object& pod : *claimed) {
    // Whoever deletes it has the rest to do.
    if (!with_ended && pod.deleting() && api::PodView(pod).terminal()) continue;
    const std::string node = TargetNodeOf(pod);
    if (!node.empty()) by_node[node].push_back(pod);
  }
  co_return by_node;
}

// --- manage --------------------------------------------------------------------------------------

sim::Task<std::string> DaemonSetController::Manage(api::Object daemon_set,
                                                   std::vector<api::Object> nodes,
                                                   std::string hash) {
  api::Result<PodsByNode> pods = co_await ClaimPodsByNode(daemon_set, false);
  if (!pods.ok()) co_return pods.status().message.str();
  const DaemonPlacement placement(daemon_set);
  DaemonChanges changes;
  for (const api::Object& node : nodes)
    PlanNode(daemon_set, node, placement.On(node), *pods, hash, &changes);
  AddPodsWithoutNode(nodes, *pods, &changes.pods_to_delete);
  co_return co_await Apply(daemon_set, changes, hash);
}

void DaemonSetController::PlanNode(const api::Object& daemon_set, const api::Object& node,
                                   RunsOnNode runs, const PodsByNode& pods, std::string_view hash,
                                   DaemonChanges* changes) {
  const auto found = pods.find(node.name());
  if (found == pods.end()) {
    if (runs.should_run) changes->nodes_needing_pods.emplace_back(node.name());
    return;
  }
  if (!runs.should_continue) {
    for (const api::Object& pod : found->second)
      if (!pod.deleting()) changes->pods_to_delete.emplace_back(pod.name());
    return;
  }
  std::vector<api::Object> running = RunningPods(daemon_set, node, found->second, changes);
  if (running.size() > 1) {
    SortDaemonPods(&running);
    if (AllowsSurge(daemon_set)) return PruneSurge(daemon_set, running, hash, changes);
    for (std::size_t i = 1; i < running.size(); ++i)
      changes->pods_to_delete.emplace_back(running[i].name());
  } else if (running.empty() && runs.should_run && AllowsSurge(daemon_set)) {
    // Without surge the next one comes when the last one is gone.
    changes->nodes_needing_pods.emplace_back(node.name());
  }
}

std::vector<api::Object> DaemonSetController::RunningPods(const api::Object& daemon_set,
                                                          const api::Object& node,
                                                          const std::vector<api::Object>& pods,
                                                          DaemonChanges* changes) {
  std::vector<api::Object> running;
  for (const api::Object& pod : pods) {
    if (pod.deleting()) continue;
    const std::string_view phase = api::PodView(pod).phase();
    if (phase == "Failed") {
      if (DeletesFailedPod(daemon_set, node, pod)) changes->pods_to_delete.emplace_back(pod.name());
    } else if (phase == "Succeeded" && profile_.daemon_deletes_succeeded_pods) {
      recorder_.Event(
          daemon_set, "Normal", "SucceededDaemonPod",
          fmt::format("Found succeeded daemon pod {}/{} on node {}, will try to delete it",
                      pod.ns(), pod.name(), node.name()));
      changes->pods_to_delete.emplace_back(pod.name());
    } else {
      running.push_back(pod);
    }
  }
  return running;
}

bool DaemonSetController::DeletesFailedPod(const api::Object& daemon_set, const api::Object& node,
                                           const api::Object& pod) {
  const std::int64_t observed = daemon_set.status().Get("observedGeneration").AsInt();
  const std::string key = fmt::format("{}/{}/{}", daemon_set.uid(), observed, node.name());
  const VirtualTime now = context_.process.Now();
  if (failed_pods_.WaitsSinceLast(key, now) > now) {
    queue_.AddAfter(daemon_set.key(), failed_pods_.Get(key));
    return false;
  }
  failed_pods_.Next(key, now, now);
  recorder_.Event(daemon_set, "Warning", "FailedDaemonPod",
                  fmt::format("Found failed daemon pod {}/{} on node {}, will try to kill it",
                              pod.ns(), pod.name(), node.name()));
  return true;
}

// Two pods may stay: the oldest of the template while it is not available, and the oldest that is
// not while it is ready.
void DaemonSetController::PruneSurge(const api::Object& daemon_set,
                                     std::vector<api::Object> running, std::string_view hash,
                                     DaemonChanges* changes) const {
  api::Object newer, older;
  for (const api::Object& pod : running) {
    api::Object& place = pod.Label(kDaemonHashLabel) == hash ? newer : older;
    if (place.empty())
      place = pod;
    else
      changes->pods_to_delete.emplace_back(pod.name());
  }
  if (newer.empty() || older.empty()) return;
  const Duration min_ready = Seconds(daemon_set.spec().Get("minReadySeconds").AsInt());
  const bool replaced =
      api::PodView(newer).Available(min_ready, context_.process.Now(), profile_.compat);
  if (!api::PodView(older).ready() || replaced) changes->pods_to_delete.emplace_back(older.name());
}

// --- syncNodes -----------------------------------------------------------------------------------

// The calls of one batch report here to the sync that waits for them.
struct DaemonSetController::Batch {
  explicit Batch(sim::Simulation& sim) : finished(sim) {}
  std::size_t running = 0;
  std::vector<std::string> errors;
  sim::Signal finished;

  void Finish() {
    if (--running == 0) finished.Notify();
  }
};

sim::Task<std::string> DaemonSetController::Apply(api::Object daemon_set, DaemonChanges changes,
                                                  std::string hash) {
  const std::string key = daemon_set.key();
  const std::size_t creates = std::min(changes.nodes_needing_pods.size(), kDaemonBurst);
  const std::size_t deletes = std::min(changes.pods_to_delete.size(), kDaemonBurst);
  expectations_.Set(key, static_cast<std::int64_t>(creates), static_cast<std::int64_t>(deletes));
  Batch batch(context_.env().sim);

  // Creations, 1, 2, 4, ... at once; the first batch with an error is the last.
  const Value pod_template = DaemonPodTemplate(daemon_set, hash);
  std::size_t done = 0;
  for (std::size_t size = std::min(creates, kFirstDaemonBatch); size > 0;) {
    batch.running = size;
    for (std::size_t i = done; i < done + size; ++i) {
      const Value pinned = PinnedTo(pod_template, changes.nodes_needing_pods[i]);
      context_.process.Spawn(CreateOne(&batch, daemon_set, pinned), context_.name);
    }
    while (batch.running > 0) co_await batch.finished.Wait();
    done += size;
    if (!batch.errors.empty()) break;
    size = std::min(2 * size, creates - done);
  }
  // Pods that were never asked for will not be seen.
  expectations_.Lower(key, static_cast<std::int64_t>(creates - done), 0);

  batch.running = deletes;
  for (std::size_t i = 0; i < deletes; ++i) {
    context_.process.Spawn(DeleteOne(&batch, daemon_set, changes.pods_to_delete[i]), context_.name);
  }
  while (batch.running > 0) co_await batch.finished.Wait();
  co_return AggregateErrors(batch.errors);
}

sim::Task<void> DaemonSetController::CreateOne(Batch* batch, api::Object daemon_set,
                                               Value pod_template) {
  const std::string key = daemon_set.key();
  client::Client::ObjectResult created =
      co_await pods_.Create(daemon_set, std::string(daemon_set.ns()), pod_template);
  if (created.ok()) {
    consistency_.WroteAt(key, daemon_set.uid(), pod_resource_->group_resource(),
                         created->resource_version());
  } else if (!api::HasCause(created.status(), "NamespaceTerminating")) {
    // Otherwise its expectation stays: everything here is about to be deleted anyway.
    expectations_.CreationObserved(key);
    batch->errors.push_back(created.status().message.str());
  }
  batch->Finish();
}

sim::Task<void> DaemonSetController::DeleteOne(Batch* batch, api::Object daemon_set,
                                               std::string name) {
  client::Client::ObjectResult deleted =
      co_await pods_.Delete(daemon_set, PodNamed(daemon_set.ns(), name));
  if (!deleted.ok()) {
    // No event will come for it.
    expectations_.Lower(daemon_set.key(), 0, 1);
    if (!api::IsNotFound(deleted.status())) batch->errors.push_back(deleted.status().message.str());
  }
  batch->Finish();
}

}  // namespace ksim::controllers
