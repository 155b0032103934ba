// ExternalProvisioner: it stands for the provisioners of all storage drivers. It makes a volume for
// each claim that the volume binder has given one to, and deletes what they provisioned once it is
// released; both take a drawn time. It acts in the process of the volume binder and in its name, as
// the part `external-provisioner`.
//
// Source: sigs.k8s.io/sig-storage-lib-external-provisioner controller/controller.go
// syncClaim, shouldProvision, provisionClaimOperation, syncVolume, shouldDelete,
// deleteVolumeOperation; github.com/kubernetes-csi/external-provisioner pkg/controller/
// controller.go Provision.
#pragma once
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "absl/container/btree_map.h"
#include "ksim/client/client.h"
#include "ksim/client/event_recorder.h"
#include "ksim/client/informer.h"
#include "ksim/client/reconciler.h"
#include "ksim/client/workqueue.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/controllers/controller.h"

namespace ksim::controllers {

inline constexpr const char* kProvisionerPart = "external-provisioner";
// Each of the two queues has so many (external-provisioner --worker-threads).
inline constexpr int kProvisionerWorkers = 100;

// The provisioner makes the volumes of a class: the driver that has taken over from a plugin of
// Kubernetes (csi-translation-lib GetCSINameFromInTreeName), or whom the class names. "": nobody
// does.
std::string ProvisionerOf(const api::Object& storage_class);

class ExternalProvisioner {
 public:
  explicit ExternalProvisioner(const ControllerContext& context);
  ~ExternalProvisioner();
  // Registers handlers.
  void Begin(client::SharedInformer& claims, client::SharedInformer& volumes,
             client::SharedInformer& classes);
  // Spawns workers, which begin once the caches are filled.
  void Work();

 private:
  class Claims : public client::Reconciler {
   public:
    explicit Claims(ExternalProvisioner& provisioner) : provisioner_(provisioner) {}
    sim::Task<client::ReconcileResult> Reconcile(std::string key) override;

   private:
    ExternalProvisioner& provisioner_;
  };
  class Volumes : public client::Reconciler {
   public:
    explicit Volumes(ExternalProvisioner& provisioner) : provisioner_(provisioner) {}
    sim::Task<client::ReconcileResult> Reconcile(std::string key) override;

   private:
    ExternalProvisioner& provisioner_;
  };

  bool ShouldProvision(const api::Object& claim) const;
  bool ShouldDelete(const api::Object& volume) const;
  sim::Task<client::ReconcileResult> Provision(api::Object claim);
  sim::Task<client::ReconcileResult> Delete(api::Object volume);
  api::Object VolumeFor(const api::Object& claim, const api::Object& storage_class,
                        const std::string& driver) const;
  // How long the driver takes.
  Duration DrawTime(const std::string& driver, std::string_view resource,
                    const api::Object& object);
  client::EventRecorder& RecorderOf(const std::string& driver);

  ControllerContext context_;
  sim::ActorId actor_;
  const Profile& profile_;
  const api::ResourceInfo* volume_kind_;
  client::Client client_;
  client::SharedInformer* claim_informer_ = nullptr;
  client::SharedInformer* volume_informer_ = nullptr;
  client::SharedInformer* class_informer_ = nullptr;
  client::HandlerFuncs claim_handlers_, volume_handlers_;
  client::WorkQueue claim_queue_, volume_queue_;
  Claims claims_;
  Volumes volumes_;
  std::unique_ptr<client::ReconcileLoop> claim_loop_, volume_loop_;
  std::set<std::string, std::less<>> made_;  // volumes that the informer may not have yet
  absl::btree_map<std::string, std::unique_ptr<client::EventRecorder>> recorders_;  // by driver
};

}  // namespace ksim::controllers
