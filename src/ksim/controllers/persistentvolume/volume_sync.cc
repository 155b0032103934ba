// Part of PersistentVolumeController: what becomes of a volume, and of one whose claim is gone.
//
// Source: pkg/controller/volume/persistentvolume/pv_controller.go syncVolume, reclaimVolume,
// deleteVolumeOperation, recycleVolumeOperation, isVolumeReleased, findDeletablePlugin;
// pkg/volume/hostpath/host_path.go hostPathDeleter.
#include <fmt/format.h>

#include "ksim/api/core/go_text.h"
#include "ksim/api/views/volumes.h"
#include "ksim/base/status.h"
#include "ksim/controllers/persistentvolume/pv_controller.h"

namespace ksim::controllers {

using value::Path;
using value::Value;

namespace {

bool IsIn(const api::Object& volume, std::string_view phase) {
  return volume.status().Get("phase").AsString() == phase;
}

std::string_view ReclaimPolicyOf(const api::Object& volume) {
  return volume.spec().Get("persistentVolumeReclaimPolicy").AsString();
}

// findDeletablePlugin: who deletes the storage of a volume is a program outside.
bool IsDeletedOutside(const api::Object& volume) {
  return api::HasAnnotation(volume, api::kProvisionedBy) || volume.spec().Has("csi");
}

// The reason that keeps kube-controller-manager itself from deleting the storage of a volume; "" if
// it can. It has a deleter of directories below /tmp, and no other.
std::string WhyNotDeleted(const api::Object& volume, const Profile& profile) {
  const Value& host_path = volume.spec().Get("hostPath");
  const bool is_known =
      volume.spec().Has("nfs") || (profile.knows_local_volumes && volume.spec().Has("local"));
  if (host_path.is_null())
    return fmt::format(
        "error getting deleter volume plugin for volume {}: no {}volume plugin matched",
        api::GoQuote(volume.name()), is_known ? "deletable " : "");
  const std::string_view path = host_path.Get("path").AsString();
  const std::size_t tmp = path.find("/tmp/");
  if (tmp != std::string_view::npos && tmp + 5 < path.size()) return "";
  return fmt::format("host_path deleter only supports /tmp/.+ but received provided {}", path);
}

}  // namespace

sim::Task<PersistentVolumeController::Error> PersistentVolumeController::SyncVolume(
    api::Object volume) {
  const Value& ref = volume.spec().Get("claimRef");
  if (ref.Get("uid").AsString().empty()) {
    // Free, or reserved for a claim that has not come yet.
    Updated updated = co_await UpdateVolumePhase(volume, "Available", "");
    if (!updated.ok()) co_return updated.status().message.str();
    co_return std::nullopt;
  }
  Updated claim = co_await ClaimOfVolume(volume);
  if (!claim.ok()) co_return claim.status().message.str();
  if (claim->empty()) co_return co_await Release(volume);
  co_return co_await SyncVolumeOf(volume, *claim);
}

// A claim that the caches do not know, or know under another uid, is read live: a volume must not
// be reclaimed because a cache is behind.
sim::Task<PersistentVolumeController::Updated> PersistentVolumeController::ClaimOfVolume(
    api::Object volume) {
  const Value ref = volume.spec().Get("claimRef");
  const std::string ns(ref.Get("namespace").AsString());
  const std::string name(ref.Get("name").AsString());
  const std::string_view uid = ref.Get("uid").AsString();
  api::Object claim = claims_.Get(api::ClaimKeyOf(volume));
  const bool released = IsIn(volume, "Released") || IsIn(volume, "Failed");
  if (claim.empty() && !released) claim = claim_informer_->lister().Get(ns, name);
  const bool known_to_be_gone = claim.empty() && released;
  if (!known_to_be_gone && (claim.empty() || claim.uid() != uid)) {
    Updated live = co_await client_.Get(claim_kind_, ns, name);
    if (!live.ok() && !api::IsNotFound(live.status())) co_return live.status();
    claim = live.ok() ? *live : api::Object();
  }
  if (!claim.empty() && claim.uid() != uid) co_return api::Object();
  co_return claim;
}

sim::Task<PersistentVolumeController::Error> PersistentVolumeController::SyncVolumeOf(
    api::Object volume, api::Object claim) {
  const std::string_view name = claim.spec().Get("volumeName").AsString();
  if (name.empty()) {
    if (api::DifferInVolumeMode(claim, volume)) {
      Tell(volume, "Warning", "VolumeMismatch",
           fmt::format("Cannot bind PersistentVolume to requested PersistentVolumeClaim {} due to "
                       "incompatible volumeMode.",
                       api::GoQuote(claim.name())));
      Tell(claim, "Warning", "VolumeMismatch",
           fmt::format("Cannot bind PersistentVolume {} to requested PersistentVolumeClaim due to "
                       "incompatible volumeMode.",
                       api::GoQuote(volume.name())));
    } else {
      claim_queue_.Add(claim.key());  // it finishes the binding
    }
    co_return std::nullopt;
  }
  if (name == volume.name()) {
    Updated updated = co_await UpdateVolumePhase(volume, "Bound", "");
    if (!updated.ok()) co_return updated.status().message.str();
    co_return std::nullopt;
  }
  // The claim is bound to another volume: one that was made for it is not needed.
  const bool made_for_it = api::HasAnnotation(volume, api::kProvisionedBy);
  if (made_for_it && ReclaimPolicyOf(volume) == "Delete") co_return co_await Release(volume);
  co_return co_await Unbind(volume);
}

sim::Task<PersistentVolumeController::Error> PersistentVolumeController::Release(
    api::Object volume) {
  if (!IsIn(volume, "Released") && !IsIn(volume, "Failed")) {
    Updated updated = co_await UpdateVolumePhase(volume, "Released", "");
    if (!updated.ok()) co_return updated.status().message.str();
    volume = *updated;
  }
  co_return co_await Reclaim(volume);
}

sim::Task<PersistentVolumeController::Error> PersistentVolumeController::Reclaim(
    api::Object volume) {
  const std::string_view policy = ReclaimPolicyOf(volume);
  const std::string subject = fmt::format("{}[{}]", volume.name(), volume.uid());
  if (policy == "Delete") {
    StartOperation("delete-" + subject, DeleteVolume(volume));
  } else if (policy == "Recycle") {
    StartOperation("recycle-" + subject, RecycleVolume(volume));
  } else if (policy != "Retain") {
    co_return co_await FailVolume(volume, "VolumeUnknownReclaimPolicy",
                                  "Volume has unrecognized PersistentVolumeReclaimPolicy");
  }
  co_return std::nullopt;
}

// isVolumeReleased, of the live volume.
sim::Task<PersistentVolumeController::Updated> PersistentVolumeController::StillReleased(
    api::Object volume) {
  const std::string name(volume.name());
  Updated live = co_await client_.Get(volume_kind_, "", name);
  if (!live.ok()) co_return api::Object();
  const std::string_view uid = live->spec().Get("claimRef").Get("uid").AsString();
  if (uid.empty()) co_return api::Object();
  const api::Object claim = claims_.Get(api::ClaimKeyOf(*live));
  if (claim.empty() || claim.uid() != uid) co_return *live;
  const std::string_view bound_to = claim.spec().Get("volumeName").AsString();
  if (!bound_to.empty() && bound_to != live->name()) co_return *live;
  co_return api::Object();
}

sim::Task<PersistentVolumeController::Error> PersistentVolumeController::DeleteVolume(
    api::Object volume) {
  if (profile_.finds_deleter_first) {
    if (IsDeletedOutside(volume)) co_return std::nullopt;
    if (volume.spec().Get("hostPath").is_null())
      co_return co_await FailVolume(volume, "VolumeFailedDelete", WhyNotDeleted(volume, profile_));
  }
  Updated live = co_await StillReleased(volume);
  if (!live.ok() || live->empty() || IsDeletedOutside(volume)) co_return std::nullopt;
  const std::string why = WhyNotDeleted(volume, profile_);
  if (!why.empty()) {
    Error failed = co_await FailVolume(volume, "VolumeFailedDelete", why);
    if (failed) co_return failed;
    co_return why;
  }
  const api::DeleteOptions options;
  const std::string name(volume.name());
  co_await client_.Delete(volume_kind_, "", name, options);
  co_return std::nullopt;
}

// The pod that empties a volume is not there: what has a recycler is empty at once.
sim::Task<PersistentVolumeController::Error> PersistentVolumeController::RecycleVolume(
    api::Object volume) {
  Updated live = co_await StillReleased(volume);
  if (!live.ok() || live->empty()) co_return std::nullopt;
  if (!live->spec().Has("hostPath") && !live->spec().Has("nfs")) {
    co_await FailVolume(*live, "VolumeFailedRecycle", "No recycler plugin found for the volume!");
    co_return std::nullopt;
  }
  Tell(*live, "Normal", "VolumeRecycled", "Volume recycled");
  co_await Unbind(*live);
  co_return std::nullopt;
}

}  // namespace ksim::controllers
