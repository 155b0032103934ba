#include "ksim/kubelet/core/profile.h"

#include "ksim/api/core/version_table.h"

namespace ksim::kubelet {
namespace {

constexpr Profile MakeV125() {
  Profile p;
  p.compat = api::Compat::k1_25;
  p.skips_invalid_env_names = true;
  p.mount_timeout_event = true;
  p.status_channel = true;
  return p;
}

constexpr Profile MakeV130() {
  Profile p;
  p.compat = api::Compat::k1_30;
  p.zero_grace_counts = true;
  p.backoff_event_names_container = true;
  p.created_event_has_colon = true;
  p.pull_secret_event = true;
  p.image_problem_has_name = true;
  p.pulled_event_has_size = true;
  p.disruption_conditions = true;
  p.ready_to_start_condition = true;
  p.host_ips = true;
  p.started_containers_initialize = true;
  p.terminal_phase_before_deletion = true;
  p.rejection_says_rejected = true;
  p.eviction_message_has_quantities = true;
  return p;
}

constexpr Profile MakeV136() {
  Profile p = MakeV130();
  p.compat = api::Compat::k1_36;
  p.eviction_grace_seconds = 1;
  p.retries_after_backoff = true;
  p.container_events_name_container = false;
  p.relists_at_once = true;
  p.long_object_watches = true;
  p.pulled_event_has_access = true;
  p.pull_backoff_has_error = true;
  p.observed_generation = true;
  p.stays_initialized = true;
  p.phase_asks_runtime = true;
  p.triggered_probe_resets_ticker = true;
  p.probes_survive_restart = true;
  return p;
}

}  // namespace

const Profile& ProfileOf(api::Compat compat) {
  static constexpr Profile kProfiles[] = {MakeV125(), MakeV130(), MakeV136()};
  return api::ColumnOf(kProfiles, compat);
}

}  // namespace ksim::kubelet
