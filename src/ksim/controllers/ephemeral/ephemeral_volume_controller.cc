#include "ksim/controllers/ephemeral/ephemeral_volume_controller.h"

#include <fmt/format.h>

#include <utility>

#include "ksim/api/views/volumes.h"
#include "ksim/base/status.h"
#include "ksim/controllers/common/manager_client.h"

namespace ksim::controllers {

using value::Obj;
using value::Value;

namespace {

// The claim of the volume, which the pod controls.
api::Object EphemeralClaim(const api::Object& pod, const Value& volume, const std::string& name) {
  const Value& claim_template = volume.Get("ephemeral").Get("volumeClaimTemplate");
  const Value owner = Obj({{"apiVersion", Value::Of("v1")},
                           {"kind", Value::Of("Pod")},
                           {"name", Value::String(pod.name())},
                           {"uid", Value::String(pod.uid())},
                           {"controller", Value::Of(true)},
                           {"blockOwnerDeletion", Value::Of(true)}});
  value::ObjectBuilder metadata;
  metadata.Add("name", Value::Of(name))
      .Add("namespace", Value::String(pod.ns()))
      .Add("ownerReferences", value::Arr({owner}));
  for (const char* field : {"annotations", "labels"}) {
    const Value& given = claim_template.Get("metadata").Get(field);
    metadata.AddIf(!given.empty(), field, given);
  }
  return api::Object::FromTree(Obj({{"apiVersion", Value::Of("v1")},
                                    {"kind", Value::Of("PersistentVolumeClaim")},
                                    {"metadata", metadata.Build()},
                                    {"spec", claim_template.Get("spec")}}));
}

}  // namespace

EphemeralVolumeController::EphemeralVolumeController(ControllerContext context)
    : context_(std::move(context)),
      claim_kind_(context_.Resource("", "persistentvolumeclaims")),
      client_(context_.connection, context_.actor(),
              ManagerClient(context_, "ephemeral-volume-controller")),
      recorder_(context_.connection, context_.actor(), "ephemeral_volume", "",
                client::EventRecorder::Api::kCore, client_.options()),
      first_use_(context_.process, context_.env(), context_.informers),
      queue_(context_.process, client::DefaultControllerRateLimiter(context_.process)) {}

EphemeralVolumeController::~EphemeralVolumeController() = default;

void EphemeralVolumeController::Start() {
  first_use_.Begin(
      {&api::EphemeralVolumeUse()}, context_.name, [this] { Begin(); }, [this] { Work(); });
}

void EphemeralVolumeController::Begin() {
  pods_ = &context_.informers.For(context_.Resource("", "pods"));
  claims_ = &context_.informers.For(claim_kind_);
  // Volumes of a pod never change, and a deleted pod takes its claims with it.
  pod_handlers_.add = [this](const api::Object& pod, bool) { LookAtPod(pod); };
  claim_handlers_.del = [this](const client::Deleted& gone) {
    if (!gone.object.empty()) LookAtDeletedClaim(gone.object);
  };
  pods_->AddHandler(context_.actor(), &pod_handlers_);
  claims_->AddHandler(context_.actor(), &claim_handlers_);
}

void EphemeralVolumeController::Work() {
  loop_ =
      std::make_unique<client::ReconcileLoop>(context_.connection, context_.name, queue_, *this);
  loop_->Start(kEphemeralVolumeWorkers, {pods_, claims_});
}

void EphemeralVolumeController::LookAtPod(const api::Object& pod) {
  if (!pod.deleting() && api::HasEphemeralVolume(pod.tree())) queue_.Add(pod.key());
}

void EphemeralVolumeController::LookAtDeletedClaim(const api::Object& claim) {
  for (const api::Object& pod : pods_->lister().List(claim.ns()))
    if (api::UsesClaim(pod, claim.name())) LookAtPod(pod);
}

sim::Task<client::ReconcileResult> EphemeralVolumeController::Reconcile(std::string key) {
  const absl::StatusOr<client::ObjectKey> id = client::SplitKey(key);
  if (!id.ok()) co_return client::ReconcileResult::Error(std::string(Message(id.status())));
  const api::Object pod = pods_->lister().Get(id->ns, id->name);
  if (pod.empty() || pod.deleting()) co_return client::ReconcileResult::Done();
  for (const Value& volume : pod.spec().Get("volumes").items()) {
    if (volume.Get("ephemeral").is_null()) continue;
    const std::optional<std::string> error = co_await MakeClaim(pod, volume);
    if (!error) continue;
    const std::string text =
        fmt::format("ephemeral volume {}: {}", volume.Get("name").AsString(), *error);
    recorder_.Event(pod, "Warning", "FailedBinding", text);
    co_return client::ReconcileResult::Error(fmt::format("pod {}, {}", key, text));
  }
  co_return client::ReconcileResult::Done();
}

// handleVolume
sim::Task<std::optional<std::string>> EphemeralVolumeController::MakeClaim(api::Object pod,
                                                                           Value volume) {
  const std::string name = fmt::format("{}-{}", pod.name(), volume.Get("name").AsString());
  const api::Object known = claims_->lister().Get(pod.ns(), name);
  if (!known.empty()) co_return api::WhyNotForPod(pod, known);
  const api::Object claim = EphemeralClaim(pod, volume, name);
  client::Client::ObjectResult created = co_await client_.Create(claim_kind_, claim);
  if (created.ok()) co_return std::nullopt;
  co_return fmt::format("create PVC {}: {}", name, created.status().message);
}

}  // namespace ksim::controllers
