// Requests and responses of etcd's Watch service (api/etcdserverpb/rpc.proto).
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "ksim/base/internal/shared_text.h"
#include "ksim/base/time.h"
#include "ksim/store/watch_events.h"

namespace ksim::store {

using WatchId = std::int64_t;
inline constexpr WatchId kInvalidWatchId = -1;  // of a refused watch, and of progress for all

struct WatchRequest {
  WatchRequest() = default;
  WatchRequest(SharedText k, SharedText end, Revision start)
      : key(std::move(k)), range_end(std::move(end)), start_revision(start) {}
  SharedText key, range_end;    // as in RangeRequest, but an empty key stands for one zero byte
  Revision start_revision = 0;  // 0: after the present revision
  bool prev_kv = false;
  bool progress_notify = false;
  bool fragment = false;
  bool no_put = false, no_delete = false;  // filters
  WatchId watch_id = 0;                    // 0: the stream picks one
};

struct WatchResponse {
  WatchResponse() = default;
  bool is_progress() const {
    return events.empty() && !created && !canceled && compact_revision == 0;
  }
  WatchId watch_id = 0;
  // created, progress: the store's revision. Live events: theirs. Catch-up: the store's revision,
  // which is no promise of progress. Compacted: 0.
  Revision revision = 0;
  bool created = false, canceled = false;
  bool fragment = false;           // more parts of this response follow
  Revision compact_revision = 0;   // canceled because the start was compacted
  std::string_view cancel_reason;  // one of errors.h
  std::uint64_t number = 0;        // 1, 2, ... of its stream, once it is on the wire
  VirtualTime arrived;             // in the client's inbox
  WatchEvents events;
};

}  // namespace ksim::store
