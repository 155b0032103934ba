#include "ksim/controllers/common/profile.h"

#include "ksim/api/core/version_table.h"

namespace ksim::controllers {
namespace {

constexpr Profile MakeV125() {
  Profile p;
  p.compat = api::Compat::k1_25;
  return p;
}

constexpr Profile MakeV130() {
  Profile p;
  p.compat = api::Compat::k1_30;
  p.separate_taint_eviction = true;
  p.parallel_node_health = true;
  p.disruption_conditions = true;
  p.collects_out_of_service = true;
  p.collects_evicted_first = true;
  p.set_claim_retention = true;
  p.set_start_ordinals = true;
  p.pod_index_label = true;
  p.set_waits_for_finished_pods = true;
  p.set_mends_claims_of_pending = true;
  p.set_completes_at_spec = true;
  p.set_update_ignores_gone = true;
  p.daemon_deletes_succeeded_pods = true;
  p.daemon_ignores_deleted_ended_pods = true;
  p.daemon_counts_replaced_pods = true;
  p.no_endpoints_of_external_names = true;
  p.tracks_stale_endpoints = true;
  p.slice_sync_max_backoff = Seconds(1000);
  p.topology_hint_events = true;
  p.topology_mode_annotation = true;
  p.mirrors_repacked_subsets = true;
  p.job_backoff_record = true;
  p.job_index_label = true;
  p.job_backoff_limit_per_index = true;
  p.job_pod_failure_policy = true;
  p.job_pod_replacement_policy = true;
  p.cron_scheduled_annotation = true;
  p.hpa_workers = 5;
  p.hpa_checks_selectors = true;
  p.hpa_reports_failed_metrics = true;
  p.hpa_counts_opposite_scalings = true;
  p.hpa_counts_sidecar_requests = true;
  p.hpa_falls_back_to_target = true;
  p.hpa_ignores_missing_at_target = true;
  p.hpa_says_usage = true;
  p.assigns_default_class = true;
  p.failed_detach_is_uncertain = true;
  return p;
}

constexpr Profile MakeV136() {
  Profile p = MakeV130();
  p.compat = api::Compat::k1_36;
  p.exact_min_ready = true;
  p.next_availability_check = true;
  p.terminating_replicas = true;
  p.ranks_sidecar_restarts = true;
  p.compares_revision_hashes = false;
  p.gc_pauses_for_new_kinds = false;
  p.gc_deletes_at_version = true;
  p.ordered_namespace_deletion = true;
  p.node_monitor_grace_period = Seconds(50);
  p.taints_by_current_condition = true;
  p.forgets_done_evictions = true;
  p.pod_observed_generation = true;
  p.set_reads_own_writes = true;
  p.set_delete_of_gone_succeeds = true;
  p.set_has_one_time = true;
  p.set_update_waits_for_available = true;
  p.compares_revisions_by_meaning = true;
  p.capitalizes_set_events = true;
  p.daemon_relabels_once = true;
  p.daemon_queues_nodes = true;
  p.deployment_pods_by_owner = true;
  p.scaled_from_to = true;
  p.cuts_replica_set_names = true;
  p.checks_replicas_annotations = true;
  p.labels_managed_endpoints = true;
  p.repacks_current_endpoints = true;
  p.finds_ports_of_sidecars = true;
  p.canonical_endpoint_ips = true;
  p.orders_endpoints_by_fnv = true;
  p.traffic_distribution = true;
  p.mirrors_for_new_owner = true;
  p.mirroring_looks_at_new_slice = true;
  p.missing_ports_are_none = true;
  p.job_success_policy = true;
  p.job_managed_by = true;
  p.job_delays_terminal_condition = true;
  p.job_counts_own_deletions = true;
  p.job_waits_with_active_pods = true;
  p.job_remembers_finished = true;
  p.job_frees_by_selector = true;
  p.job_waits_for_sidecars = true;
  p.job_suspended_has_no_start = true;
  p.job_reads_own_writes = true;
  p.cron_sees_success_at_once = true;
  p.hpa_container_metrics_may_miss = true;
  p.hpa_tolerances = true;
  p.hpa_pod_level_requests = true;
  p.hpa_retries_conflicts = true;
  p.hpa_memory_is_binary = true;
  p.hpa_names_averaged_object = true;
  p.hpa_caps_replicas = true;
  p.binder_retries = true;
  p.honors_reclaim_policy = true;
  p.finds_deleter_first = true;
  p.knows_local_volumes = false;
  p.volume_attributes_class = true;
  return p;
}

}  // namespace

const Profile& ProfileOf(api::Compat compat) {
  static constexpr Profile kProfiles[] = {MakeV125(), MakeV130(), MakeV136()};
  return api::ColumnOf(kProfiles, compat);
}

}  // namespace ksim::controllers
