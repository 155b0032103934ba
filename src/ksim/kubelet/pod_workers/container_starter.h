// ContainerStarter: starts the containers that a sync of a pod found missing: init containers one
// by one, then the others. A container that has ended backs off before it is started again.
//
// Source: kuberuntime_manager.go SyncPod, doBackOff; kuberuntime_container.go startContainer.
// KUBELET-09..13.
#pragma once
#include <string>

#include "ksim/client/client.h"
#include "ksim/client/event_recorder.h"
#include "ksim/kubelet/core/profile.h"
#include "ksim/kubelet/pod_workers/container_config.h"
#include "ksim/kubelet/pod_workers/image_puller.h"
#include "ksim/kubelet/pod_workers/pod_actions.h"
#include "ksim/kubelet/pod_workers/pod_worker.h"
#include "ksim/kubelet/pod_workers/restart_backoff.h"
#include "ksim/kubelet/runtime/runtime.h"
#include "ksim/sim/process.h"
#include "ksim/sim/task.h"

namespace ksim::kubelet {

class ContainerStarter {
 public:
  ContainerStarter(sim::Process& process, client::Environment& env, Runtime& runtime,
                   client::EventRecorder& recorder, PodObjects& objects, const Profile& profile)
      : process_(process),
        env_(env),
        runtime_(runtime),
        recorder_(recorder),
        profile_(profile),
        images_(process, runtime, recorder, profile),
        config_(objects, runtime, recorder, profile) {}

  ContainerConfig& config() { return config_; }

  // The worker says of each container that could not be started why it waits.
  sim::Task<void> StartContainers(PodWorker* worker, PodActions actions);
  // The pod is gone.
  void Forget(const std::string& uid);

 private:
  bool BacksOff(PodWorker& worker, const PodActions::Start& start);
  sim::Task<void> StartContainer(PodWorker* worker, value::Value container, bool init);

  const sim::Process& process_;
  client::Environment& env_;
  Runtime& runtime_;
  client::EventRecorder& recorder_;
  const Profile& profile_;
  ImagePuller images_;
  ContainerConfig config_;
  RestartBackoff restarts_;  // by pod and container
};

}  // namespace ksim::kubelet
