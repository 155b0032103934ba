// The attach-detach controller: attaches the volumes that pods need to the nodes that they are on,
// by VolumeAttachments, which the attachers of storage drivers act on; tells each node in its
// status what is attached; and detaches what no pod needs, once the node does not use it any more.
// From a node that is not ready it detaches after six minutes anyway, from one that is out of
// service at once.
//
// It works in passes, at least 100 ms apart. Upstream makes one every 100 ms; here a pass is made
// when there is something for it to see.
//
// It begins with the first CSIDriver.
//
// Source: pkg/controller/volume/attachdetach: attach_detach_controller.go,
// reconciler/reconciler.go, populator/desired_state_of_world_populator.go,
// statusupdater/node_status_updater.go, util/util.go; pkg/volume/util/operationexecutor,
// nestedpendingoperations; pkg/volume/csi/csi_attacher.go. CTRL-ADC-01 to CTRL-ADC-12.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/views/attachments.h"
#include "ksim/client/cache/first_use.h"
#include "ksim/client/client.h"
#include "ksim/client/core/backoff.h"
#include "ksim/client/event_recorder.h"
#include "ksim/client/informer.h"
#include "ksim/controllers/attachdetach/actual_state.h"
#include "ksim/controllers/attachdetach/desired_state.h"
#include "ksim/controllers/attachdetach/external_attacher.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/controllers/controller.h"
#include "ksim/sim/mailbox.h"

namespace ksim::controllers {

// Operations, as upstream calls them.
inline constexpr std::string_view kAttachOperation = "volume_attach";
inline constexpr std::string_view kDetachOperation = "volume_detach";

class AttachDetachController : public Controller {
 public:
  explicit AttachDetachController(ControllerContext context);
  ~AttachDetachController() override;
  void Start() override;

 private:
  // A volume on a node.
  struct Place {
    Place() = default;
    std::string volume, node;  // the volume's unique name
    api::Object spec;          // the PersistentVolume; empty: not known
  };
  // One that runs for a volume, or failed last and may not be tried again for a while. Of a volume
  // that one node alone may have there is one at a time in the cluster.
  struct Operation {
    Operation() = default;
    std::string_view name;
    bool running = false;
    Duration backoff;
    VirtualTime failed;
  };

  void Begin();
  void Work();

  // --- what is there (attach_detach_controller.cc) ---
  void LookAtNode(const api::Object& node);
  void ForgetNode(const api::Object& node);
  void SetInUse(const api::Object& node);
  void LookAtPod(const api::Object& pod, bool gone);
  void LookAtClaim(const api::Object& claim);
  void LookAtAllPods();
  void Populate();  // when it begins
  void LookAnew();  // once a minute
  // A PersistentVolume of the pod that is attached; false: one may be attached later.
  using OnVolume = std::function<void(const std::string& name, const api::Object& volume)>;
  bool ForVolumes(const api::Object& pod, const OnVolume& what) const;
  bool IsLost(const api::Object& pod) const;  // the cache has it no more, or it has ended
  bool HasLostPods() const;
  // Volumes that count as attached though their attachments do not say so any more.
  std::vector<Place> LostAttachments() const;
  bool FindsMore() const;  // looking at all pods anew would find a volume

  // --- passes (passes.cc) ---
  void Touch();  // there is something for a pass to see
  sim::Task<void> Run();
  sim::Task<void> Pass();
  sim::Task<void> DetachIfDue(Place place);
  void AttachIfPossible(const Place& place, const DesiredState::Volume& wanted);
  void ReportMultiAttach(const Place& place, const DesiredState::Volume& wanted,
                         const std::vector<std::string>& nodes);
  sim::Task<bool> UpdateNode(std::string node);
  // When there is a pass to be made though nothing happens; and whether somebody waits for it.
  struct Alarm {
    Alarm() = default;
    std::optional<VirtualTime> at;
    bool awaited = false;
    void Add(VirtualTime time, bool is_awaited);
  };
  Alarm NextAlarm() const;
  bool IsOutOfService(std::string_view node) const;
  bool IsReady(std::string_view node) const;

  // --- operations (operations.cc) ---
  static std::string KeyOf(const Place& place);
  bool Runs(const Place& place) const;
  // Nothing runs, and no failure of that kind is too recent.
  bool MayStart(const Place& place, std::string_view name) const;
  void StartAttach(const Place& place, const DesiredState::Volume& wanted);
  void StartDetach(const Place& place, bool verify);
  bool Begin(const Place& place, std::string_view name);
  void Finish(const Place& place, bool failed);
  sim::Task<void> Attach(Place place, std::vector<api::Object> pods);
  sim::Task<void> Detach(Place place, bool verify);
  // The errors; "" = none.
  sim::Task<std::string> AttachByDriver(Place place);
  sim::Task<std::string> DetachByDriver(Place place, bool verify);
  using Verdict = std::function<std::optional<std::string>(const api::Object& attachment)>;
  sim::Task<std::string> WaitForAttacher(std::string attachment, Verdict verdict,
                                         std::string on_timeout);

  ControllerContext context_;
  const Profile& profile_;
  const api::ResourceInfo* drivers_kind_;
  const api::ResourceInfo* attachments_kind_;
  const api::ResourceInfo* node_kind_;
  client::Client client_;
  client::EventRecorder recorder_;
  client::FirstUse first_use_;
  client::JitterSource jitter_;
  ExternalAttacher attacher_;
  client::SharedInformer* pods_ = nullptr;
  client::SharedInformer* nodes_ = nullptr;
  client::SharedInformer* claims_ = nullptr;
  client::SharedInformer* volumes_ = nullptr;
  client::SharedInformer* drivers_ = nullptr;
  client::SharedInformer* attachments_ = nullptr;
  client::HandlerFuncs pod_handlers_, node_handlers_, claim_handlers_, driver_handlers_,
      attachment_handlers_;

  DesiredState desired_;
  ActualState actual_;
  std::map<std::string, Operation, std::less<>> operations_;
  bool touched_ = true;
  bool missed_ = false;  // a pod has a volume that could not be looked up
  sim::Signal news_;
  VirtualTime begun_;       // when it began to work
  VirtualTime last_pass_;   // when that ended
  VirtualTime last_added_;  // when pods were looked at anew
  VirtualTime last_looked_;
};

}  // namespace ksim::controllers
