#include "ksim/controllers/pvcprotection/pvc_protection_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/api/pod.h"
#include "ksim/api/views/volumes.h"
#include "ksim/base/status.h"
#include "ksim/controllers/common/finalizers.h"
#include "ksim/controllers/common/manager_client.h"

namespace ksim::controllers {
namespace {

// podIsShutDown: the kubelet has done with the pod, or it was deleted by force.
bool IsShutDown(const api::Object& pod) {
  return pod.deleting() && api::PodView(pod).deletion_grace_period_seconds() == 0;
}

// podUsesPVCForDeletion: a pod without a node does not keep its claim, for no kubelet starts a pod
// whose claim is being deleted.
bool KeepsClaim(const api::Object& pod, const api::Object& claim) {
  if (pod.node_name().empty()) return false;
  const std::vector<api::PodClaim> all = api::ClaimsOfPod(pod);
  return std::any_of(all.begin(), all.end(), [&](const api::PodClaim& one) {
    if (one.claim != claim.name()) return false;
    return !one.ephemeral || (!IsShutDown(pod) && !api::WhyNotForPod(pod, claim));
  });
}

bool IsKept(const std::vector<api::Object>& pods, const api::Object& claim) {
  return std::any_of(pods.begin(), pods.end(),
                     [&claim](const api::Object& pod) { return KeepsClaim(pod, claim); });
}

}  // namespace

PvcProtectionController::PvcProtectionController(ControllerContext context)
    : context_(std::move(context)),
      resource_(context_.Resource("", "persistentvolumeclaims")),
      pod_kind_(context_.Resource("", "pods")),
      client_(context_.connection, context_.actor(),
              ManagerClient(context_, "pvc-protection-controller")),
      first_use_(context_.process, context_.env(), context_.informers),
      queue_(context_.process, client::DefaultControllerRateLimiter(context_.process)) {}

PvcProtectionController::~PvcProtectionController() = default;

void PvcProtectionController::Start() {
  first_use_.Begin({resource_}, context_.name, [this] { Begin(); }, [this] { Work(); });
}

void PvcProtectionController::Begin() {
  claims_ = &context_.informers.For(resource_);
  pods_ = &context_.informers.For(pod_kind_);
  claim_handlers_.add = [this](const api::Object& claim, bool) { LookAtClaim(claim); };
  claim_handlers_.update = [this](const api::Object&, const api::Object& claim) {
    LookAtClaim(claim);
  };
  pod_handlers_.add = [this](const api::Object& pod, bool) { LookAtPod(pod, false); };
  pod_handlers_.update = [this](const api::Object& a, const api::Object& b) { UpdatePod(a, b); };
  pod_handlers_.del = [this](const client::Deleted& gone) {
    if (!gone.object.empty()) LookAtPod(gone.object, true);
  };
  claims_->AddHandler(context_.actor(), &claim_handlers_);
  pods_->AddHandler(context_.actor(), &pod_handlers_);
}

void PvcProtectionController::Work() {
  loop_ =
      std::make_unique<client::ReconcileLoop>(context_.connection, context_.name, queue_, *this);
  loop_->Start(kPvcProtectionWorkers, {claims_, pods_});
}

void PvcProtectionController::LookAtClaim(const api::Object& claim) {
  if (NeedsFinalizer(claim, kPvcProtection) || WaitsForFinalizer(claim, kPvcProtection))
    queue_.Add(claim.key());
}

// enqueuePVCs: pods that do not use their claims any more.
void PvcProtectionController::LookAtPod(const api::Object& pod, bool deleted) {
  if (!deleted && !api::IsPodTerminated(pod) && !pod.node_name().empty()) return;
  for (const api::PodClaim& one : api::ClaimsOfPod(pod))
    queue_.Add(fmt::format("{}/{}", pod.ns(), one.claim));
}

void PvcProtectionController::UpdatePod(const api::Object& before, const api::Object& after) {
  LookAtPod(after, false);
  if (before.uid() != after.uid()) LookAtPod(before, true);
}

sim::Task<client::ReconcileResult> PvcProtectionController::Reconcile(std::string key) {
  const absl::StatusOr<client::ObjectKey> id = client::SplitKey(key);
  if (!id.ok()) co_return client::ReconcileResult::Error(std::string(Message(id.status())));
  const api::Object claim = claims_->lister().Get(id->ns, id->name);
  if (claim.empty()) co_return client::ReconcileResult::Done();
  api::Object changed;
  if (WaitsForFinalizer(claim, kPvcProtection)) {
    // The cache may lack a pod that uses it: only a live list says that nobody does.
    if (IsKept(pods_->lister().List(id->ns), claim)) co_return client::ReconcileResult::Done();
    api::Result<std::vector<api::Object>> live = co_await LivePods(id->ns);
    if (!live.ok())
      co_return client::ReconcileResult::Error(
          fmt::format("live list of pods failed: {}", live.status().message));
    if (IsKept(*live, claim)) co_return client::ReconcileResult::Done();
    changed = WithoutFinalizer(claim, kPvcProtection);
  } else if (NeedsFinalizer(claim, kPvcProtection)) {
    changed = WithFinalizer(claim, kPvcProtection);
  } else {
    co_return client::ReconcileResult::Done();
  }
  client::Client::ObjectResult updated = co_await client_.Update(resource_, changed);
  if (!updated.ok()) co_return client::ReconcileResult::Error(updated.status());
  co_return client::ReconcileResult::Done();
}

sim::Task<api::Result<std::vector<api::Object>>> PvcProtectionController::LivePods(std::string ns) {
  const api::ListOptions options;
  api::Result<client::ListResult> listed = co_await client_.List(pod_kind_, ns, options);
  if (!listed.ok()) co_return listed.status();
  co_return std::move(listed->items);
}

}  // namespace ksim::controllers
