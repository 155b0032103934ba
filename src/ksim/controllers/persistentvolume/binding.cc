// Part of PersistentVolumeController: the writes that bind a volume and a claim, the volume first.
// Each answer is remembered at once, so that the next sync does not wait for the informers.
//
// Source: pkg/controller/volume/persistentvolume/pv_controller.go bind, bindVolumeToClaim,
// bindClaimToVolume, unbindVolume, updateClaimStatus, updateVolumePhase.
#include <fmt/format.h>

#include "ksim/api/core/go_text.h"
#include "ksim/api/views/volumes.h"
#include "ksim/controllers/persistentvolume/pv_controller.h"
#include "ksim/value/quantity.h"

namespace ksim::controllers {

using value::Path;
using value::Value;

namespace {

const Value& StorageOf(const Value& resources) { return resources.Get("storage"); }

bool IsSameAmount(const Value& a, const Value& b) {
  const absl::StatusOr<value::Quantity> x = value::Quantity::FromTree(a);
  const absl::StatusOr<value::Quantity> y = value::Quantity::FromTree(b);
  return x.ok() && y.ok() && *x == *y;
}

Value WithoutVolume(Value status) {
  for (const char* field : {"accessModes", "capacity", "currentVolumeAttributesClassName"})
    status = status.Erase(field);
  return status;
}

Value WithOrWithout(Value tree, std::string_view field, const Value& value) {
  return value.is_null() ? tree.Erase(field) : std::move(tree).Set(field, value);
}

}  // namespace

sim::Task<PersistentVolumeController::Error> PersistentVolumeController::Bind(api::Object volume,
                                                                              api::Object claim) {
  Updated bound_volume = co_await BindVolumeToClaim(volume, claim);
  if (!bound_volume.ok()) co_return bound_volume.status().message.str();
  Updated told = co_await UpdateVolumePhase(*bound_volume, "Bound", "");
  if (!told.ok()) co_return told.status().message.str();
  Updated bound_claim = co_await BindClaimToVolume(claim, *told);
  if (!bound_claim.ok()) co_return bound_claim.status().message.str();
  Updated done = co_await UpdateClaimStatus(*bound_claim, "Bound", *told);
  if (!done.ok()) co_return done.status().message.str();
  co_return std::nullopt;
}

sim::Task<PersistentVolumeController::Updated> PersistentVolumeController::BindVolumeToClaim(
    api::Object volume, api::Object claim) {
  const api::Object bound = api::BoundTo(volume, claim);
  if (bound.tree() == volume.tree()) co_return volume;
  co_return co_await UpdateVolume(bound);
}

sim::Task<PersistentVolumeController::Updated> PersistentVolumeController::BindClaimToVolume(
    api::Object claim, api::Object volume) {
  static const Path kVolumeName{"spec", "volumeName"};
  api::Object bound = claim;
  if (claim.Get(kVolumeName).AsString() != volume.name()) {
    bound = api::Object::FromTree(claim.tree().Set(kVolumeName, Value::String(volume.name())),
                                  claim.resource_version());
    if (!api::HasAnnotation(bound, api::kBoundByController))
      bound = api::WithAnnotation(bound, api::kBoundByController, "yes");
  }
  if (!api::HasAnnotation(bound, api::kBindCompleted))
    bound = api::WithAnnotation(bound, api::kBindCompleted, "yes");
  if (bound.tree() == claim.tree()) co_return claim;
  co_return co_await UpdateClaim(bound);
}

// unbindVolume: a volume that the user has reserved stays so.
sim::Task<PersistentVolumeController::Error> PersistentVolumeController::Unbind(
    api::Object volume) {
  static const Path kClaimRef{"spec", "claimRef"};
  static const Path kClaimUid{"spec", "claimRef", "uid"};
  static const Path kAnnotations{"metadata", "annotations"};
  Value tree = volume.tree();
  if (api::HasAnnotation(volume, api::kBoundByController)) {
    const Value left = volume.annotations().Erase(api::kBoundByController);
    tree = tree.Erase(kClaimRef);
    tree = left.empty() ? tree.Erase(kAnnotations) : tree.Set(kAnnotations, left);
  } else {
    tree = tree.Erase(kClaimUid);
  }
  const api::Object unbound = api::Object::FromTree(tree, volume.resource_version());
  Updated updated = co_await UpdateVolume(unbound);
  if (!updated.ok()) co_return updated.status().message.str();
  Updated told = co_await UpdateVolumePhase(*updated, "Available", "");
  if (!told.ok()) co_return told.status().message.str();
  co_return std::nullopt;
}

// --- statuses ----------------------------------------------------------------------------------

sim::Task<PersistentVolumeController::Updated> PersistentVolumeController::UpdateClaimStatus(
    api::Object claim, std::string phase, api::Object volume) {
  static const Path kStatus{"status"};
  const bool changes = claim.status().Get("phase").AsString() != phase;
  Value status = claim.status().is_null() ? Value::EmptyObject() : claim.status();
  if (volume.empty()) {
    status = WithoutVolume(std::move(status));
  } else {
    status = WithOrWithout(std::move(status), "accessModes", volume.spec().Get("accessModes"));
    const Value& capacity = volume.spec().Get("capacity");
    if (changes && StorageOf(capacity).is_null())
      co_return api::Unmapped(500, fmt::format("PersistentVolume {} is without a storage capacity",
                                               api::GoQuote(volume.name())));
    const Value& told = StorageOf(status.Get("capacity"));
    if (changes && (told.is_null() || !IsSameAmount(told, StorageOf(capacity))))
      status = std::move(status).Set("capacity", capacity);
    if (profile_.volume_attributes_class && phase == "Bound" &&
        claim.status().Get("phase").AsString() == "Pending")
      status = WithOrWithout(std::move(status), "currentVolumeAttributesClassName",
                             volume.spec().Get("volumeAttributesClassName"));
  }
  if (changes) status = std::move(status).Set("phase", Value::Of(phase));
  if (status == claim.status()) co_return claim;
  const api::Object changed =
      api::Object::FromTree(claim.tree().Set(kStatus, status), claim.resource_version());
  Updated updated = co_await client_.UpdateStatus(claim_kind_, changed);
  if (updated.ok()) claims_.Put(*updated);
  co_return updated;
}

sim::Task<PersistentVolumeController::Updated> PersistentVolumeController::UpdateVolumePhase(
    api::Object volume, std::string phase, std::string message) {
  static const Path kStatus{"status"};
  if (volume.status().Get("phase").AsString() == phase) co_return volume;
  Value status = volume.status().is_null() ? Value::EmptyObject() : volume.status();
  status = std::move(status).Set("phase", Value::Of(phase));
  status = message.empty() ? status.Erase("message") : status.Set("message", Value::Of(message));
  const api::Object changed =
      api::Object::FromTree(volume.tree().Set(kStatus, status), volume.resource_version());
  Updated updated = co_await client_.UpdateStatus(volume_kind_, changed);
  if (updated.ok()) volumes_.Put(*updated);
  co_return updated;
}

// updateVolumePhaseWithEvent, with the phase Failed.
sim::Task<PersistentVolumeController::Error> PersistentVolumeController::FailVolume(
    api::Object volume, std::string reason, std::string message) {
  if (volume.status().Get("phase").AsString() == "Failed") co_return std::nullopt;
  Updated updated = co_await UpdateVolumePhase(volume, "Failed", message);
  if (!updated.ok()) co_return updated.status().message.str();
  Tell(*updated, "Warning", reason, message);
  co_return std::nullopt;
}

sim::Task<PersistentVolumeController::Updated> PersistentVolumeController::UpdateClaim(
    api::Object claim) {
  Updated updated = co_await client_.Update(claim_kind_, claim);
  if (updated.ok()) claims_.Put(*updated);
  co_return updated;
}

sim::Task<PersistentVolumeController::Updated> PersistentVolumeController::UpdateVolume(
    api::Object volume) {
  Updated updated = co_await client_.Update(volume_kind_, volume);
  if (updated.ok()) volumes_.Put(*updated);
  co_return updated;
}

}  // namespace ksim::controllers
