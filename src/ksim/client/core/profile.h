// Profile: what differs between the client-go of Kubernetes 1.25 (v0.25), 1.30 (v0.30) and 1.36
// (v0.36). One column of the table in CLIENT-01.
#pragma once
#include <cstdint>

#include "ksim/api/compat.h"

namespace ksim::client {

struct Profile {
  Profile() = default;
  bool real_fifo = false;                  // RealFIFO with atomic entries, else DeltaFIFO
  bool shared_backoff = false;             // one back-off for passes and watch opens
  bool backoff_resets_from_reset = false;  // 2 min since the last reset, not the last delay
  bool watch_list = false;                 // the initial state comes by WATCH
  bool guarded_initial_rv = false;         // CLIENT-33
  bool initial_list_flag = false;          // OnAdd(isInInitialList), per-handler HasSynced
  bool late_indexes = false;               // AddIndex on a store that holds objects
  bool remove_handlers = false;
  bool transform_when_queued = false;      // else when processed (CLIENT-54)
  bool pause_before_next = false;          // after a handler's panic: CLIENT-59
  bool terminal_errors = false;            // controller-runtime's TerminalError
  bool priority_queue = false;             // its default queue
  bool recovers_panics = false;            // a panic in Reconcile is an error, by its default
  bool spam_key_has_type = false;          // event spam filter: a bucket per event type
  bool events_name_reporter = false;       // core/v1 events carry reportingComponent and -Instance
  bool too_large_in_message = false;       // "too large" known by the text inside a message too
  bool min_watch_timeout = false;          // a longer one may be asked for
  bool uuid_for_long_event_names = false;  // GenerateEventName: where a time makes it too long
  // leaderelection.go
  bool checks_lock_identity = false;   // NewLeaderElector: an empty identity is a mistake
  bool renews_before_reading = false;  // a leader first tries to renew what it last saw
  bool lease_duration_as_written =
      false;                         // a lease is valid as long as it says, else as configured
  bool renew_keeps_ticks = false;    // PollUntilContextTimeout, else PollImmediateUntil
  bool release_reads_lease = false;  // release: reads first, in the renew deadline
  // controller-runtime
  bool indexes_several_fields = false;  // the cache reader's field selector may have several terms
  // Limits of components that ask without limits of their own (CLIENT-97); -1: none.
  std::int64_t kubelet_qps = 5, kubelet_burst = 10;
  std::int64_t controller_runtime_qps = 20, controller_runtime_burst = 30;
  int first_series_count = 1;  // count of a new-API event at its second occurrence
};

const Profile& ProfileOf(api::Compat compat);

}  // namespace ksim::client
