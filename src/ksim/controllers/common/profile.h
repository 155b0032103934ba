// Profile: what differs between the controllers of Kubernetes 1.25, 1.30 and 1.36. A controller
// reads a switch; only profile.cc knows which version has it.
//
// Sources: pkg/features/kube_features.go for the feature gates, which are named in capitals; else
// the file that is named.
#pragma once
#include "ksim/api/compat.h"
#include "ksim/base/time.h"

namespace ksim::controllers {

struct Profile {
  api::Compat compat{};  // for what api/ answers by version

  // replica_set.go updatePod: a pod that became ready is looked at again after minReadySeconds, not
  // a second later.
  bool exact_min_ready = false;
  // controller_utils.go FindMinNextPodAvailabilityCheck: the next look is due when the next pod
  // becomes available; else minReadySeconds after all pods are ready.
  bool next_availability_check = false;
  // DeploymentReplicaSetTerminatingReplicas: status.terminatingReplicas.
  bool terminating_replicas = false;
  // controller_utils.go ActivePodsWithRanks.Less: of two pods the one whose sidecars restarted more
  // often goes first.
  bool ranks_sidecar_restarts = false;
  // history/controller_history.go EqualRevision: revisions whose hashes are numbers, and other
  // ones, differ whatever their data.
  bool compares_revision_hashes = true;
  // SeparateTaintEvictionController: taint-eviction-controller is one of its own, no part of the
  // node lifecycle controller.
  bool separate_taint_eviction = false;
  // garbagecollector.go Sync: the garbage collector's workers pause while the informers of kinds
  // that are new fill their caches, however long that takes.
  bool gc_pauses_for_new_kinds = true;
  // garbagecollector/operations.go deleteObject: the garbage collector deletes an object only at
  // the version of which it has seen the owners, and knows at once that one is gone already.
  bool gc_deletes_at_version = false;
  // OrderedNamespaceDeletion: the pods of a namespace are deleted before anything else.
  bool ordered_namespace_deletion = false;
  // nodelifecycle/config/v1alpha1/defaults.go: a node that has been silent for so long is marked
  // Unknown and tainted.
  Duration node_monitor_grace_period = Seconds(40);
  // node_lifecycle_controller.go monitorNodeHealth: the nodes of a pass are written by eight at
  // once, not one after the other.
  bool parallel_node_health = false;
  // node_lifecycle_controller.go processTaintBaseEviction: what the pass itself has just made of
  // the node counts, not what it found.
  bool taints_by_current_condition = false;
  // timed_workers.go getWrappedWorkerFunc: an eviction that is done is forgotten, so that the pod
  // may be evicted once more.
  bool forgets_done_evictions = false;
  // PodDisruptionConditions: who deletes a pod for a taint or for its node reads it and says why
  // first; who collects it says that it has failed; what came to nothing is taken back.
  bool disruption_conditions = false;
  // NodeOutOfServiceVolumeDetach: pods that terminate on a node out of service are collected, and
  // its volumes are detached at once.
  bool collects_out_of_service = false;
  // gc_controller.go byEvictionAndCreationTimestamp: of terminated pods the evicted go first.
  bool collects_evicted_first = false;
  // PodObservedGenerationTracking: statuses and conditions of pods carry observedGeneration.
  bool pod_observed_generation = false;

  // --- Deployments ---
  // deployment_controller.go getPodMapForDeployment: the pods of a Deployment are those of its
  // ReplicaSets, whether its selector matches them or not.
  bool deployment_pods_by_owner = false;
  // sync.go scaleReplicaSet: Events say "from 1 to 2", not "to 2 from 1".
  bool scaled_from_to = false;
  // sync.go generateReplicaSetName: a long name is cut, so that the hash has room.
  bool cuts_replica_set_names = false;
  // deployment_util.go getNonNegativeInt32FromAnnotation, getReplicaSetFraction: sizes in
  // annotations that are negative, too large or 0 count as missing.
  bool checks_replicas_annotations = false;

  // --- StatefulSets ---
  // StaleControllerConsistencyStatefulSet: a sync waits until the caches have the controller's own
  // last writes.
  bool set_reads_own_writes = false;
  // StatefulSetAutoDeletePVC: spec.persistentVolumeClaimRetentionPolicy counts.
  bool set_claim_retention = false;
  // StatefulSetStartOrdinal: spec.ordinals counts.
  bool set_start_ordinals = false;
  // PodIndexLabel: the label apps.kubernetes.io/pod-index.
  bool pod_index_label = false;
  // stateful_set_control.go processReplica: a pod that has failed or succeeded is deleted, and a
  // later sync creates the next; else only a failed one is, and the next is created at once.
  bool set_waits_for_finished_pods = false;
  // processReplica: claims of a pending pod that are gone are created again.
  bool set_mends_claims_of_pending = false;
  // stateful_set_utils.go completeRollingUpdate: only with spec.replicas pods.
  bool set_completes_at_spec = false;
  // updateStatefulSet: a rolling update goes on where the pod that it deletes is gone already.
  bool set_update_ignores_gone = false;
  // stateful_pod_control.go DeleteStatefulPod: to delete a pod that is gone is a success.
  bool set_delete_of_gone_succeeds = false;
  // stateful_set.go syncStatefulSet: a sync asks for the time once.
  bool set_has_one_time = false;
  // stateful_set_utils.go isUnavailable: scaling and updates wait until pods are available, not
  // only ready.
  bool set_update_waits_for_available = false;
  // StatefulSetSemanticRevisionComparison: a template that the latest revision restores is no new
  // one, whatever its bytes.
  bool compares_revisions_by_meaning = false;
  // stateful_pod_control.go recordPodEvent: messages begin with a capital.
  bool capitalizes_set_events = false;

