#include "ksim/apiserver/core/profile.h"

#include "ksim/api/core/version_table.h"

namespace ksim::apiserver {
namespace {

Profile Make130() {
  Profile p;
  p.watch_ends_with_generation = true;
  p.state_has_revision = true;
  p.silent_tick_keeps_watchers = true;
  p.send_initial_events = true;
  p.pod_disruption_conditions = true;
  p.takes_newest_default_class = true;
  p.unhealthy_pod_eviction_policy = true;
  p.deletes_collection_in_pages = true;
  p.rbac_policy = "1.30";
  p.kubeadm_binds_admins = true;
  p.newest_pod_security = 29;
  p.admission_policies = true;
  return p;
}

Profile Make136() {
  Profile p = Make130();
  p.consistent_list_from_cache = true;
  p.list_from_cache_snapshot = true;
  p.resilient_cache_init = true;
  p.list_parses_version_in_cache = false;
  p.bookmarks_begin_at_list = true;
  p.watch_list = true;
  p.list_names_current_revision = true;
  p.follows_compact_revision = true;
  p.retry_generate_name = true;
  p.missing_object_keeps_404 = true;
  p.shortened_grace_not_in_past = true;
  p.binding_sets_labels = true;
  p.binding_clears_nomination = true;
  p.terminating_kinds_forbid = true;
  p.scale_404_names_subresource = false;
  p.service_field_labels = true;
  p.pod_topology_labels = true;
  p.pod_log_has_stream = true;
  p.newest_pod_security = 35;
  p.bad_webhook_patch_fails_call = true;
  p.eviction_tells_condition = true;
  p.looks_up_quotas_live = false;
  p.quota_delta_for_each = true;
  p.mirror_pods_refer_to_nothing = true;
  p.keeps_extended_claims = true;
  p.nodes_keep_their_owners = true;
  p.recover_volume_expansion = true;
  p.slices_deleted_by_their_node = true;
  p.rbac_policy = "1.36";
  return p;
}

}  // namespace

const Profile& ProfileOf(api::Compat compat) {
  static const Profile profiles[] = {Profile(), Make130(), Make136()};
  return api::ColumnOf(profiles, compat);
}

const Profile& NewestProfile() { return apiserver::ProfileOf(api::Compat::k1_36); }

}  // namespace ksim::apiserver
