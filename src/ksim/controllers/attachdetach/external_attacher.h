// ExternalAttacher: it stands for the attachers of all storage drivers. It attaches the volume of
// each VolumeAttachment and says so in its status, and detaches it when the object is being
// deleted, which its finalizer keeps until then; both take a drawn time. It acts in the process of
// the attach-detach controller and in its name, as the part `external-attacher`.
//
// Source: github.com/kubernetes-csi/external-attacher pkg/controller/csi_handler.go syncAttach,
// syncDetach, util.go markAsAttached, markAsDetached.
#pragma once
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "ksim/client/client.h"
#include "ksim/client/informer.h"
#include "ksim/client/reconciler.h"
#include "ksim/client/workqueue.h"
#include "ksim/controllers/controller.h"

namespace ksim::controllers {

inline constexpr const char* kAttacherPart = "external-attacher";
// external-attacher --worker-threads
inline constexpr int kAttacherWorkers = 10;

// The finalizer that a driver's attacher puts on attachments (GetFinalizerName).
std::string AttacherFinalizer(std::string_view driver);

class ExternalAttacher : public client::Reconciler {
 public:
  explicit ExternalAttacher(const ControllerContext& context);
  ~ExternalAttacher() override;
  // Registers handlers.
  void Begin(client::SharedInformer& attachments, client::SharedInformer& volumes);
  // Spawns workers, which begin once the caches are filled.
  void Work();
  sim::Task<client::ReconcileResult> Reconcile(std::string key) override;

 private:
  sim::Task<client::ReconcileResult> Attach(api::Object attachment);
  sim::Task<client::ReconcileResult> Detach(api::Object attachment);
  // How long the driver takes.
  Duration DrawTime(std::string_view who, const api::Object& attachment);

  ControllerContext context_;
  sim::ActorId actor_;
  const api::ResourceInfo* attachments_kind_;
  client::Client client_;
  client::SharedInformer* attachments_ = nullptr;
  client::SharedInformer* volumes_ = nullptr;
  client::HandlerFuncs handlers_;
  client::WorkQueue queue_;
  std::unique_ptr<client::ReconcileLoop> loop_;
  // The uids of what it has attached, and detached: the cache may not have it yet.
  std::set<std::string, std::less<>> attached_, detached_;
};

}  // namespace ksim::controllers
