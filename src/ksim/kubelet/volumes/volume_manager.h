// VolumeManager: sets up the volumes of pods that are made of ConfigMaps, Secrets and the pod
// itself, waits for those of claims that have to be attached (AttachableVolumes), and tells a sync
// of a pod when all are there. Other volumes are there at once.
//
// A set-up that fails is an Event FailedMount and is tried again after 500 ms, doubling to 2m2s, at
// the next tick of 100 ms. A sync waits for 2m3s and looks every 300 ms. Each later sync sets the
// volumes up again, and goes on meanwhile: a pod whose ConfigMap has gone runs on, and its Events
// tell of it.
//
// Source: pkg/kubelet/volumemanager volume_manager.go WaitForAttachAndMount, reconciler;
// pkg/volume/util/operationexecutor GenerateMountVolumeFunc; pkg/util/goroutinemap
// exponential_backoff.go; pkg/volume/{configmap,secret,projected,downwardapi}. KUBELET-REF-03..05.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/container/btree_map.h"
#include "ksim/api/object.h"
#include "ksim/client/event_recorder.h"
#include "ksim/kubelet/core/profile.h"
#include "ksim/kubelet/objects/pod_objects.h"
#include "ksim/kubelet/volumes/attachable_volumes.h"
#include "ksim/sim/process.h"
#include "ksim/sim/task.h"

namespace ksim::kubelet {

class VolumeManager {
 public:
  // All references outlive it.
  VolumeManager(sim::Process& process, client::Client& client, client::SharedInformer& nodes,
                PodObjects& objects, VolumesInUse& in_use, const std::string& node,
                client::EventRecorder& recorder, const Profile& profile);
  ~VolumeManager();

  // Whether the pod has volumes to wait for.
  bool HasVolumes(const api::Object& pod);
  // Sets the pod's volumes up, again if they are there. False: the wait was too long; 1.25 tells of
  // it in an Event.
  sim::Task<bool> WaitForMounts(api::Object pod);
  // An object that the pod names has come or changed.
  void ObjectsChanged(const std::string& uid);
  // The pod has ended.
  void Forget(const std::string& uid);

 private:
  struct Volume;
  struct PodVolumes;
  sim::Task<void> Mount(std::shared_ptr<PodVolumes> pod);
  // How setting a volume up ended. `event`: the error in the words of the event; "": no event tells
  // of it.
  enum class Outcome : std::uint8_t { kDone, kFailed, kWaits };
  struct SetUpResult {
    SetUpResult(Outcome o, std::string e = {}) : outcome(o), event(std::move(e)) {}
    Outcome outcome;
    std::string event;
  };
  sim::Task<SetUpResult> SetUp(const api::Object* pod, Volume* volume);
  sim::Task<SetUpResult> SetUpClaim(const api::Object* pod, Volume* volume);
  sim::Task<std::string> SetUpContent(const api::Object* pod, const Volume* volume);
  // Volumes that wait to be attached are looked at again.
  void AttachmentsChanged();
  VirtualTime NextTry(const Volume& volume) const;
  void ReportTimeout(const PodVolumes& pod);

  sim::Process& process_;
  AttachableVolumes attachable_;
  PodObjects& objects_;
  client::EventRecorder& recorder_;
  const Profile& profile_;
  VirtualTime started_;
  absl::btree_map<std::string, std::shared_ptr<PodVolumes>> pods_;  // by uid
};

}  // namespace ksim::kubelet