  // --- DaemonSets ---
  // daemon_controller.go podsShouldBeOnNode: a pod that has succeeded is deleted, so that another
  // takes its place; else it counts as running.
  bool daemon_deletes_succeeded_pods = false;
  // daemon_controller.go getNodesToDaemonPods: a pod that has ended and is being deleted is as
  // gone.
  bool daemon_ignores_deleted_ended_pods = false;
  // update.go rollingUpdate: an old pod that goes because it is not available counts as such.
  bool daemon_counts_replaced_pods = false;
  // update.go dedupCurHistories: pods are labeled anew once, not for each revision that goes.
  bool daemon_relabels_once = false;
  // daemon_controller.go nodeUpdateQueue: nodes that are new or have changed wait in a queue of
  // their own; else their handlers ask which DaemonSets they concern.
  bool daemon_queues_nodes = false;

  // --- Services ---
  // endpoints_controller.go, endpointslice_controller.go syncService: a Service of type
  // ExternalName gets no endpoints, whatever it selects.
  bool no_endpoints_of_external_names = false;
  // endpoints_tracker.go: a cache that still has the Endpoints that an update has replaced is
  // waited for.
  bool tracks_stale_endpoints = false;
  // endpoints_controller.go LabelManagedBy: Endpoints name the controller in a label.
  bool labels_managed_endpoints = false;
  // endpoints_controller.go syncService: subsets that differ in their order alone are the same.
  bool repacks_current_endpoints = false;
  // endpointslice utils.go FindPort: a named target port may be one of a sidecar.
  bool finds_ports_of_sidecars = false;
  // endpointslice utils.go getEndpointAddresses: addresses are written in their canonical form.
  bool canonical_endpoint_ips = false;
  // endpointslice util/controller_utils.go deepHashObjectToString: ports and subsets are in the
  // order of their FNV hashes, not of their MD5 hashes.
  bool orders_endpoints_by_fnv = false;
  // endpointslice_controller.go maxSyncBackOff.
  Duration slice_sync_max_backoff = Seconds(100);
  // topologycache/event.go: Events say whether hints are given.
  bool topology_hint_events = false;
  // endpointslice utils.go hintsEnabled: the annotation service.kubernetes.io/topology-mode counts.
  bool topology_mode_annotation = false;
  // ServiceTrafficDistribution, PreferSameTrafficDistribution: spec.trafficDistribution asks for
  // hints.
  bool traffic_distribution = false;
  // endpointslicemirroring/reconciler.go reconcile: subsets are brought into their canonical form
  // first.
  bool mirrors_repacked_subsets = false;
  // endpointslicemirroring/reconciler.go needRebuildExistingSlices: a slice of earlier Endpoints of
  // the same name is written anew, and one that is right already is tracked.
  bool mirrors_for_new_owner = false;
  // endpointslicemirroring_controller.go onEndpointSliceUpdate: the new version of a slice decides
  // whether to look, not the old one.
  bool mirroring_looks_at_new_slice = false;
  // endpointslice util/controller_utils.go NewPortMapKey: a slice that has no list of ports has the
  // same ports as one whose list is empty. Before that it is written anew at each sync.
  bool missing_ports_are_none = false;

