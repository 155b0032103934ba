#include "ksim/controllers/statefulset/statefulset_controller.h"

#include <fmt/format.h>

#include <utility>

#include "ksim/api/pod.h"
#include "ksim/base/status.h"
#include "ksim/controllers/common/controller_ref.h"
#include "ksim/controllers/common/manager_client.h"
#include "ksim/controllers/common/pod_availability.h"
#include "ksim/controllers/common/pod_owner_index.h"
#include "ksim/sim/probe.h"

namespace ksim::controllers {

namespace {

constexpr const char* kSetKind = "StatefulSet";

bool SameSetOwner(const std::optional<api::OwnerReference>& a,
                  const std::optional<api::OwnerReference>& b) {
  if (!a || !b) return !a && !b;
  return a->uid == b->uid && a->name == b->name && a->kind == b->kind;
}

}  // namespace

StatefulSetController::StatefulSetController(ControllerContext context)
    : context_(std::move(context)),
      profile_(controllers::ProfileOf(context_.env().compat)),
      set_informer_(context_.informers.For(context_.Resource("apps", "statefulsets"))),
      pod_informer_(context_.informers.For(context_.Resource("", "pods"))),
      claim_informer_(context_.informers.For(context_.Resource("", "persistentvolumeclaims"))),
      revision_informer_(context_.informers.For(context_.Resource("apps", "controllerrevisions"))),
      client_(context_.connection, context_.actor(),
              ManagerClient(context_, "statefulset-controller")),
      recorder_(context_.connection, context_.actor(), "statefulset-controller", "",
                client::EventRecorder::Api::kCore, client_.options()),
      pod_patches_(client_, recorder_),
      consistency_(profile_.set_reads_own_writes,
                   [this](std::string_view resource) {
                     for (client::SharedInformer* informer : {&pod_informer_, &claim_informer_})
                       if (informer->resource()->group_resource() == resource)
                         return informer->applied_resource_version();
                     return set_informer_.applied_resource_version();
                   }),
      history_(client_, revision_informer_,
               context_.env().variants.sts_revision_sync == api::Variants::RevisionSync::kSkip),
      pods_(client_, recorder_, pod_informer_, claim_informer_, consistency_, profile_),
      control_(context_, client_, set_informer_, pods_, history_, consistency_, profile_),
      queue_(context_.process, client::DefaultControllerRateLimiter(context_.process)) {}

StatefulSetController::~StatefulSetController() = default;

void StatefulSetController::Start() {
  AddPodOwnerIndex(pod_informer_);
  history_.AddIndex();
  RegisterHandlers();
  loop_ =
      std::make_unique<client::ReconcileLoop>(context_.connection, context_.name, queue_, *this);
  if (history_.skips_sync()) {
    KSIM_PROBE("variant/sts.revisionSync");
    loop_->Start(kStatefulSetWorkers, {&pod_informer_, &set_informer_, &claim_informer_});
    return;
  }
  loop_->Start(kStatefulSetWorkers,
               {&pod_informer_, &set_informer_, &claim_informer_, &revision_informer_});
}

// --- handlers ----------------------------------------------------------------------------------

void StatefulSetController::RegisterHandlers() {
  pod_handlers_.add = [this](const api::Object& pod, bool) { AddPod(pod); };
  pod_handlers_.update = [this](const api::Object& a, const api::Object& b) { UpdatePod(a, b); };
  pod_handlers_.del = [this](const client::Deleted& d) { DeletePod(d.object); };
  set_handlers_.add = [this](const api::Object& set, bool) { queue_.Add(set.key()); };
  set_handlers_.update = [this](const api::Object&, const api::Object& set) {
    queue_.Add(set.key());
  };
  set_handlers_.del = [this](const client::Deleted& d) {
    if (!d.object.empty()) queue_.Add(d.object.key());
  };
  pod_informer_.AddHandler(context_.actor(), &pod_handlers_);
  set_informer_.AddHandler(context_.actor(), &set_handlers_);
}

void StatefulSetController::AddPod(const api::Object& pod) {
  if (pod.deleting()) {
    DeletePod(pod);
    return;
  }
  const std::optional<api::OwnerReference> owner = pod.controller();
  if (owner) {
    EnqueueOwner(pod.ns(), owner);
    return;
  }
  EnqueueMatching(pod);
}

void StatefulSetController::UpdatePod(const api::Object& old_pod, const api::Object& new_pod) {
  if (old_pod.resource_version() == new_pod.resource_version()) return;
  const std::optional<api::OwnerReference> owner = new_pod.controller();
  const std::optional<api::OwnerReference> old_owner = old_pod.controller();
  const bool owner_changed = !SameSetOwner(owner, old_owner);
  if (owner_changed) EnqueueOwner(old_pod.ns(), old_owner);
  if (owner) {
    const api::Object set = ResolveOwner(new_pod.ns(), owner);
    if (set.empty()) return;
    queue_.Add(set.key());
    const Duration min_ready = SetMinReady(set);
    const bool became_ready = !api::PodView(old_pod).ready() && api::PodView(new_pod).ready();
    if (!became_ready || min_ready == Duration()) return;
    // Up to 1.33 a second was added against clocks that disagree.
    queue_.AddAfter(set.key(), profile_.exact_min_ready ? min_ready : min_ready + Seconds(1));
    return;
  }
  if (owner_changed || old_pod.labels() != new_pod.labels()) EnqueueMatching(new_pod);
}

void StatefulSetController::DeletePod(const api::Object& pod) {
  if (!pod.empty()) EnqueueOwner(pod.ns(), pod.controller());
}

api::Object StatefulSetController::ResolveOwner(
    std::string_view ns, const std::optional<api::OwnerReference>& ref) const {
  if (!ref || ref->kind != kSetKind) return {};
  api::Object set = set_informer_.lister().Get(ns, ref->name);
  if (set.empty() || set.uid() != ref->uid) return {};
  return set;
}

void StatefulSetController::EnqueueOwner(std::string_view ns,
                                         const std::optional<api::OwnerReference>& ref) {
  const api::Object set = ResolveOwner(ns, ref);
  if (!set.empty()) queue_.Add(set.key());
}

// StatefulSetLister.GetPodStatefulSets: a pod without labels, or an empty selector, matches
// nothing.
void StatefulSetController::EnqueueMatching(const api::Object& pod) {
  if (pod.labels().empty()) return;
  for (const api::Object& set : set_informer_.lister().List(pod.ns())) {
    const auto selector = value::LabelSelector::FromObject(set.spec().Get("selector"));
    if (!selector.ok() || selector->empty() || !selector->Matches(pod.labels())) continue;
    queue_.Add(set.key());
  }
}

// --- sync --------------------------------------------------------------------------------------

sim::Task<client::ReconcileResult> StatefulSetController::Reconcile(std::string key) {
  // 1. The caches must have taken in the controller's own last writes.
  const std::optional<std::string> behind = consistency_.NotReady(key);
  if (behind) co_return client::ReconcileResult::Error(*behind);

  // 2. Read the set; if it is gone, forget it.
  const absl::StatusOr<client::ObjectKey> id = client::SplitKey(key);
  if (!id.ok()) co_return client::ReconcileResult::Error(std::string(Message(id.status())));
  const api::Object set = set_informer_.lister().Get(id->ns, id->name);
  if (set.empty()) {
    consistency_.Clear(key, "");
    co_return client::ReconcileResult::Done();
  }
  const auto selector = value::LabelSelector::FromObject(set.spec().Get("selector"));
  // A selector that does not parse will not get better by trying again.
  if (!selector.ok()) co_return client::ReconcileResult::Done();

  // 3. Adopt revisions that nobody owns.
  std::optional<std::string> unadopted = co_await AdoptRevisions(set, *selector);
  if (unadopted) co_return client::ReconcileResult::Error(*unadopted);

  // 4. Claim pods that bear the set's name.
  std::vector<api::Object> candidates = PodsOfOwner(pod_informer_, set);
  const std::vector<api::Object> orphans = OrphanPods(pod_informer_, set.ns());
  candidates.insert(candidates.end(), orphans.begin(), orphans.end());
  PodClaimer claimer(client_, pod_patches_, set_informer_.resource(), set, *selector,
                     [set](const api::Object& pod) { return IsMemberOf(set, pod); });
  PodClaimer::Claimed claimed = co_await claimer.Claim(std::move(candidates));
  for (const api::Object& pod : claimed.adopted) {
    consistency_.WroteAt(key, set.uid(), pod_informer_.resource()->group_resource(),
                         pod.resource_version());
  }
  if (claimed.error) co_return client::ReconcileResult::Error(*claimed.error);

  // 5. Bring pods, status and history to where they should be.
  const VirtualTime now = context_.process.Now();
  const std::vector<api::Object> pods = claimed.pods;
  StatefulSetControl::Outcome outcome = co_await control_.Update(set, *selector, pods, now);
  if (!outcome.errors.empty())
    co_return client::ReconcileResult::Error(AggregateErrors(outcome.errors));

  // 6. Come back when the next pod becomes available.
  const std::optional<Duration> delay = NextAvailabilityCheck(set, pods, *outcome.status, now);
  if (delay) queue_.AddAfter(key, *delay);
  co_return client::ReconcileResult::Done();
}

sim::Task<std::optional<std::string>> StatefulSetController::AdoptRevisions(
    api::Object set, value::LabelSelector selector) {
  std::vector<api::Object> orphans = history_.List(set, selector);
  std::erase_if(orphans, [](const api::Object& r) { return r.controller().has_value(); });
  if (orphans.empty()) co_return std::nullopt;
  std::optional<api::Status> refused =
      co_await RecheckDeletion(client_, set_informer_.resource(), set);
  if (refused) co_return fmt::format("can't adopt ControllerRevisions: {}", refused->message);
  for (const api::Object& revision : orphans) {
    client::Client::ObjectResult adopted = co_await history_.Adopt(set, revision);
    if (!adopted.ok()) co_return adopted.status().message.str();
  }
  co_return std::nullopt;
}

std::optional<Duration> StatefulSetController::NextAvailabilityCheck(
    const api::Object& set, const std::vector<api::Object>& pods, const StatefulSetStatus& status,
    VirtualTime evaluated) const {
  const Duration min_ready = SetMinReady(set);
  if (min_ready == Duration()) return std::nullopt;
  if (!profile_.next_availability_check) {
    const bool waiting = status.available != SetReplicas(set);
    return waiting ? std::optional<Duration>(min_ready) : std::nullopt;
  }
  if (status.ready == status.available) return std::nullopt;
  const std::optional<Duration> next =
      NextPodAvailability(pods, min_ready, evaluated, context_.process.Now());
  return next ? next : min_ready;
}

}  // namespace ksim::controllers
