#include "ksim/store/watch_stream.h"

#include <utility>

#include "ksim/store/encoded_size.h"
#include "ksim/store/errors.h"
#include "ksim/store/request_check.h"

namespace ksim::store {

WatchStream::WatchStream(WatchHub& hub, std::function<void()> on_ready)
    : hub_(hub), on_ready_(std::move(on_ready)) {}

WatchStream::~WatchStream() {
  for (const auto& [id, watcher] : watchers_) hub_.Remove(watcher.get());
}

WatchResponse WatchStream::Answer(WatchId id) const {
  WatchResponse response;
  response.watch_id = id;
  response.revision = hub_.mvcc().revision();
  return response;
}

void WatchStream::Push(WatchResponse response, bool of_store) {
  queue_.push_back({std::move(response), of_store});
  if (of_store) ++queued_of_store_;
  if (on_ready_) on_ready_();
}

bool WatchStream::Offer(WatchResponse response) {
  if (queued_of_store_ >= kWatchStreamBuffer) return false;
  Push(std::move(response), true);
  return true;
}

WatchId WatchStream::Refuse(const char* reason) {
  WatchResponse response = Answer(kInvalidWatchId);
  response.created = true;
  response.canceled = true;
  response.cancel_reason = reason;
  Push(std::move(response), false);
  return kInvalidWatchId;
}

WatchId WatchStream::PickId(WatchId wanted) {
  if (wanted != 0) return watchers_.contains(wanted) ? kInvalidWatchId : wanted;
  while (watchers_.contains(next_id_)) ++next_id_;
  return next_id_++;
}

WatchId WatchStream::Watch(const WatchRequest& request) {
  if (request.start_revision < 0) return Refuse(kCompactedReason);
  auto watcher = std::make_unique<Watcher>();
  Watcher& w = *watcher;
  w.key = request.key.empty() ? std::string(1, '\0') : request.key;
  w.end = request.range_end;
  if (w.range().inverted()) return Refuse(kEmptyRangeReason);
  w.id = PickId(request.watch_id);
  if (w.id == kInvalidWatchId) return Refuse(kDuplicateWatchIdReason);
  w.stream = this;
  w.start_revision = request.start_revision;
  w.prev_kv = request.prev_kv;
  w.no_put = request.no_put;
  w.no_delete = request.no_delete;
  w.fragment = request.fragment;
  w.progress_notify = request.progress_notify;
  if (w.progress_notify) ++progress_watches_;
  watchers_.emplace(w.id, std::move(watcher));
  hub_.Add(&w);
  WatchResponse response = Answer(w.id);
  response.created = true;
  const WatchId id = w.id;
  Push(std::move(response), false);
  return id;
}

void WatchStream::Cancel(WatchId id) {
  const auto it = watchers_.find(id);
  if (it == watchers_.end()) return;
  hub_.Remove(it->second.get());
  if (it->second->progress_notify) --progress_watches_;
  watchers_.erase(it);
  WatchResponse response = Answer(id);
  response.canceled = true;
  Push(std::move(response), false);
}

bool WatchStream::IsSyncedNow(const Watcher& w) const {
  return w.state == Watcher::State::kSynced && w.start_revision <= hub_.mvcc().revision();
}

void WatchStream::RequestProgress() {
  if (watchers_.empty()) return;
  for (const auto& [id, watcher] : watchers_) {
    if (!IsSyncedNow(*watcher)) return;
  }
  Offer(Answer(kInvalidWatchId));
}

void WatchStream::Tick() {
  for (const auto& [id, watcher] : watchers_) {
    if (!watcher->progress_notify) continue;
    if (watcher->progress_due && IsSyncedNow(*watcher)) Offer(Answer(id));
    watcher->progress_due = true;
  }
}

// A response of several events that is too large for one message: takes off the longest part that
// fits, at least one event. False if it may go whole.
bool WatchStream::SplitFront(WatchResponse* part) {
  WatchResponse& whole = queue_.front().response;
  if (whole.events.size() < 2) return false;
  const auto watcher = watchers_.find(whole.watch_id);
  if (watcher == watchers_.end() || !watcher->second->fragment) return false;
  if (EncodedSize(whole) < kMaxMessageBytes) return false;
  *part = Answer(whole.watch_id);
  part->revision = whole.revision;
  part->fragment = true;
  std::size_t bytes = EncodedSize(*part), taken = 0;
  for (const WatchEvent& e : whole.events) {
    bytes += EncodedSize(e);
    if (taken > 0 && bytes >= kMaxMessageBytes) break;
    ++taken;
  }
  if (taken == whole.events.size()) return false;
  part->events.assign(whole.events.begin(), whole.events.begin() + taken);
  whole.events.erase(whole.events.begin(), whole.events.begin() + taken);
  return true;
}

std::optional<WatchResponse> WatchStream::Next() {
  if (queue_.empty()) return std::nullopt;
  WatchResponse response;
  if (SplitFront(&response)) return response;
  response = std::move(queue_.front().response);
  if (queue_.front().of_store) --queued_of_store_;
  queue_.pop_front();
  return response;
}

}  // namespace ksim::store
