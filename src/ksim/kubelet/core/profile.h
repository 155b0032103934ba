// Profile: what differs between the kubelets of Kubernetes 1.25, 1.30 and 1.36. A component reads a
// switch; only profile.cc knows which version has it.
//
// Sources: pkg/features/kube_features.go for the feature gates, which are named in capitals; else
// the file that is named.
#pragma once
#include <cstdint>

#include "ksim/api/compat.h"

namespace ksim::kubelet {

struct Profile {
  api::Compat compat{};  // for what api/ answers by version

  // --- pod workers: pod_workers.go, kuberuntime/*.go ---
  // calculateEffectiveGracePeriod: a grace period of 0 that was asked for counts, as 1 s.
  bool zero_grace_counts = false;
  // eviction_manager.go: a hard threshold ends a pod with a grace period of 1 s, not of 0.
  std::int64_t eviction_grace_seconds = 0;
  // KubeletCrashLoopBackOffMax and what came with it: a failed sync is tried again when its
  // back-off is over, not in 10 s.
  bool retries_after_backoff = false;
  // kuberuntime_manager.go doBackOff: the event names the container and the pod.
  bool backoff_event_names_container = false;
  // kuberuntime_container.go startContainer: how "Created" and "Started" read.
  bool container_events_name_container = true;
  bool created_event_has_colon = false;
  // generic.go (PLEG): pods are looked at at once after a change of the runtime, not at the tick.
  bool relists_at_once = false;

  // --- what pods name: util/manager/watch_based_manager.go, kubelet_pods.go, volumemanager ---
  // An object's watch lasts 30 to 60 minutes, not 5 to 10.
  bool long_object_watches = false;
  // RelaxedEnvironmentVariableValidation: before it envFrom left out keys that are no names of
  // variables, and said so.
  bool skips_invalid_env_names = false;
  // An Event tells of pull secrets that are not there.
  bool pull_secret_event = false;
  // An Event tells that a sync has waited too long for volumes.
  bool mount_timeout_event = false;

  // --- images: images/image_manager.go ---
  // The problem of an image's name tells that name, and the part of it that is not in lower case.
  bool image_problem_has_name = false;
  // The event tells the image's size, and times in whole milliseconds.
  bool pulled_event_has_size = false;
  // KubeletEnsureSecretPulledImages: "and can be accessed by the pod".
  bool pulled_event_has_access = false;
  // While a pull backs off, the status says what the last one failed with.
  bool pull_backoff_has_error = false;

  // --- status: status/*.go, kubelet_pods.go ---
  // PodObservedGenerationTracking: statuses and conditions carry observedGeneration.
  bool observed_generation = false;
  // PodDisruptionConditions: an evicted pod gets the condition DisruptionTarget.
  bool disruption_conditions = false;
  // PodReadyToStartContainersCondition.
  bool ready_to_start_condition = false;
  // PodHostIPs: status.hostIPs.
  bool host_ips = false;
  // GeneratePodInitializedCondition: a pod one of whose containers has started is initialized.
  bool started_containers_initialize = false;
  // RestartAllContainersOnContainerExits: a pod that was initialized stays so.
  bool stays_initialized = false;
  // getPhase asks the runtime, not the statuses, whether regular containers have been created.
  bool phase_asks_runtime = false;
  // TerminatePod, generateAPIPodStatus: a pod that ends gets a terminal phase before it goes, and
  // only then its last DELETE.
  bool terminal_phase_before_deletion = false;
  // status_manager.go: versions go through a channel of 1000; else only the newest is sent.
  bool status_channel = false;

  // --- probes: prober/*.go ---
  // worker.go: a run that was triggered resets the ticker.
  bool triggered_probe_resets_ticker = false;
  // ChangeContainerStatusOnKubeletRestart: a container that ran before the kubelet started keeps
  // what its status said.
  bool probes_survive_restart = false;

  // --- admission and eviction ---
  // kubelet.go rejectPod: "Pod was rejected: "; else "Pod ".
  bool rejection_says_rejected = false;
  // eviction/helpers.go evictionMessage: threshold and available quantity.
  bool eviction_message_has_quantities = false;
};

const Profile& ProfileOf(api::Compat compat);

}  // namespace ksim::kubelet
