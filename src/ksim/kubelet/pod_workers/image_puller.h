// ImagePuller: sees to it that the image of a container is on the node before the container starts.
// A pull that failed backs off, for each pod and image: 10 s, doubling to 5 min.
//
// Source: pkg/kubelet/images/image_manager.go EnsureImageExists, pullImage;
// kuberuntime_container.go startContainer. KUBELET-13.
#pragma once
#include <string>
#include <string_view>

#include "ksim/client/event_recorder.h"
#include "ksim/kubelet/core/profile.h"
#include "ksim/kubelet/pod_workers/pod_worker.h"
#include "ksim/kubelet/pod_workers/restart_backoff.h"
#include "ksim/kubelet/runtime/runtime.h"
#include "ksim/sim/process.h"
#include "ksim/sim/task.h"

namespace ksim::kubelet {

class ImagePuller {
 public:
  ImagePuller(sim::Process& process, Runtime& runtime, client::EventRecorder& recorder,
              const Profile& profile)
      : process_(process), runtime_(runtime), recorder_(recorder), profile_(profile) {}

  // True: the image is there. False: the worker says why the container waits.
  sim::Task<bool> EnsureImageExists(PodWorker* worker, value::Value container);
  // The pod is gone.
  void Forget(const std::string& uid) { backoff_.Forget(uid); }

 private:
  bool BacksOff(PodWorker& worker, const value::Value& container);
  void ReportNoImage(PodWorker& worker, const value::Value& container, std::string_view reason,
                     std::string message);

  sim::Process& process_;
  Runtime& runtime_;
  client::EventRecorder& recorder_;
  const Profile& profile_;
  RestartBackoff backoff_;  // by pod and image
};

}  // namespace ksim::kubelet
