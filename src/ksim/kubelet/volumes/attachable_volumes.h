// AttachableVolumes: the volumes of claims that have to be attached to the node before a pod can
// have them. The kubelet looks the claim, its volume and the volume's driver up, tells in the
// node's status that it uses the volume, and waits until the same status says that it is attached;
// then it reads the node and the VolumeAttachment once more.
//
// Source: pkg/kubelet/volumemanager/populator/desired_state_of_world_populator.go createVolumeSpec;
// reconciler/reconciler_common.go waitForVolumeAttach; pkg/volume/util/operationexecutor/
// operation_generator.go GenerateVerifyControllerAttachedVolumeFunc, GenerateMountVolumeFunc;
// pkg/volume/csi/csi_attacher.go WaitForAttach. KUBELET-VOL-01 to KUBELET-VOL-04.
#pragma once
#include <functional>
#include <string>
#include <utility>

#include "ksim/api/object.h"
#include "ksim/client/client.h"
#include "ksim/client/informer.h"
#include "ksim/kubelet/node/volumes_in_use.h"
#include "ksim/sim/process.h"
#include "ksim/sim/task.h"

namespace ksim::kubelet {

// The volume behind a claim.
struct AttachableVolume {
  AttachableVolume() = default;
  bool known = false;       // what is needed could be read
  bool attachable = false;  // else it is there at once
  std::string volume;       // the PersistentVolume
  std::string unique_name, handle, attachment;
};

class AttachableVolumes {
 public:
  // All references outlive it.
  AttachableVolumes(sim::Process& process, client::Client& client, client::SharedInformer& nodes,
                    VolumesInUse& in_use, std::string node);

  // Whether there may be such volumes: there has been a CSIDriver.
  bool any() const;
  sim::Task<AttachableVolume> Find(std::string ns, std::string claim);
  // The pod is to have it, until Release.
  void Use(const std::string& uid, const AttachableVolume& volume);
  void Release(const std::string& uid) { in_use_.Release(uid); }
  // The node's status tells of its use, and, as the cache has it, that it is attached.
  bool IsAttached(const AttachableVolume& volume) const;
  // The same, read anew. `event`: the driver's attachment is missing, in the words of the event.
  struct Verdict {
    Verdict() = default;
    bool attached = false;
    std::string event;
  };
  sim::Task<Verdict> Verify(AttachableVolume volume);
  // The node's status has changed.
  void OnChange(std::function<void()> listener);

 private:
  void WatchNode();

  sim::Process& process_;
  client::Client& client_;
  client::SharedInformer& nodes_;
  VolumesInUse& in_use_;
  std::string node_;
  bool watches_ = false;
  client::HandlerFuncs handlers_;
  std::function<void()> changed_;
};

}  // namespace ksim::kubelet
