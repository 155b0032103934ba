// Profile: what differs between the kube-schedulers of Kubernetes 1.25, 1.30 and 1.36. A component
// reads a switch; only profile.cc knows which version has it. SCHED-01.
//
// Sources: pkg/features/kube_features.go for the feature gates, which are named in capitals; else
// the file that is named.
#pragma once
#include "ksim/api/compat.h"

namespace ksim::scheduler {

struct Profile {
  api::Compat compat{};  // for what api/ answers by version

  // --- queueing: backend/queue/*.go ---
  // SchedulerQueueingHints: plugins judge the event and the object; the queue remembers each event.
  bool queueing_hints = false;
  // backoff_queue.go alignToWindow: back-offs end at whole seconds.
  bool backoff_windows = false;
  // SchedulerPopFromBackoffQ: an idle scheduler takes rejected pods out of their back-off.
  bool pops_from_backoff_queue = false;
  // UnschedulableCount and ConsecutiveErrorsCount: what the back-off counts, in place of attempts.
  bool counts_rejections_and_errors = false;
  // PodSchedulingReadiness: spec.schedulingGates hold a pod back.
  bool scheduling_gates = false;
  // AddUnschedulableIfNotPresent: a pod whose attempt ended in an error does not wait for an event.
  bool errors_requeue_at_once = false;

  // --- event handlers: eventhandlers.go ---
  // events.go NodeSchedulingPropertiesChange: every change of a node, annotations too; else the
  // first alone.
  bool all_node_changes = false;
  // A pod that loses its nominated node makes room there for pods of its priority or a lower one.
  bool nominated_node_release = false;
  // Plugins register for every node update that may free a pod, since preCheckForNode may have held
  // back the one that would have helped.
  bool registers_for_pre_check = false;

  // --- scheduling cycle: schedule_one.go ---
  // The next search begins among all nodes, not among those that PreFilter left.
  bool search_counts_all_nodes = false;
  // types.go FitError: what PreFilter says of the pod is said once, not of each node.
  bool pre_filter_reason_once = false;
  // findNodesThatFitPod: nodes that PreFilter left out count as rejected by its plugin.
  bool reports_nodes_left_out = false;
  // newSortedNodeScores: the best node is the root of a heap; else selectHost draws one.
  bool picks_heap_root = false;
  // handleSchedulingFailure: a pod of another uid under the name ends the attempt without a report.
  bool failure_checks_uid = false;
  // handleSchedulingFailure: the event and the patch are about the cached pod.
  bool failure_reports_cached_pod = false;
  // PodObservedGenerationTracking: conditions carry observedGeneration.
  bool observed_generation = false;
  // util/utils.go Retriable: a status patch is sent again after 500 and 503.
  bool retries_server_errors = false;
  // util/utils.go Retriable: and after 409.
  bool retries_conflicts = false;
  // NominatedNodeNameForExpectation: a pod whose volumes are to be bound first is nominated to its
  // node meanwhile.
  bool nominates_before_binding_volumes = false;
  // handleBindingCycleError: the message begins with "binding rejected: ".
  bool bind_error_prefix = false;

  // --- preemption: framework/preemption/*.go ---
  // PodDisruptionConditions: a victim gets the condition DisruptionTarget first, and by that one
  // tells who leaves because of a preemption.
  bool disruption_conditions = false;
  // SelectVictimsOnNode: victims are sorted once more, those whose budgets do not allow it among
  // the others.
  bool sorts_victims = false;
  // prepareCandidate: victims are deleted in parallel, not one after the other.
  bool evicts_in_parallel = false;
  // SchedulerAsyncPreemption: the scheduling cycle does not wait for the victims.
  bool async_preemption = false;
  // preemption.go PreemptPod: the event names the preemptor by its uid.
  bool preempted_event_names_pod = false;
  // executor.go wraps the preemptor, so that the event refers to no related object.
  bool preempted_event_without_related = false;
  // executor.go: a victim that is gone already is no error.
  bool victim_may_be_gone = false;
  // preemption.go findCandidates: the search clears the nomination of a pod whom it cannot help
  // anywhere, before the failure handler clears it once more.
  bool clears_void_nomination_twice = false;
  // DynamicResources is among the default plugins, and its PostFilter comes first.
  bool dynamic_resources = false;

  // --- plugins: framework/plugins/ ---
  // types.go NodeInfo: host ports of sidecars are held.
  bool sidecar_host_ports = false;
  // noderesources/fit.go: a pod that asks for more than the whole node has cannot be helped.
  bool unresolvable_shortages = false;
  // balanced_allocation.go: pods that ask for nothing are not scored.
  bool balance_skips_best_effort = false;
  // balanced_allocation.go: the score is how the pod changes the balance, not the balance itself.
  bool balance_scores_change = false;
  // interpodaffinity/filtering.go PreFilter: a pod without terms that no pod's anti-affinity keeps
  // away skips the plugin, which then does not see that of nominated pods either.
  bool affinity_skips_for_good = false;
  // tainttoleration: the reason does not name the taint.
  bool taint_reason_without_taint = false;
  // MatchLabelKeysInPodTopologySpread.
  bool spread_match_label_keys = false;
  // ReadWriteOncePod: a claim with that access mode is for one pod alone; and VolumeRestrictions is
  // the first to look for a pod's claims.
  bool read_write_once_pod = false;
  // volumerestrictions: the claim is named in the reason as "already in-use by another pod".
  bool claim_in_use_reason = false;
  // volumebinding/binder.go: "didn't match PersistentVolume's node affinity".
  bool volume_affinity_reason = false;
  // volumebinding/binder.go BindPodVolumes: PollUntilContextTimeout and its error.
  bool volume_wait_has_context = false;
  // NodeInclusionPolicyInPodTopologySpread.
  bool spread_node_inclusion_policies = false;
  // podtopologyspread/common.go countPodsMatchSelector: an empty selector counts no pod.
  bool spread_empty_selector_counts_none = false;
};

const Profile& ProfileOf(api::Compat compat);

}  // namespace ksim::scheduler
