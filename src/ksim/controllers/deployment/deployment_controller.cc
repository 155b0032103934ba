#include "ksim/controllers/deployment/deployment_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/base/status.h"
#include "ksim/controllers/common/controller_ref.h"
#include "ksim/controllers/common/manager_client.h"
#include "ksim/controllers/common/pod_owner_index.h"
#include "ksim/controllers/common/retries.h"
#include "ksim/controllers/deployment/deployment_spec.h"
#include "ksim/controllers/deployment/progress.h"
#include "ksim/value/selector.h"

namespace ksim::controllers::deployment {

using value::Value;

namespace {

constexpr const char* kDeploymentKind = "Deployment";
constexpr Duration kDeadlineHorizon = Minutes(10);

bool SameOwner(const std::optional<api::OwnerReference>& a,
               const std::optional<api::OwnerReference>& b) {
  if (!a || !b) return !a && !b;
  return a->uid == b->uid && a->name == b->name && a->kind == b->kind &&
         a->api_version == b->api_version && a->block_owner_deletion == b->block_owner_deletion;
}

bool SelectsEverything(const Value& selector) {
  return !selector.is_null() && selector.Get("matchLabels").empty() &&
         selector.Get("matchExpressions").empty();
}

}  // namespace

DeploymentController::DeploymentController(ControllerContext context)
    : context_(std::move(context)),
      profile_(controllers::ProfileOf(context_.env().compat)),
      resource_(context_.Resource("apps", "deployments")),
      client_(context_.connection, context_.actor(),
              ManagerClient(context_, "deployment-controller")),
      recorder_(context_.connection, context_.actor(), "deployment-controller", "",
                client::EventRecorder::Api::kCore, client_.options()),
      deployment_informer_(context_.informers.For(resource_)),
      set_informer_(context_.informers.For(context_.Resource("apps", "replicasets"))),
      pod_informer_(context_.informers.For(context_.Resource("", "pods"))),
      queue_(context_.process, client::DefaultControllerRateLimiter(context_.process)),
      tools_{client_,
             recorder_,
             context_.process,
             profile_,
             resource_,
             set_informer_,
             pod_informer_,
             [this](const std::string& key, Duration left) { LookAtDeadline(key, left); },
             context_.env().variants.deployment_hash_collision ==
                 api::Variants::HashCollision::kCount} {}

DeploymentController::~DeploymentController() = default;

void DeploymentController::Start() {
  AddPodOwnerIndex(pod_informer_);
  RegisterHandlers();
  loop_ =
      std::make_unique<client::ReconcileLoop>(context_.connection, context_.name, queue_, *this);
  loop_->Start(kDeploymentWorkers, {&deployment_informer_, &set_informer_, &pod_informer_});
}

// --- handlers ----------------------------------------------------------------------------------

void DeploymentController::RegisterHandlers() {
  deployment_handlers_.add = [this](const api::Object& d, bool) { queue_.Add(d.key()); };
  deployment_handlers_.update = [this](const api::Object&, const api::Object& d) {
    queue_.Add(d.key());
  };
  deployment_handlers_.del = [this](const client::Deleted& d) { queue_.Add(d.object.key()); };
  set_handlers_.add = [this](const api::Object& set, bool) { AddSet(set); };
  set_handlers_.update = [this](const api::Object& a, const api::Object& b) { UpdateSet(a, b); };
  set_handlers_.del = [this](const client::Deleted& d) { DeleteSet(d.object); };
  pod_handlers_.del = [this](const client::Deleted& d) { DeletePod(d.object); };
  deployment_informer_.AddHandler(context_.actor(), &deployment_handlers_);
  set_informer_.AddHandler(context_.actor(), &set_handlers_);
  pod_informer_.AddHandler(context_.actor(), &pod_handlers_);
}

void DeploymentController::AddSet(const api::Object& set) {
  if (set.deleting() || set.controller()) {
    EnqueueOwner(set);
  } else {
    EnqueueMatching(set);
  }
}

void DeploymentController::UpdateSet(const api::Object& old_set, const api::Object& new_set) {
  if (old_set.resource_version() == new_set.resource_version()) return;
  const std::optional<api::OwnerReference> owner = new_set.controller();
  const bool owner_changed = !SameOwner(owner, old_set.controller());
  if (owner_changed) EnqueueOwner(old_set);
  if (owner) {
    EnqueueOwner(new_set);
  } else if (owner_changed || old_set.labels() != new_set.labels()) {
    EnqueueMatching(new_set);
  }
}

void DeploymentController::DeleteSet(const api::Object& set) { EnqueueOwner(set); }

void DeploymentController::EnqueueOwner(const api::Object& set) {
  const api::Object deployment = ResolveControllerRef(set.ns(), set.controller());
  if (!deployment.empty()) queue_.Add(deployment.key());
}

// GetDeploymentsForReplicaSet: a ReplicaSet without labels, or an empty selector, matches nothing.
void DeploymentController::EnqueueMatching(const api::Object& set) {
  if (set.labels().empty()) return;
  for (const api::Object& deployment : deployment_informer_.lister().List(set.ns())) {
    const auto selector = value::LabelSelector::FromObject(deployment.spec().Get("selector"));
    if (!selector.ok() || selector->empty() || !selector->Matches(set.labels())) continue;
    queue_.Add(deployment.key());
  }
}

api::Object DeploymentController::ResolveControllerRef(
    std::string_view ns, const std::optional<api::OwnerReference>& owner) const {
  if (!owner || owner->kind != kDeploymentKind) return {};
  api::Object deployment = deployment_informer_.lister().Get(ns, owner->name);
  if (deployment.empty() || deployment.uid() != owner->uid) return {};
  return deployment;
}

api::Object DeploymentController::DeploymentOfPod(const api::Object& pod) const {
  const std::optional<api::OwnerReference> owner = pod.controller();
  if (!owner || owner->kind != "ReplicaSet") return {};
  const api::Object set = set_informer_.lister().Get(pod.ns(), owner->name);
  if (set.empty() || set.uid() != owner->uid) return {};
  return ResolveControllerRef(set.ns(), set.controller());
}

void DeploymentController::DeletePod(const api::Object& pod) {
  const bool waits = handling_deleted_pods_;
  const api::Object deployment = DeploymentOfPod(pod);
  if (!waits && (deployment.empty() || StrategyType(deployment) != "Recreate")) return;
  deleted_pods_.push_back(pod);
  if (waits) return;
  handling_deleted_pods_ = true;
  context_.process.Spawn(HandleDeletedPods(), context_.name);
}

sim::Task<void> DeploymentController::HandleDeletedPods() {
  while (!deleted_pods_.empty()) {
    const api::Object pod = deleted_pods_.front();
    deleted_pods_.pop_front();
    co_await HandleDeletedPod(pod);
  }
  handling_deleted_pods_ = false;
}

// deletePod. The live list keeps ReplicaSets in that the cache does not have yet.
sim::Task<void> DeploymentController::HandleDeletedPod(api::Object pod) {
  const api::Object deployment = DeploymentOfPod(pod);
  if (deployment.empty() || StrategyType(deployment) != "Recreate") co_return;
  const auto selector = value::LabelSelector::FromObject(deployment.spec().Get("selector"));
  if (!selector.ok()) co_return;
  api::ListOptions options;
  options.label_selector = selector->ToString();
  api::Result<client::ListResult> listed =
      co_await client_.List(set_informer_.resource(), std::string(deployment.ns()), options);
  if (!listed.ok()) co_return;
  std::erase_if(listed->items, [&deployment](const api::Object& set) {
    const std::optional<api::OwnerReference> owner = set.controller();
    return !owner || owner->uid != deployment.uid();
  });
  if (PodsOfSets(pod_informer_, deployment, listed->items, profile_).empty())
    queue_.Add(deployment.key());
}

// --- sync --------------------------------------------------------------------------------------

sim::Task<client::ReconcileResult> DeploymentController::Reconcile(std::string key) {
  const absl::StatusOr<client::ObjectKey> id = client::SplitKey(key);
  if (!id.ok()) {
    const std::string problem(Message(id.status()));
    co_return ErrorUpTo(kDeploymentMaxRetries, queue_, key, problem);
  }
  const api::Object deployment = deployment_informer_.lister().Get(id->ns, id->name);
  if (deployment.empty()) co_return client::ReconcileResult::Done();
  const Value& labels = deployment.spec().Get("selector");
  if (SelectsEverything(labels)) {
    co_await TellOfEmptySelector(deployment);
    co_return client::ReconcileResult::Done();
  }

  // 1. Claim its ReplicaSets.
  const auto selector = value::LabelSelector::FromObject(labels);
  if (!selector.ok()) {
    const std::string problem =
        fmt::format("deployment {}/{} has invalid label selector: {}", deployment.ns(),
                    deployment.name(), Message(selector.status()));
    co_return ErrorUpTo(kDeploymentMaxRetries, queue_, key, problem);
  }
  ObjectClaimer claimer(client_, set_informer_.resource(), resource_, deployment, *selector);
  ObjectClaimer::Claimed claimed =
      co_await claimer.Claim(set_informer_.lister().List(deployment.ns()));
  if (claimed.error) co_return ResultOf(key, claimed.error);

  // 2. Do what is next.
  DeploymentSync sync(tools_, deployment, std::move(claimed.objects));
  const DeploymentSync::Error error = co_await sync.Run();
  co_return ResultOf(key, error);
}

sim::Task<void> DeploymentController::TellOfEmptySelector(api::Object deployment) {
  recorder_.Event(deployment, "Warning", "SelectingAll",
                  "This deployment is selecting all pods. A non-empty selector is required.");
  DeploymentStatus status = DeploymentStatus::From(deployment);
  if (status.observed_generation >= deployment.generation()) co_return;
  status.observed_generation = deployment.generation();
  const api::Object told = WithStatus(deployment, status);
  co_await client_.UpdateStatus(resource_, told);
}

// handleErr. In a namespace that terminates, everything is about to go anyway.
client::ReconcileResult DeploymentController::ResultOf(const std::string& key,
                                                       const DeploymentSync::Error& error) const {
  if (!error) return client::ReconcileResult::Done();
  if (api::HasCause(*error, "NamespaceTerminating"))
    return client::ReconcileResult::Dropped(error->message.str());
  return ErrorUpTo(kDeploymentMaxRetries, queue_, key, error->message.str());
}

// --- deadlines ---------------------------------------------------------------------------------

// requeueStuckDeployment. Most rollouts end before, and the look then finds nothing: it waits in
// the background, and HasWorkAhead tells of the rollouts that do stand still, in the last ten
// minutes before their deadline: a run does not wait for one that is further away.
void DeploymentController::LookAtDeadline(const std::string& key, Duration left) {
  if (left < Seconds(1)) {
    queue_.AddRateLimited(key);
    return;
  }
  const VirtualTime due = context_.process.SteadyNow() + left + Seconds(1);
  const auto [it, fresh] = deadlines_.try_emplace(key, due);
  if (!fresh && it->second <= due) return;  // the earlier of two waits counts
  it->second = due;
  context_.process.Spawn(WaitForDeadline(key, due), context_.name, true);
}

sim::Task<void> DeploymentController::WaitForDeadline(std::string key, VirtualTime due) {
  sim::Simulation& sim = context_.process.simulation();
  co_await sim.Sleep(due - sim.SteadyNow(), sim::TimerKind::kPeriodic, "wait for the deadline");
  const auto it = deadlines_.find(key);
  if (it == deadlines_.end() || it->second != due) co_return;
  deadlines_.erase(it);
  queue_.Add(key);
}

bool DeploymentController::HasWorkAhead(const Heartbeats&) const {
  return std::any_of(deadlines_.begin(), deadlines_.end(), [this](const auto& waiting) {
    const absl::StatusOr<client::ObjectKey> id = client::SplitKey(waiting.first);
    if (!id.ok()) return false;
    const api::Object deployment = deployment_informer_.lister().Get(id->ns, id->name);
    if (deployment.empty()) return false;
    const DeploymentStatus status = DeploymentStatus::From(deployment);
    const std::optional<Duration> left = TimeToDeadline(deployment, status, context_.process.Now());
    return left && *left <= kDeadlineHorizon &&
           status.ProgressingReason() != kNewReplicaSetAvailable;
  });
}

}  // namespace ksim::controllers::deployment
