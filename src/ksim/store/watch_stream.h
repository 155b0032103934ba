// WatchStream: the server's end of one watch stream. Takes create, cancel and progress requests and
// queues responses for the client, which takes them one by one. Responses of the store (events,
// compacted, progress) find the stream full from 128 on; answers to requests always fit.
//
// Source: server/etcdserver/api/v3rpc/watch.go (serverWatchStream), mvcc/watcher.go (watchStream).
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "absl/container/btree_map.h"
#include "ksim/store/watch_hub.h"
#include "ksim/store/watch_request.h"

namespace ksim::store {

inline constexpr std::size_t kWatchStreamBuffer = 128;

class WatchStream {
 public:
  // `on_ready` is called after every response queued; it may take them, and nothing else. May be
  // null. The hub must outlive the stream.
  WatchStream(WatchHub& hub, std::function<void()> on_ready);
  ~WatchStream();  // closes all its watches
  WatchStream(const WatchStream&) = delete;
  WatchStream& operator=(const WatchStream&) = delete;

  // Answers with a created response, which a refused watch has canceled too (id -1 and a reason).
  // Returns the watch's id, or kInvalidWatchId.
  WatchId Watch(WatchRequest request);
  // Answers with a canceled response; an unknown id gets no answer.
  void Cancel(WatchId id);
  // Answers with a progress response for all watches of the stream, if all are synced and none
  // waits for a future revision; otherwise with nothing. STORE-80.
  void RequestProgress();
  // The stream's ticker: progress for each watch with progress_notify that had no event since the
  // last tick. STORE-81.
  void Tick();
  bool wants_ticks() const { return progress_watches_ > 0; }

  std::optional<WatchResponse> Next();  // nullopt: nothing is queued
  std::size_t size() const { return queue_.size() - taken_; }

  // For the hub: queues a response of the store. False if the stream is full; then it is not taken.
  bool Offer(WatchResponse&& response);
  WatcherList& victims() { return victims_; }

 private:
  struct Queued {
    Queued(WatchResponse&& r, bool s) : response(std::move(r)), of_store(s) {}
    WatchResponse response;
    bool of_store;  // counts towards the limit
  };
  WatchResponse Answer(WatchId id) const;
  void Push(WatchResponse&& response, bool of_store);
  void TakeFront();
  void ForgetCompacted(WatchEvents* events) const;
  WatchId Refuse(const char* reason);
  WatchId PickId(WatchId wanted);  // kInvalidWatchId: taken
  bool IsSyncedNow(const Watcher& w) const;
  std::optional<WatchResponse> SplitFront();

  WatchHub& hub_;
  std::function<void()> on_ready_;
  absl::btree_map<WatchId, std::unique_ptr<Watcher>> watchers_;
  WatchId next_id_ = 0;
  int progress_watches_ = 0;
  std::vector<Queued> queue_;
  std::size_t taken_ = 0;  // of the queue's front, and not removed yet
  std::size_t queued_of_store_ = 0;
  WatcherList victims_;
};

}  // namespace ksim::store
