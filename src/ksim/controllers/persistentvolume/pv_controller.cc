#include "ksim/controllers/persistentvolume/pv_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/api/views/volumes.h"
#include "ksim/client/core/backoff.h"
#include "ksim/controllers/common/cache_sync.h"
#include "ksim/controllers/common/manager_client.h"

namespace ksim::controllers {

using value::Value;

PersistentVolumeController::PersistentVolumeController(ControllerContext context)
    : context_(std::move(context)),
      profile_(ProfileOf(context_.env().compat)),
      claim_kind_(context_.Resource("", "persistentvolumeclaims")),
      volume_kind_(context_.Resource("", "persistentvolumes")),
      class_kind_(context_.Resource("storage.k8s.io", "storageclasses")),
      client_(context_.connection, context_.actor(),
              ManagerClient(context_, "persistent-volume-binder")),
      recorder_(context_.connection, context_.actor(), "persistentvolume-controller", "",
                client::EventRecorder::Api::kCore, client_.options()),
      first_use_(context_.process, context_.env(), context_.informers),
      claim_queue_(context_.process, client::DefaultControllerRateLimiter(context_.process)),
      volume_queue_(context_.process, client::DefaultControllerRateLimiter(context_.process)),
      claim_worker_(*this, &PersistentVolumeController::SyncClaimByKey),
      volume_worker_(*this, &PersistentVolumeController::SyncVolumeByKey) {}

PersistentVolumeController::~PersistentVolumeController() = default;

void PersistentVolumeController::Start() {
  started_ = context_.process.SteadyNow() + client::kSyncedPollPeriod;
  first_use_.Begin(
      {claim_kind_, volume_kind_, class_kind_}, context_.name, [this] { Begin(); },
      [this] { Work(); });
}

void PersistentVolumeController::Begin() {
  claim_informer_ = &context_.informers.For(claim_kind_);
  volume_informer_ = &context_.informers.For(volume_kind_);
  class_informer_ = &context_.informers.For(class_kind_);
  pod_informer_ = &context_.informers.For(context_.Resource("", "pods"));
  volume_handlers_.add = [this](const api::Object& volume, bool) {
    volume_queue_.Add(volume.key());
  };
  volume_handlers_.update = [this](const api::Object&, const api::Object& volume) {
    volume_queue_.Add(volume.key());
  };
  volume_handlers_.del = [this](const client::Deleted& gone) {
    if (!gone.object.empty()) volume_queue_.Add(gone.object.key());
  };
  claim_handlers_.add = [this](const api::Object& claim, bool) { claim_queue_.Add(claim.key()); };
  claim_handlers_.update = [this](const api::Object&, const api::Object& claim) {
    claim_queue_.Add(claim.key());
  };
  claim_handlers_.del = [this](const client::Deleted& gone) {
    if (!gone.object.empty()) claim_queue_.Add(gone.object.key());
  };
  volume_informer_->AddHandler(context_.actor(), &volume_handlers_);
  claim_informer_->AddHandler(context_.actor(), &claim_handlers_);
  provisioner_ = std::make_unique<ExternalProvisioner>(context_);
  provisioner_->Begin(*claim_informer_, *volume_informer_, *class_informer_);
}

void PersistentVolumeController::Work() {
  provisioner_->Work();
  context_.process.Spawn(Run(), context_.name);
}

sim::Task<void> PersistentVolumeController::Run() {
  std::vector<client::SharedInformer*> informers = {volume_informer_, claim_informer_,
                                                    class_informer_, pod_informer_};
  co_await WaitForNamedSync(context_, informers);
  // initializeCaches
  for (const api::Object& volume : volume_informer_->lister().List("")) volumes_.Put(volume);
  for (const api::Object& claim : claim_informer_->lister().List("")) claims_.Put(claim);
  volume_loop_ = std::make_unique<client::ReconcileLoop>(context_.connection, context_.name,
                                                         volume_queue_, volume_worker_);
  claim_loop_ = std::make_unique<client::ReconcileLoop>(context_.connection, context_.name,
                                                        claim_queue_, claim_worker_);
  volume_loop_->Start(1);
  claim_loop_->Start(1);
  context_.process.Spawn(Resync(), context_.name, true);
}

// It counts from when the caches of a controller that has just started are filled, as upstream's,
// and leaves out what a sync would find as it should be.
sim::Task<void> PersistentVolumeController::Resync() {
  sim::Simulation& sim = context_.env().sim;
  for (;;) {
    const Duration age = context_.process.SteadyNow() - started_;
    const Duration rest = kVolumeResync - Duration(age.ns() % kVolumeResync.ns());
    co_await sim.Sleep(rest, sim::TimerKind::kPeriodic, "resync of claims and volumes");
    for (const api::Object& claim : claim_informer_->lister().List(""))
      if (NeedsLook(claim)) claim_queue_.Add(claim.key());
    for (const api::Object& volume : volume_informer_->lister().List(""))
      if (VolumeNeedsLook(volume)) volume_queue_.Add(volume.key());
  }
}

// --- the queues --------------------------------------------------------------------------------

sim::Task<client::ReconcileResult> PersistentVolumeController::Worker::Reconcile(std::string key) {
  Error error = co_await (controller_.*sync_)(key);
  if (!error) {
    controller_.failed_.erase(key);
    co_return client::ReconcileResult::Done();
  }
  controller_.failed_.insert(key);
  if (controller_.profile_.binder_retries) co_return client::ReconcileResult::Error(*error);
  co_return client::ReconcileResult::Dropped(*error);
}

sim::Task<PersistentVolumeController::Error> PersistentVolumeController::SyncClaimByKey(
    std::string key) {
  const absl::StatusOr<client::ObjectKey> id = client::SplitKey(key);
  if (!id.ok()) co_return std::nullopt;
  const api::Object claim = claim_informer_->lister().Get(id->ns, id->name);
  if (!claim.empty()) {
    if (!claims_.Put(claim)) co_return std::nullopt;
    co_return co_await SyncClaim(claim);
  }
  // deleteClaim
  const api::Object gone = claims_.Get(key);
  claims_.Erase(key);
  const std::string volume(gone.spec().Get("volumeName").AsString());
  if (!volume.empty()) volume_queue_.Add(volume);
  co_return std::nullopt;
}

sim::Task<PersistentVolumeController::Error> PersistentVolumeController::SyncVolumeByKey(
    std::string key) {
  const api::Object volume = volume_informer_->lister().Get("", key);
  if (!volume.empty()) {
    if (!volumes_.Put(volume)) co_return std::nullopt;
    co_return co_await SyncVolume(volume);
  }
  // deleteVolume
  const api::Object gone = volumes_.Get(key);
  volumes_.Erase(key);
  if (!gone.spec().Get("claimRef").is_null()) claim_queue_.Add(api::ClaimKeyOf(gone));
  co_return std::nullopt;
}

// --- what a resync does ------------------------------------------------------------------------

bool PersistentVolumeController::NeedsLook(const api::Object& claim) const {
  if (failed_.contains(claim.key()) || !api::IsFullyBound(claim)) return true;
  const api::Object volume = volumes_.Get(claim.spec().Get("volumeName").AsString());
  const std::string_view phase = claim.status().Get("phase").AsString();
  if (volume.empty()) return phase != "Lost";
  const Value& ref = volume.spec().Get("claimRef");
  if (!ref.is_null() && ref.Get("uid").AsString() != claim.uid()) return phase != "Lost";
  return ref.is_null() || phase != "Bound" || volume.status().Get("phase").AsString() != "Bound";
}

bool PersistentVolumeController::VolumeNeedsLook(const api::Object& volume) const {
  if (failed_.contains(volume.key())) return true;
  const Value& ref = volume.spec().Get("claimRef");
  const std::string_view phase = volume.status().Get("phase").AsString();
  if (ref.Get("uid").AsString().empty()) return phase != "Available";
  const api::Object claim = claims_.Get(api::ClaimKeyOf(volume));
  const bool is_ours = !claim.empty() && claim.uid() == ref.Get("uid").AsString();
  if (is_ours && claim.spec().Get("volumeName").AsString() == volume.name())
    return phase != "Bound";
  const std::string_view policy = volume.spec().Get("persistentVolumeReclaimPolicy").AsString();
  const bool external = policy == "Delete" && (api::HasAnnotation(volume, api::kProvisionedBy) ||
                                               volume.spec().Has("csi"));
  // Whoever provisioned it deletes it, or the user does.
  return is_ours || phase != "Released" || !(policy == "Retain" || external);
}

api::Object PersistentVolumeController::ClassOf(const api::Object& claim) const {
  const std::string_view name = api::StorageClassNameOf(claim);
  return name.empty() ? api::Object() : class_informer_->lister().Get("", name);
}

// Whether a sync of an unbound claim writes anything but its Events.
bool PersistentVolumeController::WouldBind(const api::Object& claim) const {
  const std::string_view name = claim.spec().Get("volumeName").AsString();
  if (!name.empty()) {
    const api::Object volume = volumes_.Get(name);
    if (volume.empty()) return false;
    return api::IsBoundTo(volume, claim) ||
           (volume.spec().Get("claimRef").is_null() && WhyVolumeIsUnfit(volume, claim).empty());
  }
  const api::Object storage_class = ClassOf(claim);
  const bool delays = api::WaitsForFirstConsumer(storage_class);
  if (!FindBestMatch(volumes_, claim, delays).empty()) return true;
  if (profile_.assigns_default_class && !api::HasStorageClass(claim) &&
      !api::DefaultStorageClass(class_informer_->lister().List("")).empty())
    return true;
  if (delays && !api::HasAnnotation(claim, api::kSelectedNode)) return false;
  return !storage_class.empty() && !ProvisionerOf(storage_class).empty() &&
         !api::HasAnnotation(claim, api::kStorageProvisioner);
}

bool PersistentVolumeController::HasWorkAhead(const Heartbeats&) const {
  if (claim_informer_ == nullptr) return false;
  if (!failed_.empty()) return true;
  const auto& all = claims_.all();
  return std::any_of(all.begin(), all.end(), [this](const auto& one) {
    return !api::IsFullyBound(one.second) && WouldBind(one.second);
  });
}

void PersistentVolumeController::Tell(const api::Object& about, std::string_view type,
                                      std::string_view reason, std::string_view message) {
  recorder_.Event(about, type, reason, message);
}

}  // namespace ksim::controllers
