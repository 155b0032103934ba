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
  p.no_endpoints_of_external_names = true;
  p.tracks_stale_endpoints = true;
  p.slice_sync_max_backoff = Seconds(1000);
  p.topology_hint_events = true;
  p.topology_mode_annotation = true;
  p.mirrors_repacked_subsets = true;
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
  return p;
}

}  // namespace

const Profile& ProfileOf(api::Compat compat) {
  static constexpr Profile kProfiles[] = {MakeV125(), MakeV130(), MakeV136()};
  return api::ColumnOf(kProfiles, compat);
}

}  // namespace ksim::controllers
