// The persistent volume controller, called the volume binder: it binds claims to volumes, asks
// provisioners for volumes, and says what becomes of volumes whose claims are gone.
//
// Claims and volumes have a queue and a worker each. Every 15 s all of them are looked at again:
// that is how a claim finds a volume that came after it.
//
// Source: pkg/controller/volume/persistentvolume/pv_controller.go, pv_controller_base.go.
#pragma once
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/btree_map.h"
#include "ksim/client/cache/first_use.h"
#include "ksim/client/client.h"
#include "ksim/client/event_recorder.h"
#include "ksim/client/informer.h"
#include "ksim/client/reconciler.h"
#include "ksim/client/workqueue.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/controllers/controller.h"
#include "ksim/controllers/persistentvolume/external_provisioner.h"
#include "ksim/controllers/persistentvolume/volume_index.h"

namespace ksim::controllers {

// PVClaimBinderSyncPeriod.
inline constexpr Duration kVolumeResync = Seconds(15);

class PersistentVolumeController : public Controller {
 public:
  explicit PersistentVolumeController(ControllerContext context);
  ~PersistentVolumeController() override;
  void Start() override;
  // A later resync will bind something, or try again what failed.
  bool HasWorkAhead(const Heartbeats& heartbeats) const override;

 private:
  using Error = std::optional<std::string>;
  using Updated = client::Client::ObjectResult;

  // The worker of one of the two queues.
  class Worker : public client::Reconciler {
   public:
    using Sync = sim::Task<Error> (PersistentVolumeController::*)(std::string key);
    Worker(PersistentVolumeController& controller, Sync sync)
        : controller_(controller), sync_(sync) {}
    sim::Task<client::ReconcileResult> Reconcile(std::string key) override;

   private:
    PersistentVolumeController& controller_;
    Sync sync_;
  };

  // An operation that runs beside the workers (goroutinemap).
  struct Operation {
    Operation() = default;
    bool running = false;
    VirtualTime failed_at;
    Duration wait;  // after its last failure; 0: it did not fail
  };

  // --- pv_controller.cc: the queues ---
  void Begin();
  void Work();
  sim::Task<void> Run();
  sim::Task<void> Resync();
  sim::Task<Error> SyncClaimByKey(std::string key);
  sim::Task<Error> SyncVolumeByKey(std::string key);
  // Whether a resync would do anything to a claim or a volume.
  bool NeedsLook(const api::Object& claim) const;
  bool VolumeNeedsLook(const api::Object& volume) const;
  bool WouldBind(const api::Object& claim) const;
  api::Object ClassOf(const api::Object& claim) const;
  void Tell(const api::Object& about, std::string_view type, std::string_view reason,
            std::string_view message);

  // --- claim_sync.cc ---
  sim::Task<Error> SyncClaim(api::Object claim);
  sim::Task<Error> SyncUnboundClaim(api::Object claim);
  sim::Task<Error> SyncClaimWithoutMatch(api::Object claim, bool delays);
  sim::Task<Error> SyncClaimOf(api::Object claim, std::string name);
  sim::Task<Error> SyncBoundClaim(api::Object claim);
  sim::Task<Error> Lose(api::Object claim, std::string reason, std::string message);
  void TellWhoIsWaitedFor(const api::Object& claim);

  // --- volume_sync.cc ---
  sim::Task<Error> SyncVolume(api::Object volume);
  // The claim that the volume is bound to: empty if it is gone, or another one has its name.
  sim::Task<Updated> ClaimOfVolume(api::Object volume);
  sim::Task<Error> SyncVolumeOf(api::Object volume, api::Object claim);
  sim::Task<Error> Release(api::Object volume);
  sim::Task<Error> Reclaim(api::Object volume);
  sim::Task<Error> DeleteVolume(api::Object volume);
  sim::Task<Error> RecycleVolume(api::Object volume);
  // Whether the live volume still needs to be reclaimed; an empty one does not.
  sim::Task<Updated> StillReleased(api::Object volume);

  // --- binding.cc: the writes ---
  sim::Task<Error> Bind(api::Object volume, api::Object claim);
  sim::Task<Error> Unbind(api::Object volume);
  sim::Task<Updated> BindVolumeToClaim(api::Object volume, api::Object claim);
  sim::Task<Updated> BindClaimToVolume(api::Object claim, api::Object volume);
  // `volume`: the claim tells its capacity and access modes; empty: it forgets them.
  sim::Task<Updated> UpdateClaimStatus(api::Object claim, std::string phase, api::Object volume);
  sim::Task<Updated> UpdateVolumePhase(api::Object volume, std::string phase, std::string message);
  sim::Task<Error> FailVolume(api::Object volume, std::string reason, std::string message);
  sim::Task<Updated> UpdateClaim(api::Object claim);
  sim::Task<Updated> UpdateVolume(api::Object volume);

  // --- provisioning.cc ---
  void ProvisionClaim(const api::Object& claim);
  sim::Task<Error> AskProvisioner(api::Object claim, std::string provisioner);
  // Runs the operation unless it runs already, or waits after a failure.
  void StartOperation(const std::string& name, sim::Task<Error> operation);
  sim::Task<void> RunOperation(std::string name, sim::Task<Error> operation);

  ControllerContext context_;
  const Profile& profile_;
  const api::ResourceInfo* claim_kind_;
  const api::ResourceInfo* volume_kind_;
  const api::ResourceInfo* class_kind_;
  client::Client client_;
  client::EventRecorder recorder_;
  client::FirstUse first_use_;
  VirtualTime started_;
  std::unique_ptr<ExternalProvisioner>
      provisioner_;  // null until there is a claim, volume or class
  client::SharedInformer* claim_informer_ = nullptr;  // null until there is something to bind
  client::SharedInformer* volume_informer_ = nullptr;
  client::SharedInformer* class_informer_ = nullptr;
  client::SharedInformer* pod_informer_ = nullptr;
  ObjectStore claims_, volumes_;
  absl::btree_map<std::string, Operation> operations_;
  std::set<std::string> failed_;  // keys whose last sync failed; volumes' have no namespace
  client::HandlerFuncs claim_handlers_, volume_handlers_;
  client::WorkQueue claim_queue_, volume_queue_;
  Worker claim_worker_, volume_worker_;
  std::unique_ptr<client::ReconcileLoop> claim_loop_, volume_loop_;
};

}  // namespace ksim::controllers
