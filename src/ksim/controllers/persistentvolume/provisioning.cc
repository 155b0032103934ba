// Part of PersistentVolumeController: it asks a provisioner for a volume, by an annotation of the
// claim.
//
// Source: pkg/controller/volume/persistentvolume/pv_controller.go provisionClaim,
// provisionClaimOperationExternal, findProvisionablePlugin, scheduleOperation;
// pv_controller_base.go setClaimProvisioner; pkg/util/goroutinemap/exponentialbackoff.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/api/views/volumes.h"
#include "ksim/controllers/persistentvolume/pv_controller.h"

namespace ksim::controllers {

namespace {

constexpr Duration kFirstOperationWait = Milliseconds(500);
constexpr Duration kLongestOperationWait = Seconds(122);

}  // namespace

void PersistentVolumeController::ProvisionClaim(const api::Object& claim) {
  const std::string_view name = api::StorageClassNameOf(claim);
  const api::Object storage_class = ClassOf(claim);
  if (storage_class.empty())
    return Tell(claim, "Warning", "ProvisioningFailed",
                fmt::format("storageclass.storage.k8s.io \"{}\" not found", name));
  const std::string provisioner = ProvisionerOf(storage_class);
  if (provisioner.empty())
    return Tell(claim, "Warning", "ProvisioningFailed",
                fmt::format("no volume plugin matched name: {}",
                            storage_class.tree().Get("provisioner").AsString()));
  StartOperation(fmt::format("provision-{}[{}]", claim.key(), claim.uid()),
                 AskProvisioner(claim, provisioner));
}

sim::Task<PersistentVolumeController::Error> PersistentVolumeController::AskProvisioner(
    api::Object claim, std::string provisioner) {
  if (claim.Annotation(api::kStorageProvisioner) != provisioner) {
    const api::Object asked =
        api::WithAnnotation(api::WithAnnotation(claim, api::kBetaStorageProvisioner, provisioner),
                            api::kStorageProvisioner, provisioner);
    Updated updated = co_await UpdateClaim(asked);
    if (!updated.ok()) {
      const std::string error = updated.status().message.str();
      Tell(claim, "Warning", "ProvisioningFailed", "Error saving claim: " + error);
      co_return error;
    }
    claim = *updated;
  }
  Tell(claim, "Normal", "ExternalProvisioning",
       fmt::format("Waiting for a volume to be created either by the external provisioner '{}' or "
                   "manually by the system administrator. If volume creation is delayed, please "
                   "verify that the provisioner is running and correctly registered.",
                   provisioner));
  co_return std::nullopt;
}

void PersistentVolumeController::StartOperation(const std::string& name,
                                                sim::Task<Error> operation) {
  Operation& known = operations_[name];
  if (known.running) return;
  if (known.wait > Duration() && context_.process.SteadyNow() - known.failed_at <= known.wait)
    return;
  known.running = true;
  context_.process.Spawn(RunOperation(name, std::move(operation)), context_.name);
}

sim::Task<void> PersistentVolumeController::RunOperation(std::string name,
                                                         sim::Task<Error> operation) {
  const Error error = co_await std::move(operation);
  Operation& known = operations_[name];
  known.running = false;
  if (!error) {
    operations_.erase(name);
    co_return;
  }
  known.failed_at = context_.process.SteadyNow();
  known.wait = known.wait == Duration() ? kFirstOperationWait
                                        : std::min(known.wait * 2, kLongestOperationWait);
}

}  // namespace ksim::controllers
