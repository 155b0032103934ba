#include "ksim/api/core/profile.h"

#include "ksim/api/core/version_table.h"

namespace ksim::api {
namespace {

constexpr Profile MakeV130() {
  Profile p;
  p.label_names_dots = true;
  p.stateful_set_name_is_label = true;
  p.pod_scheduling_readiness = true;
  p.sidecar_containers = true;
  p.resize_policy = true;
  p.init_resize_policy_refused = true;
  p.pod_host_ips = true;
  p.proc_mount_needs_host_users = true;
  p.pod_affinity_label_keys = true;
  p.spread_selector = true;
  p.updatable_fields_of_125 = false;
  p.pod_update_keeps_qos = true;
  p.stateful_set_start_ordinal = true;
  p.cron_refuses_time_zone = true;
  p.elastic_indexed_job = true;
  p.job_prefixed_labels = true;
  p.job_tracking_annotation = false;
  p.job_backoff_limit_per_index = true;
  p.template_host_ports = false;
  p.stateful_set_auto_delete = true;
  p.job_pod_replacement_policy = true;
  p.job_manual_selector = true;
  p.webhook_match_conditions = true;
  p.serves_admission_policies = true;
  p.serves_flow_control_v1 = true;
  p.serves_flow_control_beta = false;
  p.serves_flow_control_beta3 = true;
  p.ratchets_custom_resources = true;
  p.cel_minor = 30;
  p.rules_have_messages = true;
  p.warns_of_pod_names = true;
  p.warns_of_services = true;
  p.warns_of_ingress_class = true;
  p.warns_of_fqdn_slices = true;
  p.warns_of_old_volumes = true;
  p.warns_of_claims = true;
  p.warns_of_large_jobs = true;
  p.warns_of_key_pairs = true;
  p.warns_of_finalizers = true;
  p.warns_of_external_id = true;
  p.cron_time_zone_is_refused = true;
  p.controller_template_under_spec = true;
  p.node_ports_have_static_band = true;
  return p;
}

constexpr Profile MakeV136() {
  Profile p = MakeV130();
  p.applied_items_have_all_keys = false;
  p.ratchets_custom_status = true;
  p.cel_minor = 36;
  p.custom_status_has_path = true;
  p.webhook_services_unworded = true;
  p.definitions_worded_anew = true;
  p.custom_selectable_fields = true;
  p.schemas_judge_number_ranges = true;
  p.schemas_know_name_formats = true;
  p.job_managed_by = true;
  p.job_suspended_may_change = true;
  p.services_have_many_ranges = true;
  p.bad_values_as_json = true;
  p.serves_device_claims = true;
  p.stores_slices_as_beta = false;
  p.pod_resize = true;
  p.quota_judges_pod_updates = true;
  p.quota_pod_level_resources = true;
  p.quota_device_classes = true;
  p.quota_counts_allocated_storage = true;
  p.quota_volume_attributes_scope = true;
  p.serves_flow_control_beta3 = false;
  p.serves_mutating_policies = true;
  p.serves_service_cidrs = true;
  p.serves_volume_attributes_classes = true;
  p.writes_zero_creation = false;
  p.bad_delete_options_are_400 = true;
  p.too_long_as_may_not_be = true;
  p.owner_texts_name_field = false;
  p.labels_worded_by_content = true;
  p.relaxed_env_names = true;
  p.relaxed_service_names = true;
  p.relaxed_dns_search = true;
  p.updates_validate_as_new = false;
  p.container_restart_rules = true;
  p.init_resize_policy_refused = false;
  p.resize_text_names_pod = true;
  p.env_files = true;
  p.sleep_action_allows_zero = true;
  p.supplemental_groups_policy = true;
  p.selinux_change_policy = true;
  p.host_users_as_field = true;
  p.os_name_needs_text = false;
  p.toleration_shown_whole = false;
  p.runtime_class_toleration_path_twice = false;
  p.runtime_class_handler_required = true;
  p.required_node_affinity_values = true;
  p.spread_label_keys_merge = true;
  p.sources_text_says_volume = true;
  p.csi_driver_empty_once = true;
  p.pod_update_keeps_qos = false;
  p.status_update_keeps_qos = true;
  p.status_conditions_under_status = true;
  p.pod_observed_generation = true;
  p.stateful_set_template = true;
  p.stateful_set_service_name = true;
  p.stateful_set_updates_history = true;
  p.revision_data_is_json = true;
  p.slice_address_is_ip = true;
  p.node_repeated_cidrs = false;
  p.pod_generation = true;
  p.pod_status_restores_qos = true;
  p.drops_disabled_pod_fields = false;
  p.pod_affinity_merges_keys = true;
  p.gated_condition_has_time = true;
  p.warns_of_port_names = true;
  p.warns_of_newer_old_labels = true;
  p.warns_of_affinity_values = true;
  p.warns_git_repo_is_off = true;
  p.hpa_max_replicas_required = true;
  p.hpa_checks_api_version = true;
  p.warns_of_ip_forms = true;
  p.warns_of_ignored_fields = true;
  p.warns_of_mount_options = true;
  p.warns_of_history_limit = true;
  p.warns_of_quotas = true;
  p.warns_of_mountable_secrets = true;
  p.warns_of_token_requests = true;
  p.warns_of_static_names = true;
  p.finalizers_want_path = true;
  p.type_errors_name_embedded = true;
  p.sidecars_hold_host_ports = true;
  p.available_at_due_time = true;
  return p;
}

}  // namespace

const Profile& ProfileOf(Compat compat) {
  static constexpr Profile kProfiles[] = {Profile(), MakeV130(), MakeV136()};
  return ColumnOf(kProfiles, compat);
}

}  // namespace ksim::api
