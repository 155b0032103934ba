// Part of PersistentVolumeController: what becomes of a claim.
//
// Source: pkg/controller/volume/persistentvolume/pv_controller.go syncClaim, syncUnboundClaim,
// syncBoundClaim, emitEventForUnboundDelayBindingClaim, assignDefaultStorageClass.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ksim/api/core/go_text.h"
#include "ksim/api/views/volumes.h"
#include "ksim/controllers/persistentvolume/pv_controller.h"

namespace ksim::controllers {

using value::Path;
using value::Value;

sim::Task<PersistentVolumeController::Error> PersistentVolumeController::SyncClaim(
    api::Object claim) {
  if (api::HasAnnotation(claim, api::kBindCompleted)) return SyncBoundClaim(std::move(claim));
  std::string name(claim.spec().Get("volumeName").AsString());
  if (name.empty()) return SyncUnboundClaim(std::move(claim));
  return SyncClaimOf(std::move(claim), std::move(name));
}

// Any volume will do.
sim::Task<PersistentVolumeController::Error> PersistentVolumeController::SyncUnboundClaim(
    api::Object claim) {
  const bool delays = api::WaitsForFirstConsumer(ClassOf(claim));
  const api::Object volume = FindBestMatch(volumes_, claim, delays);
  if (!volume.empty()) co_return co_await Bind(volume, claim);
  co_return co_await SyncClaimWithoutMatch(claim, delays);
}

sim::Task<PersistentVolumeController::Error> PersistentVolumeController::SyncClaimWithoutMatch(
    api::Object claim, bool delays) {
  static const Path kClassName{"spec", "storageClassName"};
  // 1. Give it the default class, which it may have come too early for.
  if (profile_.assigns_default_class && !api::HasStorageClass(claim)) {
    const api::Object chosen = api::DefaultStorageClass(class_informer_->lister().List(""));
    if (!chosen.empty()) {
      const api::Object classed = api::Object::FromTree(
          claim.tree().Set(kClassName, Value::String(chosen.name())), claim.resource_version());
      Updated updated = co_await client_.Update(claim_kind_, classed);
      if (updated.ok()) co_return std::nullopt;
      co_return fmt::format("can't update PersistentVolumeClaim[{}]: {}", api::GoQuote(claim.key()),
                            updated.status().message);
    }
  }

  // 2. Ask for a volume, or say what it waits for.
  if (delays && !api::HasAnnotation(claim, api::kSelectedNode)) {
    TellWhoIsWaitedFor(claim);
  } else if (!api::StorageClassNameOf(claim).empty()) {
    ProvisionClaim(claim);
    co_return std::nullopt;
  } else {
    Tell(claim, "Normal", "FailedBinding",
         "no persistent volumes available for this claim and no storage class is set");
  }
  Updated updated = co_await UpdateClaimStatus(claim, "Pending", api::Object());
  if (!updated.ok()) co_return updated.status().message.str();
  co_return std::nullopt;
}

void PersistentVolumeController::TellWhoIsWaitedFor(const api::Object& claim) {
  std::vector<std::string> pods;
  for (const api::Object& pod : pod_informer_->lister().List(claim.ns()))
    if (pod.node_name().empty() && api::UsesClaim(pod, claim.name()) && !api::IsPodTerminated(pod))
      pods.emplace_back(pod.name());
  if (pods.empty())
    return Tell(claim, "Normal", "WaitForFirstConsumer",
                "waiting for first consumer to be created before binding");
  Tell(claim, "Normal", "WaitForPodScheduled",
       fmt::format("waiting for pod{} {} to be scheduled", pods.size() > 1 ? "s" : "",
                   fmt::join(pods, ",")));
}

// The claim asks for one volume.
sim::Task<PersistentVolumeController::Error> PersistentVolumeController::SyncClaimOf(
    api::Object claim, std::string name) {
  const api::Object volume = volumes_.Get(name);
  if (!volume.empty() && api::IsBoundTo(volume, claim)) co_return co_await Bind(volume, claim);
  if (!volume.empty() && volume.spec().Get("claimRef").is_null()) {
    const std::string why = WhyVolumeIsUnfit(volume, claim);
    if (why.empty()) co_return co_await Bind(volume, claim);
    Tell(claim, "Warning", "VolumeMismatch",
         fmt::format("Cannot bind to requested volume {}: {}", api::GoQuote(name), why));
  } else if (!volume.empty()) {
    Tell(claim, "Warning", "FailedBinding",
         fmt::format("volume {} already bound to a different claim.", api::GoQuote(name)));
    if (api::HasAnnotation(claim, api::kBoundByController))
      co_return fmt::format(
          "invalid binding of claim {} to volume {}: volume already claimed by {}",
          api::GoQuote(claim.key()), api::GoQuote(name), api::GoQuote(api::ClaimKeyOf(volume)));
  }
  Updated updated = co_await UpdateClaimStatus(claim, "Pending", api::Object());
  if (!updated.ok()) co_return updated.status().message.str();
  co_return std::nullopt;
}

sim::Task<PersistentVolumeController::Error> PersistentVolumeController::SyncBoundClaim(
    api::Object claim) {
  const std::string name(claim.spec().Get("volumeName").AsString());
  if (name.empty())
    co_return co_await Lose(
        claim, "ClaimLost",
        "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!");
  const api::Object volume = volumes_.Get(name);
  if (volume.empty())
    co_return co_await Lose(
        claim, "ClaimLost",
        "Bound claim has lost its PersistentVolume. Data on the volume is lost!");
  const Value& ref = volume.spec().Get("claimRef");
  if (!ref.is_null() && ref.Get("uid").AsString() != claim.uid())
    co_return co_await Lose(
        claim, "ClaimMisbound",
        "Two claims are bound to the same volume, this one is bound incorrectly");
  co_return co_await Bind(volume, claim);
}

// updateClaimStatusWithEvent
sim::Task<PersistentVolumeController::Error> PersistentVolumeController::Lose(api::Object claim,
                                                                              std::string reason,
                                                                              std::string message) {
  if (claim.status().Get("phase").AsString() == "Lost") co_return std::nullopt;
  Updated updated = co_await UpdateClaimStatus(claim, "Lost", api::Object());
  if (!updated.ok()) co_return updated.status().message.str();
  Tell(*updated, "Warning", reason, message);
  co_return std::nullopt;
}

}  // namespace ksim::controllers
