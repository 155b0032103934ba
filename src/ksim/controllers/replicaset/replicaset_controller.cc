#include "ksim/controllers/replicaset/replicaset_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "ksim/api/pod.h"
#include "ksim/base/status.h"
#include "ksim/controllers/common/controller_ref.h"
#include "ksim/controllers/common/manager_client.h"
#include "ksim/controllers/common/pod_availability.h"
#include "ksim/controllers/common/pod_owner_index.h"
#include "ksim/controllers/common/pod_ranking.h"
#include "ksim/sim/mailbox.h"
#include "ksim/sim/probe.h"

namespace ksim::controllers {

using value::Path;
using value::Value;

namespace {

// ReplicaSets by the uid of their own controller (a Deployment).
constexpr const char* kControllerUidIndex = "controllerUID";

std::int64_t DesiredReplicas(const api::Object& rs) { return rs.spec().Get("replicas").AsInt(); }

Duration MinReady(const api::Object& rs) {
  return Seconds(rs.spec().Get("minReadySeconds").AsInt());
}

std::string OwnerUid(const api::Object& object) {
  const std::optional<api::OwnerReference> owner = object.controller();
  return owner ? owner->uid : std::string();
}

bool SameController(const std::optional<api::OwnerReference>& a,
                    const std::optional<api::OwnerReference>& b) {
  if (!a || !b) return !a && !b;
  return a->uid == b->uid && a->name == b->name && a->kind == b->kind;
}

}  // namespace

ReplicaSetController::ReplicaSetController(ControllerContext context, const ReplicaKind& kind)
    : context_(std::move(context)),
      kind_(kind),
      profile_(controllers::ProfileOf(context_.env().compat)),
      resource_(context_.Resource(kind_.group, kind_.resource)),
      pod_resource_(context_.Resource("", "pods")),
      client_(context_.connection, context_.actor(), ManagerClient(context_, kind_.account)),
      // Events go out through the controller's own clientset, and take of its tokens
      // (NewReplicaSetController, Run).
      recorder_(context_.connection, context_.actor(), std::string(kind_.account), "",
                client::EventRecorder::Api::kCore, client_.options()),
      pods_(client_, recorder_),
      rs_informer_(context_.informers.For(resource_)),
      pod_informer_(context_.informers.For(pod_resource_)),
      queue_(context_.process, client::DefaultControllerRateLimiter(context_.process)),
      expectations_(context_.process, context_.env().variants.rs_expectations !=
                                          api::Variants::RsExpectations::kNever),
      consistency_(kind_.reads_own_writes && context_.env().variants.rs_expectations ==
                                                 api::Variants::RsExpectations::kOwnWriteRV,
                   [this](std::string_view resource) {
                     const client::SharedInformer& informer =
                         resource == pod_resource_->group_resource() ? pod_informer_ : rs_informer_;
                     return informer.applied_resource_version();
                   }) {}

ReplicaSetController::~ReplicaSetController() = default;

void ReplicaSetController::Start() {
  rs_informer_.AddIndex(kControllerUidIndex,
                        [](const api::Object& rs, client::IndexValues& values) {
                          const std::string uid = OwnerUid(rs);
                          if (!uid.empty()) values.Add(uid);
                        });
  AddPodOwnerIndex(pod_informer_);
  RegisterHandlers();
  loop_ =
      std::make_unique<client::ReconcileLoop>(context_.connection, context_.name, queue_, *this);
  loop_->Start(kReplicaSetWorkers, {&rs_informer_, &pod_informer_});
}

// --- handlers ----------------------------------------------------------------------------------

void ReplicaSetController::RegisterHandlers() {
  rs_handlers_.add = [this](const api::Object& rs, bool) { queue_.Add(rs.key()); };
  rs_handlers_.update = [this](const api::Object& a, const api::Object& b) {
    UpdateReplicaSet(a, b);
  };
  rs_handlers_.del = [this](const client::Deleted& d) { DeleteReplicaSet(d.object); };
  pod_handlers_.add = [this](const api::Object& pod, bool) { AddPod(pod); };
  pod_handlers_.update = [this](const api::Object& a, const api::Object& b) { UpdatePod(a, b); };
  pod_handlers_.del = [this](const client::Deleted& d) { DeletePod(d.object); };
  rs_informer_.AddHandler(context_.actor(), &rs_handlers_);
  pod_informer_.AddHandler(context_.actor(), &pod_handlers_);
}

// Every update enqueues, status-only ones too. An update that swapped the uid (deleted and
// re-created between two lists) first counts as the delete of the old object.
void ReplicaSetController::UpdateReplicaSet(const api::Object& old_rs, const api::Object& new_rs) {
  if (old_rs.uid() != new_rs.uid()) DeleteReplicaSet(old_rs);
  queue_.Add(new_rs.key());
}

void ReplicaSetController::DeleteReplicaSet(const api::Object& rs) {
  if (rs.empty()) return;
  const std::string key = rs.key();
  consistency_.Clear(key, rs.uid());
  expectations_.Delete(key);
  queue_.Add(key);
}

void ReplicaSetController::AddPod(const api::Object& pod) {
  // After a restart a new pod may show up already being deleted: never a creation.
  if (pod.deleting()) {
    DeletePod(pod);
    return;
  }
  const std::optional<api::OwnerReference> owner = pod.controller();
  if (owner) {
    const api::Object rs = ResolveControllerRef(pod.ns(), owner);
    if (rs.empty()) return;
    expectations_.CreationObserved(rs.key());
    queue_.Add(rs.key());
    return;
  }
  for (const api::Object& rs : MatchingReplicaSets(pod)) queue_.Add(rs.key());
}

void ReplicaSetController::UpdatePod(const api::Object& old_pod, const api::Object& new_pod) {
  if (old_pod.resource_version() == new_pod.resource_version()) return;
  const bool label_changed = old_pod.labels() != new_pod.labels();
  if (new_pod.deleting()) {
    DeletePod(new_pod);
    if (label_changed) DeletePod(old_pod);
    return;
  }
  const std::optional<api::OwnerReference> owner = new_pod.controller();
  const std::optional<api::OwnerReference> old_owner = old_pod.controller();
  const bool owner_changed = !SameController(owner, old_owner);
  if (owner_changed && old_owner) {
    const api::Object rs = ResolveControllerRef(old_pod.ns(), old_owner);
    if (!rs.empty()) queue_.Add(rs.key());
  }
  if (owner) {
    const api::Object rs = ResolveControllerRef(new_pod.ns(), owner);
    if (rs.empty()) return;
    queue_.Add(rs.key());
    const bool became_ready = !api::PodView(old_pod).ready() && api::PodView(new_pod).ready();
    if (became_ready) EnqueueAfterMinReady(rs);
    return;
  }
  if (!label_changed && !owner_changed) return;
  for (const api::Object& rs : MatchingReplicaSets(new_pod)) queue_.Add(rs.key());
}

// A pod that became ready becomes available minReadySeconds later, and nothing will say so.
void ReplicaSetController::EnqueueAfterMinReady(const api::Object& rs) {
  const Duration min_ready = MinReady(rs);
  if (min_ready == Duration()) return;
  // Up to 1.33 a second was added against clocks that disagree.
  queue_.AddAfter(rs.key(), profile_.exact_min_ready ? min_ready : min_ready + Seconds(1));
}

void ReplicaSetController::DeletePod(const api::Object& pod) {
  if (pod.empty()) return;
  const api::Object rs = ResolveControllerRef(pod.ns(), pod.controller());
  if (rs.empty()) return;
  expectations_.DeletionObserved(rs.key(), pod.key());
  queue_.Add(rs.key());
}

api::Object ReplicaSetController::ResolveControllerRef(
    std::string_view ns, const std::optional<api::OwnerReference>& ref) const {
  if (!ref || ref->kind != kind_.kind) return {};
  api::Object rs = rs_informer_.lister().Get(ns, ref->name);
  if (rs.empty() || rs.uid() != ref->uid) return {};
  return rs;
}

// ReplicaSetLister.GetPodReplicaSets: a pod without labels, or an empty selector, matches nothing.
std::vector<api::Object> ReplicaSetController::MatchingReplicaSets(const api::Object& pod) const {
  std::vector<api::Object> matching;
  if (pod.labels().empty()) return matching;
  for (const api::Object& rs : rs_informer_.lister().List(pod.ns())) {
    const auto selector = SelectorOf(rs);
    if (!selector.ok() || selector->empty() || !selector->Matches(pod.labels())) continue;
    matching.push_back(rs);
  }
  return matching;
}

absl::StatusOr<value::LabelSelector> ReplicaSetController::SelectorOf(const api::Object& rs) const {
  const Value& selector = rs.spec().Get("selector");
  if (kind_.selector_is_map) return value::LabelSelector::FromSet(selector);
  return value::LabelSelector::FromObject(selector);
}

// --- sync --------------------------------------------------------------------------------------

sim::Task<client::ReconcileResult> ReplicaSetController::Reconcile(std::string key) {
  // 1. The caches must have taken in the controller's own last writes.
  const std::optional<std::string> behind = consistency_.NotReady(key);
  if (behind) {
    KSIM_PROBE("variant/rs.expectations");
    co_return client::ReconcileResult::Error(*behind);
  }

  // 2. Read the ReplicaSet; if it is gone, forget it.
  const absl::StatusOr<client::ObjectKey> id = client::SplitKey(key);
  if (!id.ok()) co_return client::ReconcileResult::Error(std::string(Message(id.status())));
  const api::Object rs = rs_informer_.lister().Get(id->ns, id->name);
  if (rs.empty()) {
    expectations_.Delete(key);
    consistency_.Clear(key, "");
    co_return client::ReconcileResult::Done();
  }
  const bool expectations_met = expectations_.Satisfied(key);
  const auto selector = SelectorOf(rs);
  // A selector that does not parse will not get better by trying again.
  if (!selector.ok()) co_return client::ReconcileResult::Done();

  // 3. Claim its pods. Both lists are of one moment, before the claims, which may take a while.
  StatusInput input;
  std::vector<api::Object> owned = OwnedPods(rs);
  input.terminating = TerminatingPods(owned, *selector);
  PodClaimer claimer(client_, pods_, resource_, rs, *selector);
  PodClaimer::Claimed claimed = co_await claimer.Claim(CandidatePods(rs, std::move(owned)));
  for (const api::Object& pod : claimed.adopted) {
    consistency_.WroteAt(key, rs.uid(), pod_resource_->group_resource(), pod.resource_version());
  }
  if (claimed.error) co_return client::ReconcileResult::Error(claimed.error->message.str());

  // 4. Create or delete pods, unless earlier creations or deletions have not been seen yet.
  input.active = std::move(claimed.pods);
  input.profile = &profile_;
  input.counts_terminating = kind_.counts_terminating;
  if (expectations_met && !rs.deleting()) {
    input.manage_error = co_await ManageReplicas(key, rs, input.active);
  }

  // 5. Write the status, with the error of step 4 if there is one.
  input.now = context_.process.Now();
  const ReplicaSetStatus status = CalculateStatus(rs, input);
  client::Client::ObjectResult updated =
      co_await UpdateReplicaSetStatus(client_, resource_, rs, status);
  if (!updated.ok()) co_return client::ReconcileResult::Error(updated.status().message.str());
  consistency_.WroteAt(key, rs.uid(), resource_->group_resource(), updated->resource_version());
  if (input.manage_error)
    co_return client::ReconcileResult::Error(input.manage_error->message.str());

  // 6. Come back when the next pod becomes available.
  const std::optional<Duration> delay = NextAvailabilityCheck(*updated, input.active, input.now);
  if (delay) queue_.AddAfter(key, *delay);
  co_return client::ReconcileResult::Done();
}

std::vector<api::Object> ReplicaSetController::OwnedPods(const api::Object& rs) const {
  return PodsOfOwner(pod_informer_, rs);
}

std::vector<api::Object> ReplicaSetController::CandidatePods(const api::Object& rs,
                                                             std::vector<api::Object> owned) const {
  const std::vector<api::Object> orphans = OrphanPods(pod_informer_, rs.ns());
  owned.insert(owned.end(), orphans.begin(), orphans.end());
  std::erase_if(owned, [](const api::Object& pod) { return !api::PodView(pod).active(); });
  return owned;
}

std::vector<api::Object> ReplicaSetController::TerminatingPods(
    const std::vector<api::Object>& owned, const value::LabelSelector& selector) {
  std::vector<api::Object> pods;
  std::copy_if(owned.begin(), owned.end(), std::back_inserter(pods), [&](const api::Object& pod) {
    return pod.deleting() && !api::PodView(pod).terminal() && selector.Matches(pod.labels());
  });
  return pods;
}

sim::Task<std::optional<api::Status>> ReplicaSetController::ManageReplicas(
    std::string key, api::Object rs, std::vector<api::Object> active) {
  const std::int64_t diff = static_cast<std::int64_t>(active.size()) - DesiredReplicas(rs);
  if (diff < 0) co_return co_await CreatePods(key, rs, std::min(-diff, kBurstReplicas));
  if (diff > 0) co_return co_await DeletePods(key, rs, active, std::min(diff, kBurstReplicas));
  co_return std::nullopt;
}

// The calls of one batch report here to the sync that waits for them.
struct ReplicaSetController::Batch {
  explicit Batch(sim::Simulation& sim) : finished(sim) {}
  std::int64_t running = 0;
  std::int64_t successes = 0;
  std::optional<api::Status> first_error;
  sim::Signal finished;

