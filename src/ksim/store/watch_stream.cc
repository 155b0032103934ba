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
  hub_.Forget(this);
}

WatchResponse WatchStream::Answer(WatchId id) const {
  WatchResponse response;
  response.watch_id = id;
  response.revision = hub_.mvcc().revision();
  return response;
}

void WatchStream::Push(WatchResponse&& response, bool of_store) {
  queue_.emplace_back(std::move(response), of_store);
  if (of_store) ++queued_of_store_;
  if (on_ready_) on_ready_();
}

bool WatchStream::Offer(WatchResponse&& response) {
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
  const bool above_all = watchers_.empty() || watchers_.rbegin()->first < next_id_;  // mostly
  while (!above_all && watchers_.contains(next_id_)) ++next_id_;
  return next_id_++;
}

WatchId WatchStream::Watch(WatchRequest request) {
  if (request.start_revision < 0) return Refuse(kCompactedReason);
  auto watcher = std::make_unique<Watcher>();
  Watcher& w = *watcher;
  w.key = request.key.empty() ? SharedText(std::string_view("\0", 1)) : std::move(request.key);
  w.end = std::move(request.range_end);
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
  watchers_.emplace_hint(watchers_.end(), w.id, std::move(watcher));
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

// A response of several events can be too large for one message. This takes off the longest part
// that fits, at least one event. Nothing if it may go whole.
std::optional<WatchResponse> WatchStream::SplitFront() {
  WatchResponse& whole = queue_[taken_].response;
  const auto watcher = watchers_.find(whole.watch_id);
  if (watcher == watchers_.end() || !watcher->second->fragment) return std::nullopt;
  if (EncodedSize(whole) < kMaxMessageBytes) return std::nullopt;
  WatchResponse part = Answer(whole.watch_id);
  part.revision = whole.revision;
  part.fragment = true;
  std::size_t bytes = EncodedSize(part), taken = 0;
  for (const WatchEvent& e : whole.events) {
    bytes += EncodedSize(e);
    if (taken > 0 && bytes >= kMaxMessageBytes) break;
    ++taken;
  }
  if (taken == whole.events.size()) return std::nullopt;
  part.events = whole.events.Slice(0, taken);
  whole.events = whole.events.Slice(taken, whole.events.size());
  return part;
}

std::optional<WatchResponse> WatchStream::Next() {
  if (size() == 0) return std::nullopt;
  std::optional<WatchResponse> response;
  if (queue_[taken_].response.events.size() > 1) response = SplitFront();
  if (!response) {
    response.emplace(std::move(queue_[taken_].response));
    TakeFront();
  }
  ForgetCompacted(&response->events);
  return response;
}

// A previous version that was compacted in the meantime is not told. STORE-73.
void WatchStream::ForgetCompacted(WatchEvents* events) const {
  for (std::size_t i = 0; i < events->size(); ++i) {
    const WatchEvent& e = (*events)[i];
    if (e.prev_kv && e.kv.mod_revision() - 1 < hub_.mvcc().compact_revision())
      events->Own(i).prev_kv = KeyValue();
  }
}

// Removes what was taken once no more than that is left, so that a taking costs at most one move.
void WatchStream::TakeFront() {
  if (queue_[taken_++].of_store && queued_of_store_-- == kWatchStreamBuffer && !victims_.empty())
    hub_.HasRoom(this);
  if (taken_ == queue_.size()) {
    queue_.clear();
    taken_ = 0;
  } else if (2 * taken_ >= queue_.size()) {
    queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(taken_));
    taken_ = 0;
  }
}

}  // namespace ksim::store
