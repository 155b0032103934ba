#include "ksim/controllers/persistentvolume/external_provisioner.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "ksim/api/core/go_text.h"
#include "ksim/api/views/volumes.h"
#include "ksim/base/status.h"
#include "ksim/controllers/common/finalizers.h"
#include "ksim/controllers/common/manager_client.h"

namespace ksim::controllers {

using value::Obj;
using value::Path;
using value::Value;

namespace {

// The finalizer of a volume whose storage is still there.
constexpr std::string_view kProvisionerFinalizer =
    "external-provisioner.volume.kubernetes.io/finalizer";

// A driver makes a volume, or deletes one, within these times.
constexpr Duration kLeastDriverTime = Seconds(1);
constexpr Duration kMostDriverTime = Seconds(4);

// Plugins of Kubernetes whose work drivers have taken over.
constexpr std::pair<std::string_view, std::string_view> kMigrated[] = {
    {"kubernetes.io/aws-ebs", "ebs.csi.aws.com"},
    {"kubernetes.io/azure-disk", "disk.csi.azure.com"},
    {"kubernetes.io/azure-file", "file.csi.azure.com"},
    {"kubernetes.io/cinder", "cinder.csi.openstack.org"},
    {"kubernetes.io/gce-pd", "pd.csi.storage.gke.io"},
    {"kubernetes.io/portworx-volume", "pxd.portworx.com"},
    {"kubernetes.io/vsphere-volume", "csi.vsphere.vmware.com"},
};

}  // namespace

std::string ProvisionerOf(const api::Object& storage_class) {
  const std::string_view name = storage_class.tree().Get("provisioner").AsString();
  for (const auto& [plugin, driver] : kMigrated)
    if (name == plugin) return std::string(driver);
  return std::string(name.starts_with("kubernetes.io/") ? std::string_view() : name);
}

ExternalProvisioner::ExternalProvisioner(const ControllerContext& context)
    : context_(context),
      actor_(context_.process.PartActor(kProvisionerPart)),
      profile_(ProfileOf(context_.env().compat)),
      volume_kind_(context_.Resource("", "persistentvolumes")),
      client_(context_.connection, actor_, ManagerClient(context_, "persistent-volume-binder")),
      claim_queue_(context_.process, client::DefaultControllerRateLimiter(context_.process)),
      volume_queue_(context_.process, client::DefaultControllerRateLimiter(context_.process)),
      claims_(*this),
      volumes_(*this) {}

ExternalProvisioner::~ExternalProvisioner() = default;

void ExternalProvisioner::Begin(client::SharedInformer& claims, client::SharedInformer& volumes,
                                client::SharedInformer& classes) {
  claim_informer_ = &claims;
  volume_informer_ = &volumes;
  class_informer_ = &classes;
  const auto look_at_claim = [this](const api::Object& claim) {
    if (ShouldProvision(claim)) claim_queue_.Add(claim.key());
  };
  const auto look_at_volume = [this](const api::Object& volume) {
    if (ShouldDelete(volume)) volume_queue_.Add(volume.key());
  };
  claim_handlers_.add = [look_at_claim](const api::Object& claim, bool) { look_at_claim(claim); };
  claim_handlers_.update = [look_at_claim](const api::Object&, const api::Object& claim) {
    look_at_claim(claim);
  };
  volume_handlers_.add = [look_at_volume](const api::Object& volume, bool) {
    look_at_volume(volume);
  };
  volume_handlers_.update = [look_at_volume](const api::Object&, const api::Object& volume) {
    look_at_volume(volume);
  };
  claim_informer_->AddHandler(actor_, &claim_handlers_);
  volume_informer_->AddHandler(actor_, &volume_handlers_);
}

void ExternalProvisioner::Work() {
  claim_loop_ = std::make_unique<client::ReconcileLoop>(context_.connection, kProvisionerPart,
                                                        claim_queue_, claims_);
  volume_loop_ = std::make_unique<client::ReconcileLoop>(context_.connection, kProvisionerPart,
                                                         volume_queue_, volumes_);
  const std::vector<client::SharedInformer*> wait_for = {claim_informer_, volume_informer_,
                                                         class_informer_};
  claim_loop_->Start(kProvisionerWorkers, wait_for);
  volume_loop_->Start(kProvisionerWorkers, wait_for);
}

sim::Task<client::ReconcileResult> ExternalProvisioner::Claims::Reconcile(std::string key) {
  const absl::StatusOr<client::ObjectKey> id = client::SplitKey(key);
  if (!id.ok()) co_return client::ReconcileResult::Error(std::string(Message(id.status())));
  const api::Object claim = provisioner_.claim_informer_->lister().Get(id->ns, id->name);
  if (claim.empty() || !provisioner_.ShouldProvision(claim))
    co_return client::ReconcileResult::Done();
  co_return co_await provisioner_.Provision(claim);
}

sim::Task<client::ReconcileResult> ExternalProvisioner::Volumes::Reconcile(std::string key) {
  const api::Object volume = provisioner_.volume_informer_->lister().Get("", key);
  if (volume.empty() || !provisioner_.ShouldDelete(volume))
    co_return client::ReconcileResult::Done();
  co_return co_await provisioner_.Delete(volume);
}

// The binder decides who provisions; a claim that waits for its pod needs a node, too. A class that
// is not there is an error, which Provision reports.
bool ExternalProvisioner::ShouldProvision(const api::Object& claim) const {
  if (!claim.spec().Get("volumeName").AsString().empty()) return false;
  const std::string_view driver = claim.Annotation(api::kStorageProvisioner);
  if (driver.empty() || driver.starts_with("kubernetes.io/")) return false;
  const std::string_view name = api::StorageClassNameOf(claim);
  return !api::WaitsForFirstConsumer(class_informer_->lister().Get("", name)) ||
         !claim.Annotation(api::kSelectedNode).empty();
}

bool ExternalProvisioner::ShouldDelete(const api::Object& volume) const {
  const std::string_view driver = volume.Annotation(api::kProvisionedBy);
  if (driver.empty() || driver.starts_with("kubernetes.io/")) return false;
  if (volume.deleting() &&
      !(profile_.honors_reclaim_policy && HasFinalizer(volume, kProvisionerFinalizer)))
    return false;
  return volume.status().Get("phase").AsString() == "Released" &&
         volume.spec().Get("persistentVolumeReclaimPolicy").AsString() == "Delete";
}

// provisionClaimOperation
sim::Task<client::ReconcileResult> ExternalProvisioner::Provision(api::Object claim) {
  const std::string driver(claim.Annotation(api::kStorageProvisioner));
  const std::string_view class_name = api::StorageClassNameOf(claim);
  const api::Object storage_class = class_informer_->lister().Get("", class_name);
  if (storage_class.empty())
    co_return client::ReconcileResult::Error(
        fmt::format("storageclass.storage.k8s.io \"{}\" not found", class_name));
  const api::Object volume = VolumeFor(claim, storage_class, driver);
  if (made_.contains(volume.name()) || !volume_informer_->lister().Get("", volume.name()).empty())
    co_return client::ReconcileResult::Done();
  client::EventRecorder& recorder = RecorderOf(driver);
  recorder.Event(claim, "Normal", "Provisioning",
                 fmt::format("External provisioner is provisioning volume for claim {}",
                             api::GoQuote(claim.key())));
  const Duration time = DrawTime(driver, "persistentvolumeclaims", claim);
  co_await context_.env().sim.Spend(time, sim::TimerKind::kWork, "a driver makes a volume");
  client::Client::ObjectResult created = co_await client_.Create(volume_kind_, volume);
  if (!created.ok() && !api::IsAlreadyExists(created.status()))
    co_return client::ReconcileResult::Error(created.status());
  made_.emplace(volume.name());
  recorder.Event(claim, "Normal", "ProvisioningSucceeded",
                 fmt::format("Successfully provisioned volume {}", volume.name()));
  co_return client::ReconcileResult::Done();
}

// deleteVolumeOperation
sim::Task<client::ReconcileResult> ExternalProvisioner::Delete(api::Object volume) {
  const std::string driver(volume.Annotation(api::kProvisionedBy));
  const Duration time = DrawTime(driver, "persistentvolumes", volume);
  co_await context_.env().sim.Spend(time, sim::TimerKind::kWork, "a driver deletes a volume");
  const api::DeleteOptions options;
  const std::string name(volume.name());
  made_.erase(name);
  client::Client::ObjectResult deleted = co_await client_.Delete(volume_kind_, "", name, options);
  if (!deleted.ok()) {
    if (api::IsNotFound(deleted.status())) co_return client::ReconcileResult::Done();
    co_return client::ReconcileResult::Error(deleted.status());
  }
  if (!profile_.honors_reclaim_policy || !HasFinalizer(*deleted, kProvisionerFinalizer))
    co_return client::ReconcileResult::Done();
  const api::Object freed = WithoutFinalizer(*deleted, kProvisionerFinalizer);
  client::Client::ObjectResult updated = co_await client_.Update(volume_kind_, freed);
  if (!updated.ok() && !api::IsNotFound(updated.status()))
    co_return client::ReconcileResult::Error(updated.status());
  co_return client::ReconcileResult::Done();
}

api::Object ExternalProvisioner::VolumeFor(const api::Object& claim,
                                           const api::Object& storage_class,
                                           const std::string& driver) const {
  static const Path kRequest{"spec", "resources", "requests", "storage"};
  static const Path kClaimRef{"spec", "claimRef"};
  const std::string name = fmt::format("pvc-{}", claim.uid());
  const Value& policy = storage_class.tree().Get("reclaimPolicy");
  const bool stays = profile_.honors_reclaim_policy && policy.AsString() == "Delete";
  value::ObjectBuilder metadata;
  metadata.Add("name", Value::Of(name))
      .Add("annotations", Obj({{api::kProvisionedBy, Value::Of(driver)}}))
      .AddIf(stays, "finalizers", value::Arr({Value::String(kProvisionerFinalizer)}));
  const Value& options = storage_class.tree().Get("mountOptions");
  const Value& mode = claim.spec().Get("volumeMode");
  value::ObjectBuilder spec;
  spec.Add("accessModes", claim.spec().Get("accessModes"))
      .Add("capacity", Obj({{"storage", claim.Get(kRequest)}}))
      .Add("csi", Obj({{"driver", Value::Of(driver)}, {"volumeHandle", Value::Of(name)}}))
      .Add("persistentVolumeReclaimPolicy", policy)
      .Add("storageClassName", Value::String(storage_class.name()))
      .AddIf(!options.empty(), "mountOptions", options)
      .AddIf(!mode.is_null(), "volumeMode", mode);
  const api::Object volume = api::Object::FromTree(Obj({{"apiVersion", Value::Of("v1")},
                                                        {"kind", Value::Of("PersistentVolume")},
                                                        {"metadata", metadata.Build()},
                                                        {"spec", spec.Build()}}));
  // Nobody but the binder says that it is bound by a controller.
  const Value ref = api::BoundTo(volume, claim).Get(kClaimRef);
  return api::Object::FromTree(volume.tree().Set(kClaimRef, ref));
}

Duration ExternalProvisioner::DrawTime(const std::string& driver, std::string_view resource,
                                       const api::Object& object) {
  sim::Decisions& decisions = context_.env().sim.decisions();
  const sim::SiteId site = decisions.Site(fmt::format("provisioner/{}", driver));
  const std::uint64_t identity = context_.env().IdentityOf(resource, object.ns(), object.name());
  return decisions.DrawDuration(site, identity, kLeastDriverTime, kMostDriverTime);
}

client::EventRecorder& ExternalProvisioner::RecorderOf(const std::string& driver) {
  std::unique_ptr<client::EventRecorder>& recorder = recorders_[driver];
  if (recorder == nullptr)
    recorder = std::make_unique<client::EventRecorder>(context_.connection, actor_, driver, "",
                                                       client::EventRecorder::Api::kCore,
                                                       client_.options());
  return *recorder;
}

}  // namespace ksim::controllers
