#include "ksim/client/core/profile.h"

#include "ksim/api/core/version_table.h"

namespace ksim::client {
namespace {

constexpr Profile MakeV030() {
  Profile p;
  p.shared_backoff = true;
  p.initial_list_flag = true;
  p.late_indexes = true;
  p.remove_handlers = true;
  p.transform_when_queued = true;
  p.terminal_errors = true;
  p.events_name_reporter = true;
  p.too_large_in_message = true;
  p.checks_lock_identity = true;
  p.renews_before_reading = true;
  p.lease_duration_as_written = true;
  p.indexes_several_fields = true;
  p.kubelet_qps = 50;
  p.kubelet_burst = 100;
  p.first_series_count = 2;
  return p;
}

constexpr Profile MakeV036() {
  Profile p = MakeV030();
  p.real_fifo = true;
  p.pause_before_next = true;
  p.backoff_resets_from_reset = true;
  p.watch_list = true;
  p.guarded_initial_rv = true;
  p.spam_key_has_type = true;
  p.priority_queue = true;
  p.recovers_panics = true;
  p.min_watch_timeout = true;
  p.uuid_for_long_event_names = true;
  p.renew_keeps_ticks = true;
  p.release_reads_lease = true;
  p.controller_runtime_qps = -1;
  p.controller_runtime_burst = 0;
  return p;
}

}  // namespace

const Profile& ProfileOf(api::Compat compat) {
  static constexpr Profile kProfiles[] = {Profile(), MakeV030(), MakeV036()};
  return api::ColumnOf(kProfiles, compat);
}

}  // namespace ksim::client
