// ContainerConfig: whether the configuration of a container can be made: the ConfigMaps and Secrets
// of its environment are there, with their keys, and it does not run as root if it must not. A
// container without one waits with CreateContainerConfigError; each sync tries again.
//
// Source: kuberuntime_container.go generateContainerConfig; kubelet_pods.go
// makeEnvironmentVariables; kuberuntime/security_context_others.go verifyRunAsNonRoot.
// KUBELET-REF-02, KUBELET-SEC-01.
#pragma once
#include <string>

#include "ksim/client/event_recorder.h"
#include "ksim/kubelet/core/profile.h"
#include "ksim/kubelet/objects/pod_objects.h"
#include "ksim/kubelet/pod_workers/pod_worker.h"
#include "ksim/kubelet/runtime/runtime.h"
#include "ksim/sim/task.h"

namespace ksim::kubelet {

// verifyRunAsNonRoot: the error, "" if there is none. `user` is what the image says: a number, a
// name, either with a group behind a colon, or "", which is root.
std::string NonRootProblem(const api::Object& pod, const value::Value& container,
                           std::string_view user);

class ContainerConfig {
 public:
  ContainerConfig(PodObjects& objects, const Runtime& runtime, client::EventRecorder& recorder,
                  const Profile& profile)
      : objects_(objects), runtime_(runtime), recorder_(recorder), profile_(profile) {}

  // The fault of the container's configuration; "": there is none.
  sim::Task<std::string> Problem(PodWorker* worker, value::Value container);
  // getPullSecretsForPod: an Event tells which pull secrets are not there (from 1.27 on).
  sim::Task<void> LookForPullSecrets(PodWorker* worker);

 private:
  sim::Task<std::string> EnvironmentProblem(PodWorker* worker, value::Value container);
  void ReportInvalidNames(const PodWorker& worker, const ObjectReference& from,
                          const value::Value& data);

  PodObjects& objects_;
  const Runtime& runtime_;
  client::EventRecorder& recorder_;
  const Profile& profile_;
};

}  // namespace ksim::kubelet
