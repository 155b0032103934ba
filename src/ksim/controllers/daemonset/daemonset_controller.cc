#include "ksim/controllers/daemonset/daemonset_controller.h"

#include <fmt/format.h>

#include <utility>

#include "ksim/api/pod.h"
#include "ksim/base/status.h"
#include "ksim/controllers/common/cache_sync.h"
#include "ksim/controllers/common/manager_client.h"
#include "ksim/controllers/common/pod_owner_index.h"
#include "ksim/controllers/daemonset/daemonset_status.h"
#include "ksim/controllers/tainteviction/taint_eviction.h"
#include "ksim/sim/probe.h"
#include "ksim/value/selector.h"

namespace ksim::controllers {

using value::Value;

namespace {

constexpr std::string_view kDaemonSetKindName = "DaemonSet";

bool SameOwner(const std::optional<api::OwnerReference>& a,
               const std::optional<api::OwnerReference>& b) {
  if (!a || !b) return !a && !b;
  return a->uid == b->uid && a->name == b->name && a->kind == b->kind;
}

}  // namespace

DaemonSetController::DaemonSetController(ControllerContext context)
    : context_(std::move(context)),
      profile_(controllers::ProfileOf(context_.env().compat)),
      resource_(context_.Resource("apps", "daemonsets")),
      pod_resource_(context_.Resource("", "pods")),
      client_(context_.connection, context_.actor(),
              ManagerClient(context_, "daemon-set-controller")),
      recorder_(context_.connection, context_.actor(), "daemonset-controller", "",
                client::EventRecorder::Api::kCore, client_.options()),
      pods_(client_, recorder_),
      sets_(context_.informers.For(resource_)),
      revisions_(context_.informers.For(context_.Resource("apps", "controllerrevisions"))),
      pod_informer_(context_.informers.For(pod_resource_)),
      nodes_(context_.informers.For(context_.Resource("", "nodes"))),
      queue_(context_.process, client::DefaultControllerRateLimiter(context_.process)),
      node_queue_(context_.process, client::DefaultControllerRateLimiter(context_.process)),
      expectations_(context_.process, context_.env().variants.rs_expectations !=
                                          api::Variants::RsExpectations::kNever),
      consistency_(
          context_.env().variants.rs_expectations == api::Variants::RsExpectations::kOwnWriteRV,
          [this](std::string_view resource) {
            const client::SharedInformer& informer =
                resource == pod_resource_->group_resource() ? pod_informer_ : sets_;
            return informer.applied_resource_version();
          }),
      history_(client_, revisions_, resource_, pod_resource_, profile_,
               [this](api::Object daemon_set) { return ClaimPods(std::move(daemon_set)); }) {}

DaemonSetController::~DaemonSetController() = default;

void DaemonSetController::Start() {
  AddPodOwnerIndex(pod_informer_);
  if (profile_.daemon_queues_nodes) AddPodNodeIndex(pod_informer_);
  RegisterHandlers();
  loop_ =
      std::make_unique<client::ReconcileLoop>(context_.connection, context_.name, queue_, *this);
  loop_->Start(kDaemonSetWorkers, {&pod_informer_, &nodes_, &revisions_, &sets_});
  if (!profile_.daemon_queues_nodes) return;
  for (int i = 0; i < kDaemonSetWorkers; ++i) context_.process.Spawn(NodeWorker(), context_.name);
}

// --- handlers ----------------------------------------------------------------------------------

void DaemonSetController::RegisterHandlers() {
  using api::Object;
  set_handlers_.add = [this](const Object& set, bool) { queue_.Add(set.key()); };
  set_handlers_.update = [this](const Object& a, const Object& b) { UpdateDaemonSet(a, b); };
  set_handlers_.del = [this](const client::Deleted& d) { DeleteDaemonSet(d.object); };
  revision_handlers_.add = [this](const Object& revision, bool) { AddRevision(revision); };
  revision_handlers_.update = [this](const Object& a, const Object& b) { UpdateRevision(a, b); };
  revision_handlers_.del = [this](const client::Deleted& d) { DeleteRevision(d.object); };
  pod_handlers_.add = [this](const Object& pod, bool) { AddPod(pod); };
  pod_handlers_.update = [this](const Object& a, const Object& b) { UpdatePod(a, b); };
  pod_handlers_.del = [this](const client::Deleted& d) { DeletePod(d.object); };
  node_handlers_.add = [this](const Object& node, bool) { AddNode(node); };
  node_handlers_.update = [this](const Object& a, const Object& b) { UpdateNode(a, b); };
  sets_.AddHandler(context_.actor(), &set_handlers_);
  revisions_.AddHandler(context_.actor(), &revision_handlers_);
  pod_informer_.AddHandler(context_.actor(), &pod_handlers_);
  nodes_.AddHandler(context_.actor(), &node_handlers_);
}

// Upstream hands the two over the wrong way round: of a DaemonSet that was deleted and made again
// it forgets the new one, whose expectations have the same key, and keeps the old one's writes.
void DaemonSetController::UpdateDaemonSet(const api::Object& before, const api::Object& after) {
  if (before.uid() != after.uid()) DeleteDaemonSet(after);
  queue_.Add(after.key());
}

void DaemonSetController::DeleteDaemonSet(const api::Object& daemon_set) {
  if (daemon_set.empty()) return;
  const std::string key = daemon_set.key();
  consistency_.Clear(key, daemon_set.uid());
  expectations_.Delete(key);
  queue_.Add(key);
}

api::Object DaemonSetController::OwnerOf(const api::Object& object) const {
  const std::optional<api::OwnerReference> owner = object.controller();
  if (!owner || owner->kind != kDaemonSetKindName) return {};
  const api::Object daemon_set = sets_.lister().Get(object.ns(), owner->name);
  return !daemon_set.empty() && daemon_set.uid() == owner->uid ? daemon_set : api::Object();
}

void DaemonSetController::EnqueueOwner(const api::Object& object) {
  const api::Object daemon_set = OwnerOf(object);
  if (!daemon_set.empty()) queue_.Add(daemon_set.key());
}

// GetPodDaemonSets, GetHistoryDaemonSets. An empty selector, which nobody can store, matches none.
void DaemonSetController::EnqueueMatching(const api::Object& orphan) {
  if (orphan.labels().empty()) return;
  for (const api::Object& daemon_set : sets_.lister().List(orphan.ns())) {
    const auto selector = value::LabelSelector::FromObject(daemon_set.spec().Get("selector"));
    if (!selector.ok() || selector->empty() || !selector->Matches(orphan.labels())) continue;
    queue_.Add(daemon_set.key());
  }
}

// One that is controlled is no news: its DaemonSet has just made it.
void DaemonSetController::AddRevision(const api::Object& revision) {
  if (revision.deleting()) return DeleteRevision(revision);
  if (!revision.controller()) EnqueueMatching(revision);
}

void DaemonSetController::UpdateRevision(const api::Object& before, const api::Object& after) {
  if (before.resource_version() == after.resource_version()) return;
  const bool owner_changed = !SameOwner(before.controller(), after.controller());
  if (owner_changed) EnqueueOwner(before);
  if (after.controller()) return EnqueueOwner(after);
  if (owner_changed || before.labels() != after.labels()) EnqueueMatching(after);
}

void DaemonSetController::DeleteRevision(const api::Object& revision) { EnqueueOwner(revision); }

void DaemonSetController::AddPod(const api::Object& pod) {
  // After a restart a new pod may show up already being deleted: never a creation.
  if (pod.deleting()) return DeletePod(pod);
  if (!pod.controller()) return EnqueueMatching(pod);
  const api::Object daemon_set = OwnerOf(pod);
  if (daemon_set.empty()) return;
  expectations_.CreationObserved(daemon_set.key());
  queue_.Add(daemon_set.key());
}

void DaemonSetController::UpdatePod(const api::Object& before, const api::Object& after) {
  if (before.resource_version() == after.resource_version()) return;
  if (after.deleting()) return DeletePod(after);
  const bool owner_changed = !SameOwner(before.controller(), after.controller());
  if (owner_changed) EnqueueOwner(before);
  if (!after.controller()) {
    if (owner_changed || before.labels() != after.labels()) EnqueueMatching(after);
    return;
  }
  const api::Object daemon_set = OwnerOf(after);
  if (daemon_set.empty()) return;
  queue_.Add(daemon_set.key());
  const bool became_ready = !api::PodView(before).ready() && api::PodView(after).ready();
  const Duration min_ready = Seconds(daemon_set.spec().Get("minReadySeconds").AsInt());
  // A second was added against clocks that disagree.
  if (became_ready && min_ready > Duration())
    queue_.AddAfter(daemon_set.key(), min_ready + Seconds(1));
}

// Counts for each event: of a pod that ends gracefully for its mark and for its end.
void DaemonSetController::DeletePod(const api::Object& pod) {
  if (pod.empty()) return;
  const api::Object daemon_set = OwnerOf(pod);
  if (daemon_set.empty()) return;
  expectations_.Lower(daemon_set.key(), 0, 1);
  queue_.Add(daemon_set.key());
}

// --- nodes ---------------------------------------------------------------------------------------

void DaemonSetController::AddNode(const api::Object& node) {
  if (profile_.daemon_queues_nodes) return node_queue_.Add(std::string(node.name()));
  for (const api::Object& daemon_set : sets_.lister().List(""))
    if (DaemonPlacement(daemon_set).On(node).should_run) queue_.Add(daemon_set.key());
}

void DaemonSetController::UpdateNode(const api::Object& before, const api::Object& after) {
  // shouldIgnoreNodeUpdate: nothing else decides where pods run.
  if (before.labels() == after.labels() &&
      before.spec().Get("taints") == after.spec().Get("taints"))
    return;
  if (profile_.daemon_queues_nodes) return node_queue_.Add(std::string(after.name()));
  for (const api::Object& daemon_set : sets_.lister().List("")) {
    const DaemonPlacement placement(daemon_set);
    if (placement.On(before) != placement.On(after)) queue_.Add(daemon_set.key());
  }
}

// It waits for the same caches as the workers of DaemonSets.
sim::Task<void> DaemonSetController::NodeWorker() {
  std::vector<client::SharedInformer*> caches;
  for (client::SharedInformer* cache : {&pod_informer_, &nodes_, &revisions_, &sets_})
    caches.push_back(cache);
  co_await WaitForSync(context_.env().sim, std::move(caches));
  for (;;) {
    const std::optional<std::string> name = co_await node_queue_.Get();
    if (!name) co_return;
    SyncNode(*name);
    node_queue_.Forget(*name);
    node_queue_.Done(*name);
  }
}

// syncNodeUpdate: queues the DaemonSets that have something to do on the node, and those whose
// count of pods on wrong nodes may have to be made anew.
void DaemonSetController::SyncNode(const std::string& name) {
  const api::Object node = nodes_.lister().Get("", name);
  if (node.empty()) return;
  absl::btree_set<std::string> with_pods;
  for (const api::Object& pod : pod_informer_.lister().ByIndex(kPodNodeIndex, name)) {
    const std::optional<api::OwnerReference> owner = pod.controller();
    if (!owner || owner->kind != kDaemonSetKindName) continue;
    with_pods.insert(fmt::format("{}/{}", pod.ns(), owner->name));
  }
  for (const api::Object& daemon_set : sets_.lister().List("")) {
    const RunsOnNode runs = DaemonPlacement(daemon_set).On(node);
    const bool scheduled = with_pods.contains(daemon_set.key());
    const bool misscheduled = daemon_set.status().Get("numberMisscheduled").AsInt() > 0;
    if (scheduled ? !runs.should_continue || misscheduled : runs.should_run)
      queue_.Add(daemon_set.key());
  }
}

// --- sync ----------------------------------------------------------------------------------------

sim::Task<client::ReconcileResult> DaemonSetController::Reconcile(std::string key) {
  // 1. The caches must have taken in the controller's own last writes.
  const std::optional<std::string> behind = consistency_.NotReady(key);
  if (behind) {
    KSIM_PROBE("variant/rs.expectations");
    co_return client::ReconcileResult::Error(*behind);
  }

  // 2. Read the DaemonSet and the nodes; if it is gone, forget it.
  const absl::StatusOr<client::ObjectKey> id = client::SplitKey(key);
  if (!id.ok()) co_return client::ReconcileResult::Error(std::string(Message(id.status())));
  const api::Object daemon_set = sets_.lister().Get(id->ns, id->name);
  if (daemon_set.empty()) {
    expectations_.Delete(key);
    consistency_.Clear(key, "");
    co_return client::ReconcileResult::Done();
  }
  const std::vector<api::Object> nodes = nodes_.lister().List("");
  const Value& selector = daemon_set.spec().Get("selector");
  if (!selector.is_null() && selector.empty()) {
    recorder_.Event(daemon_set, "Warning", "SelectingAll",
                    "This daemon set is selecting all pods. A non-empty selector is required.");
    co_return client::ReconcileResult::Done();
  }
  // Whether its revisions are still there is not known, and with them not what is up to date.
  if (daemon_set.deleting()) co_return client::ReconcileResult::Done();

  // 3. Its revisions, and the hash of the current one.
  api::Result<DaemonSetHistory::Found> history = co_await history_.Construct(daemon_set);
  if (!history.ok()) {
    co_return client::ReconcileResult::Error(
        fmt::format("failed to construct revisions of DaemonSet: {}", history.status().message));
  }

  // 4. Pods, unless earlier creations or deletions have not been seen yet, and then the status.
  const bool acts = expectations_.Satisfied(key);
  std::string error;
  if (acts) error = co_await Act(daemon_set, nodes, *history);
  const std::string status_error = co_await UpdateStatus(daemon_set, nodes, history->hash, acts);
  if (error.empty()) error = status_error;
  if (!error.empty()) co_return client::ReconcileResult::Error(error);
  co_return client::ReconcileResult::Done();
}

// updateDaemonSet
sim::Task<std::string> DaemonSetController::Act(api::Object daemon_set,
                                                std::vector<api::Object> nodes,
                                                DaemonSetHistory::Found history) {
  const std::string problem = co_await Manage(daemon_set, nodes, history.hash);
  if (!problem.empty()) co_return problem;
  static const value::Path kStrategy{"updateStrategy", "type"};
  const bool rolls = daemon_set.spec().Get(kStrategy).AsString() == "RollingUpdate";
  if (rolls && expectations_.Satisfied(daemon_set.key())) {
    api::Result<PodsByNode> pods = co_await ClaimPodsByNode(daemon_set, false);
    if (!pods.ok()) co_return pods.status().message.str();
    RolloutInput input;
    input.daemon_set = daemon_set;
    input.nodes = nodes;
    input.pods = *std::move(pods);
    input.hash = history.hash;
    input.now = context_.process.Now();
    input.profile = &profile_;
    input.node_in_cache = [this](std::string_view name) { return nodes_.lister().Get("", name); };
    const std::string ns(daemon_set.ns());
    input.pod_in_cache = [this, ns](std::string_view name) {
      return pod_informer_.lister().Get(ns, name);
    };
    const DaemonChanges changes = PlanRollingUpdate(std::move(input));
    if (!changes.error.empty()) co_return changes.error;
    const std::string failed = co_await Apply(daemon_set, changes, history.hash);
    if (!failed.empty()) co_return failed;
  }
  api::Result<PodsByNode> all = co_await ClaimPodsByNode(daemon_set, true);
  std::string cleaning = all.ok() ? std::string() : all.status().message.str();
  if (all.ok()) cleaning = co_await history_.CleanUp(daemon_set, history.old, *all);
  if (cleaning.empty()) co_return "";
  co_return fmt::format("failed to clean up revisions of DaemonSet: {}", cleaning);
}

sim::Task<std::string> DaemonSetController::UpdateStatus(api::Object daemon_set,
                                                         std::vector<api::Object> nodes,
                                                         std::string hash, bool observed) {
  api::Result<PodsByNode> pods = co_await ClaimPodsByNode(daemon_set, false);
  if (!pods.ok()) co_return pods.status().message.str();
  const DaemonSetCounts counts =
      CountDaemonPods(daemon_set, nodes, *pods, hash, context_.process.Now(), profile_);
  client::Client::ObjectResult stored =
      co_await StoreDaemonSetStatus(client_, resource_, daemon_set, counts, observed);
  if (!stored.ok()) {
    co_return fmt::format("error storing status for daemon set {}: {}", daemon_set.key(),
                          stored.status().message);
  }
  const std::string key = daemon_set.key();
  if (!stored->empty())
    consistency_.WroteAt(key, stored->uid(), resource_->group_resource(),
                         stored->resource_version());
  // Nothing will say that a ready pod has become available.
  const Duration min_ready = Seconds(daemon_set.spec().Get("minReadySeconds").AsInt());
  if (min_ready > Duration() && counts.ready != counts.available) queue_.AddAfter(key, min_ready);
  co_return "";
}

}  // namespace ksim::controllers
