// Dispatcher: offers each change of one cache to its watchers, one change after the other. If the
// queue of a watcher is full, the dispatcher waits as long as its time budget allows and then ends
// the watcher; later changes wait meanwhile (WATCH-28). While no watcher is slow, it is a loop over
// the watchers that the change concerns.
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
  static constexpr std::size_t kIncoming = 100;  // changes that may wait before the cacher waits

  Dispatcher(sim::Process& process, const api::ResourceInfo& resource,
             const api::Variants& variants);
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  void Add(std::unique_ptr<CacheWatcher> watcher) { watchers_.Add(std::move(watcher)); }
  void Forget(std::uint64_t stream);  // sends it nothing more
  // A watcher that receives changes, or that drains its backlog; null if there is none.
  CacheWatcher* Find(std::uint64_t stream) const;
  // Ends all watchers, each after the events that its client may still read, without bookmarks.
  void StopAll(std::string_view reason);
  std::size_t size() const { return watchers_.size(); }

  // Dispatches a change; an event of type kBookmark says that there is none up to its revision.
  void Dispatch(const CacheEvent& event);
  // Goes on sending to a client that reads again.
  void Resume(std::uint64_t stream);

  // Revision of the last change or progress dispatched; 0 before the first.
  std::int64_t last_dispatched() const { return last_dispatched_; }
  void StartAt(std::int64_t revision) { last_dispatched_ = revision; }

  // Whether the dispatcher waits for a slow watcher; and whether so many changes wait that the
  // cacher should not process the next one.
  bool blocked() const { return blocked_; }
  bool full() const { return incoming_.size() >= kIncoming; }
  // Await it in a loop: while (blocked()) co_await WaitForAdvance();
  sim::Signal::Waiter WaitForAdvance() { return advanced_.Wait(); }

 private:
  void DispatchNow(const CacheEvent& event);
  sim::Task<void> WaitForSlowWatchers();
  void EndSlowWatchers();
  void End(std::unique_ptr<CacheWatcher> watcher, std::string_view reason);

  sim::Process& process_;
  sim::Simulation& sim_;
  const api::ResourceInfo& resource_;
  api::Variants::DeleteRV delete_rv_;
  WatcherIndex watchers_;
  absl::btree_map<std::uint64_t, std::unique_ptr<CacheWatcher>> draining_;  // ended, not yet read
  std::int64_t last_dispatched_ = 0;
  TimeBudget budget_;

  bool blocked_ = false;
  std::unique_ptr<CacheEvent> current_;  // the change that slow watchers have no room for
  std::vector<std::uint64_t> slow_;      // in the order in which they were opened
  sim::Fifo<CacheEvent> incoming_;       // the changes after it
  sim::Signal room_, advanced_;
};

}  // namespace ksim::apiserver