  void Finish(std::optional<api::Status> error) {
    if (!error) ++successes;
    if (error && !first_error) first_error = std::move(error);
    if (--running == 0) finished.Notify();
  }
};

// slowStartBatch: 1, 2, 4, ... calls at once; the first batch with an error is the last.
sim::Task<std::optional<api::Status>> ReplicaSetController::CreatePods(std::string key,
                                                                       api::Object rs,
                                                                       std::int64_t count) {
  expectations_.ExpectCreations(key, count);
  Batch batch(context_.env().sim);
  std::int64_t remaining = count;
  std::int64_t size = std::min(remaining, kSlowStartInitialBatchSize);
  while (size > 0) {
    batch.running = size;
    for (std::int64_t i = 0; i < size; ++i) {
      context_.process.Spawn(CreateOne(&batch, rs), context_.name);
    }
    while (batch.running > 0) co_await batch.finished.Wait();
    remaining -= size;
    if (batch.first_error) break;
    size = std::min(2 * size, remaining);
  }
  // Pods that were never asked for will not be seen.
  const std::int64_t missing = count - batch.successes;
  for (std::int64_t i = 0; i < missing; ++i) expectations_.CreationObserved(key);
  co_return batch.first_error;
}

sim::Task<void> ReplicaSetController::CreateOne(Batch* batch, api::Object rs) {
  const Value pod_template = rs.spec().Get("template");
  client::Client::ObjectResult created =
      co_await pods_.Create(rs, std::string(rs.ns()), pod_template);
  if (created.ok()) {
    consistency_.WroteAt(rs.key(), rs.uid(), pod_resource_->group_resource(),
                         created->resource_version());
    batch->Finish(std::nullopt);
  } else if (api::HasCause(created.status(), "NamespaceTerminating")) {
    // Swallowed, and its expectation stays: everything here is about to be deleted anyway.
    batch->Finish(std::nullopt);
  } else if (api::IsTimeout(created.status()) &&
             context_.env().variants.rs_create_timeout == api::Variants::CreateTimeout::kSwallow) {
    KSIM_PROBE("variant/rs.createTimeout");
    batch->Finish(std::nullopt);
  } else {
    batch->Finish(created.status());
  }
}

sim::Task<std::optional<api::Status>> ReplicaSetController::DeletePods(
    std::string key, api::Object rs, std::vector<api::Object> active, std::int64_t count) {
  const std::vector<api::Object> victims = ChooseVictims(rs, active, count);
  std::vector<std::string> keys;
  for (const api::Object& pod : victims) keys.push_back(pod.key());
  expectations_.ExpectDeletions(key, keys);

  Batch batch(context_.env().sim);
  batch.running = static_cast<std::int64_t>(victims.size());
  for (const api::Object& pod : victims) {
    context_.process.Spawn(DeleteOne(&batch, key, rs, pod), context_.name);
  }
  while (batch.running > 0) co_await batch.finished.Wait();
  co_return batch.first_error;
}

sim::Task<void> ReplicaSetController::DeleteOne(Batch* batch, std::string key, api::Object rs,
                                                api::Object pod) {
  client::Client::ObjectResult deleted = co_await pods_.Delete(rs, pod);
  if (deleted.ok()) {
    batch->Finish(std::nullopt);
    co_return;
  }
  // No event will come for it.
  expectations_.DeletionObserved(key, pod.key());
  if (api::IsNotFound(deleted.status())) {
    batch->Finish(std::nullopt);
    co_return;
  }
  api::Status error = deleted.status();
  error.message = fmt::format("unable to delete pods: {}", error.message);
  batch->Finish(std::move(error));
}

std::vector<api::Object> ReplicaSetController::ChooseVictims(const api::Object& rs,
                                                             const std::vector<api::Object>& active,
                                                             std::int64_t count) const {
  if (count >= static_cast<std::int64_t>(active.size())) return active;
  const std::vector<api::Object> related = RelatedPods(rs);
  std::vector<RankedPod> ranked;
  for (const api::Object& pod : active) {
    const auto on_node = std::count_if(
        related.begin(), related.end(),
        [&](const api::Object& other) { return other.node_name() == pod.node_name(); });
    ranked.emplace_back(pod, on_node);
  }
  SortForDeletion(ranked, context_.process.Now(), profile_);
  std::vector<api::Object> victims;
  for (std::int64_t i = 0; i < count; ++i) victims.push_back(ranked[i].pod);
  return victims;
}

// getIndirectlyRelatedPods: active pods that any ReplicaSet with the same controller selects.
std::vector<api::Object> ReplicaSetController::RelatedPods(const api::Object& rs) const {
  const std::string owner_uid = OwnerUid(rs);
  if (owner_uid.empty()) return {};
  absl::btree_map<std::string, api::Object> related;
  for (const api::Object& sibling : rs_informer_.lister().ByIndex(kControllerUidIndex, owner_uid)) {
    const auto selector = SelectorOf(sibling);
    if (!selector.ok()) continue;
    for (const api::Object& pod : pod_informer_.lister().List(sibling.ns())) {
      if (!api::PodView(pod).active() || !selector->Matches(pod.labels())) continue;
      related.emplace(std::string(pod.uid()), pod);
    }
  }
  std::vector<api::Object> pods;
  for (const auto& [uid, pod] : related) pods.push_back(pod);
  return pods;
}

// When a ready pod that is not available yet will be. 1.34+: the least time left, as it was when
// the status was computed, less what has passed since; before: the whole minReadySeconds, and only
// when all are ready. Source: controller_utils.go FindMinNextPodAvailabilityCheck.
std::optional<Duration> ReplicaSetController::NextAvailabilityCheck(
    const api::Object& rs, const std::vector<api::Object>& active, VirtualTime evaluated) const {
  const Duration min_ready = MinReady(rs);
  if (min_ready == Duration()) return std::nullopt;
  const ReplicaSetStatus status = ReplicaSetStatus::From(rs);
  if (!profile_.next_availability_check) {
    const bool waiting =
        status.ready == DesiredReplicas(rs) && status.available != DesiredReplicas(rs);
    return waiting ? std::optional<Duration>(min_ready) : std::nullopt;
  }
  if (status.ready == status.available) return std::nullopt;
  const std::optional<Duration> next =
      NextPodAvailability(active, min_ready, evaluated, context_.process.Now());
  return next ? next : min_ready;
}

}  // namespace ksim::controllers
