#include "ksim/client/core/profile.h"

namespace ksim::client {
namespace {

Profile MakeV030() {
  Profile p;
  p.shared_backoff = true;
  p.initial_list_flag = true;
  p.late_indexes = true;
  p.remove_handlers = true;
  p.transform_when_queued = true;
  p.terminal_errors = true;
  p.events_name_reporter = true;
  p.too_large_in_message = true;
  p.first_series_count = 2;
  return p;
}

Profile MakeV036() {
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
  return p;
}

}  // namespace

const Profile& ProfileOf(api::Compat compat) {
  static const Profile kV025;
  static const Profile kV030 = MakeV030();
  static const Profile kV036 = MakeV036();
  switch (compat) {
    case api::Compat::k1_25:
      return kV025;
    case api::Compat::k1_30:
      return kV030;
    case api::Compat::k1_36:
      break;
  }
  return kV036;
}

}  // namespace ksim::client
