#include "ksim/scheduler/framework/profile.h"

#include "ksim/api/core/version_table.h"

namespace ksim::scheduler {
namespace {

constexpr Profile MakeV125() {
  Profile p;
  p.compat = api::Compat::k1_25;
  p.bind_error_prefix = true;
  p.clears_void_nomination_twice = true;
  return p;
}

constexpr Profile MakeV130() {
  Profile p;
  p.compat = api::Compat::k1_30;
  p.scheduling_gates = true;
  p.read_write_once_pod = true;
  p.volume_wait_has_context = true;
  p.errors_requeue_at_once = true;
  p.all_node_changes = true;
  p.registers_for_pre_check = true;
  p.search_counts_all_nodes = true;
  p.pre_filter_reason_once = true;
  p.retries_server_errors = true;
  p.disruption_conditions = true;
  p.sorts_victims = true;
  p.evicts_in_parallel = true;
  p.clears_void_nomination_twice = true;
  p.preempted_event_names_pod = true;
  p.affinity_skips_for_good = true;
  p.spread_match_label_keys = true;
  p.spread_node_inclusion_policies = true;
  p.spread_empty_selector_counts_none = true;
  return p;
}

constexpr Profile MakeV136() {
  Profile p = MakeV130();
  p.compat = api::Compat::k1_36;
  p.queueing_hints = true;
  p.claim_in_use_reason = true;
  p.volume_affinity_reason = true;
  p.nominates_before_binding_volumes = true;
  p.backoff_windows = true;
  p.pops_from_backoff_queue = true;
  p.counts_rejections_and_errors = true;
  p.nominated_node_release = true;
  p.reports_nodes_left_out = true;
  p.picks_heap_root = true;
  p.failure_checks_uid = true;
  p.failure_reports_cached_pod = true;
  p.observed_generation = true;
  p.retries_conflicts = true;
  p.async_preemption = true;
  p.clears_void_nomination_twice = false;
  p.preempted_event_without_related = true;
  p.victim_may_be_gone = true;
  p.dynamic_resources = true;
  p.sidecar_host_ports = true;
  p.unresolvable_shortages = true;
  p.balance_skips_best_effort = true;
  p.balance_scores_change = true;
  p.taint_reason_without_taint = true;
  return p;
}

}  // namespace

const Profile& ProfileOf(api::Compat compat) {
  static constexpr Profile kProfiles[] = {MakeV125(), MakeV130(), MakeV136()};
  return api::ColumnOf(kProfiles, compat);
}

}  // namespace ksim::scheduler