  // --- Jobs ---
  // backoff_utils.go: new pods wait after failures; before that the whole Job waits in its queue,
  // and each of its status' writes is looked at at once.
  bool job_backoff_record = false;
  // PodIndexLabel: pods of indexes have them as labels, too.
  bool job_index_label = false;
  // JobBackoffLimitPerIndex.
  bool job_backoff_limit_per_index = false;
  // JobPodFailurePolicy.
  bool job_pod_failure_policy = false;
  // JobPodReplacementPolicy: terminating pods are counted, and may be waited for.
  bool job_pod_replacement_policy = false;
  // JobSuccessPolicy; that a Job is complete has a reason.
  bool job_success_policy = false;
  // JobManagedBy: a Job may name another controller.
  bool job_managed_by = false;
  // job_controller.go delayTerminalCondition: FailureTarget and SuccessCriteriaMet announce the
  // end, which comes when no pod is terminating.
  bool job_delays_terminal_condition = false;
  // job_controller.go manageJob: pods that a sync deletes leave the ready pods and join the
  // terminating ones in its status.
  bool job_counts_own_deletions = false;
  // job_controller.go manageJob: the status tells of active pods while new ones wait.
  bool job_waits_with_active_pods = false;
  // job_controller.go finishedJobExpectations: a Job that is finished stays so in a stale cache.
  bool job_remembers_finished = false;
  // job_controller.go enqueueLabelSelector: pods of a finished or deleted Job are found when their
  // turn comes, by as many workers as Jobs have; others' pods keep the finalizer.
  bool job_frees_by_selector = false;
  // backoff_utils.go getFinishTimeFromContainers: a pod has ended when its sidecars have.
  bool job_waits_for_sidecars = false;
  // MutableSchedulingDirectivesForSuspendedJobs: a suspended Job has no start time.
  bool job_suspended_has_no_start = false;
  // StaleControllerConsistencyJob.
  bool job_reads_own_writes = false;

  // --- CronJobs ---
  // cronjob utils.go getJobFromTemplate2: Jobs tell in an annotation for when they were scheduled.
  bool cron_scheduled_annotation = false;
  // cronjob_controllerv2.go syncCronJob: a Job that is seen to be finished gives its time of
  // success at once, and the Event calls its condition so.
  bool cron_sees_success_at_once = false;

  // --- HorizontalPodAutoscalers ---
  // config/v1alpha1/defaults.go ConcurrentHorizontalPodAutoscalerSyncs; before it there is one.
  int hpa_workers = 1;
  // horizontal.go validateAndParseSelector: pods that several autoscalers select are scaled by
  // none.
  bool hpa_checks_selectors = false;
  // horizontal.go computeReplicasForMetrics: a metric that fails is a sync's error even if others
  // decide, and a sync that fails writes what it has measured.
  bool hpa_reports_failed_metrics = false;
  // horizontal.go calculateScaleUpLimitWithScalingRules: a period's start counts scalings both
  // ways.
  bool hpa_counts_opposite_scalings = false;
  // replica_calculator.go calculatePodRequests: requests of sidecars count, and the error names the
  // container.
  bool hpa_counts_sidecar_requests = false;
  // replica_calculator.go GetResourceReplicas: on a scale-down pods without a metric count as using
  // the target where that is more than their request.
  bool hpa_falls_back_to_target = false;
  // replica_calculator.go calcPlainMetricReplicas: at the target exactly, pods without a metric are
  // left out; before that they count as using nothing.
  bool hpa_ignores_missing_at_target = false;
  // Texts call usage what is not a percentage, a container's metric has a name of its own, and pods
  // without metrics are looked for before their requests are.
  bool hpa_says_usage = false;
  // metrics/client.go getContainerMetrics: a pod whose metrics lack the container has none.
  bool hpa_container_metrics_may_miss = false;
  // HPAConfigurableTolerance; Tolerances.isWithin.
  bool hpa_tolerances = false;
  // PodLevelResources: replica_calculator.go calculateRequests.
  bool hpa_pod_level_requests = false;
  // horizontal.go reconcileAutoscaler: a scale that somebody else wrote is read again.
  bool hpa_retries_conflicts = false;
  // horizontal.go buildQuantity: memory is told in Ki, Mi, Gi.
  bool hpa_memory_is_binary = false;
  // horizontal.go computeStatusForObjectMetric: the status names the object of an average, too.
  bool hpa_names_averaged_object = false;
  // replica_calculator.go: counts beyond int32 stay at its end.
  bool hpa_caps_replicas = false;

  // --- volumes and claims: pkg/controller/volume/persistentvolume ---
  // pv_controller_base.go processNextClaimWorkItem: a sync that failed is tried again by the
  // back-off of its queue; else at the next resync.
  bool binder_retries = false;
  // RetroactiveDefaultStorageClass: a claim without a class gets the default one when there is one.
  bool assigns_default_class = false;
  // HonorPVReclaimPolicy: a volume that was provisioned keeps a finalizer until its storage is
  // gone.
  bool honors_reclaim_policy = false;
  // pv_controller.go deleteVolumeOperation: the plugin is looked for before the volume is read.
  bool finds_deleter_first = false;
  // cmd/kube-controller-manager app/plugins.go: it knows local volumes, and cannot delete them;
  // else it does not know them.
  bool knows_local_volumes = true;
  // operation_generator.go GenerateDetachVolumeFunc: after a detachment that failed the volume may
  // be attached or not; else it counts as attached.
  bool failed_detach_is_uncertain = false;
  // VolumeAttributesClass: a claim that is bound tells the class of its volume.
  bool volume_attributes_class = false;
};

const Profile& ProfileOf(api::Compat compat);

}  // namespace ksim::controllers
