// Dispatcher: tells the watchers of one cache of each change, one change after the other. Where a
// watcher has no room for one it waits for that, as long as its budget allows, and then ends the
// watcher; what comes meanwhile waits (WATCH-28). While nobody is slow it is a loop over those whom
// the change concerns.
//
// Source: apiserver pkg/storage/cacher/cacher.go dispatchEvents, dispatchEvent, finishDispatching.
#pragma once
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/container/btree_map.h"
#include "ksim/api/variants.h"
#include "ksim/apiserver/cacher/time_budget.h"
#include "ksim/apiserver/cacher/watcher_index.h"
#include "ksim/sim/internal/fifo.h"
#include "ksim/sim/mailbox.h"
#include "ksim/sim/process.h"

namespace ksim::apiserver {

class Dispatcher {
 public:
  static constexpr std::size_t kIncoming = 100;  // what may wait before the cache waits too

  Dispatcher(sim::Process& process, const api::ResourceInfo& resource,
             const api::Variants& variants);
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  void Add(std::unique_ptr<CacheWatcher> watcher) { watchers_.Add(std::move(watcher)); }
  void Forget(std::uint64_t stream);  // ended; nothing more is sent
  // One that is told of changes or has yet to send some; null if there is none.
  CacheWatcher* Find(std::uint64_t stream) const;
  // Ends all, each after what its client may still read, without further bookmarks.
  void StopAll(std::string_view reason);
  std::size_t size() const { return watchers_.size(); }

  // A change, or with type kBookmark a revision up to which there is none.
  void Tell(const CacheEvent& event);
  // The client of a watch reads again.
  void Resume(std::uint64_t stream);

  // Revision of the last change or progress told; 0 before the first.
  std::int64_t last_told() const { return last_told_; }
  void StartAt(std::int64_t revision) { last_told_ = revision; }

  // It waits for a slow watcher. Full: and the cache should wait with the next change.
  bool waiting() const { return waiting_; }
  bool full() const { return incoming_.size() >= kIncoming; }
  sim::Signal::Waiter Moved() { return moved_.Wait(); }  // while (waiting()) co_await Moved();

 private:
  void TellNow(const CacheEvent& event);
  sim::Task<void> WaitForSlow();
  void EndSlow();
  void End(std::unique_ptr<CacheWatcher> watcher, std::string_view reason);

  sim::Process& process_;
  sim::Simulation& sim_;
  const api::ResourceInfo& resource_;
  api::Variants::DeleteRV delete_rv_;
  WatcherIndex watchers_;
  absl::btree_map<std::uint64_t, std::unique_ptr<CacheWatcher>> draining_;  // ended, not yet read
  std::int64_t last_told_ = 0;
  TimeBudget budget_;

  bool waiting_ = false;
  std::unique_ptr<CacheEvent> current_;  // what the slow ones have no room for
  std::vector<std::uint64_t> slow_;      // in the order in which they were opened
  sim::Fifo<CacheEvent> incoming_;       // what came since
  sim::Signal room_, moved_;
};

}  // namespace ksim::apiserver
