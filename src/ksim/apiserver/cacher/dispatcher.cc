#include "ksim/apiserver/cacher/dispatcher.h"

#include <algorithm>
#include <utility>

#include "ksim/sim/probe.h"

namespace ksim::apiserver {

Dispatcher::Dispatcher(sim::Process& process, const api::ResourceInfo& resource,
                       const api::Variants& variants)
    : process_(process),
      sim_(process.simulation()),
      resource_(resource),
      delete_rv_(variants.event_delete_rv),
      budget_(process.SteadyNow()),
      room_(sim_),
      advanced_(sim_) {}

void Dispatcher::Forget(std::uint64_t stream) {
  watchers_.Remove(stream);
  draining_.erase(stream);
}

CacheWatcher* Dispatcher::Find(std::uint64_t stream) const {
  const auto draining = draining_.find(stream);
  return draining != draining_.end() ? draining->second.get() : watchers_.Find(stream);
}

void Dispatcher::StopAll(std::string_view reason) {
  for (std::unique_ptr<CacheWatcher>& watcher : watchers_.TakeAll())
    End(std::move(watcher), reason);
  for (const auto& [id, watcher] : draining_) watcher->NoMoreBookmarks();
}

void Dispatcher::End(std::unique_ptr<CacheWatcher> watcher, std::string_view reason) {
  watcher->Stop(reason);
  const std::uint64_t id = watcher->id();
  if (watcher->is_behind()) draining_[id] = std::move(watcher);
}

void Dispatcher::Dispatch(const CacheEvent& event) {
  if (blocked_) {
    incoming_.Push(event);
  } else {
    DispatchNow(event);
  }
}

void Dispatcher::DispatchNow(const CacheEvent& event) {
  if (event.type != api::WatchEventType::kBookmark) {
    ConvertedEvent change(event, resource_, delete_rv_);
    for (CacheWatcher* watcher : watchers_.Interested(event))
      if (!watcher->Offer(change)) slow_.push_back(watcher->id());
  }
  if (slow_.empty()) {
    last_dispatched_ = event.revision;
    return;
  }
  current_ = std::make_unique<CacheEvent>(event);
  if (!blocked_) process_.Spawn(WaitForSlowWatchers());
  blocked_ = true;
}

// Runs until no watcher is slow and all changes that waited have been dispatched.
sim::Task<void> Dispatcher::WaitForSlowWatchers() {
  while (!slow_.empty()) {
    KSIM_PROBE("apiserver/dispatcher-waits-for-a-slow-watcher");
    sim_.context().background = false;
    const VirtualTime begun = process_.SteadyNow();
    const VirtualTime until = begun + budget_.TakeAll(begun);
    while (!slow_.empty() && process_.SteadyNow() < until) {
      co_await room_.WaitFor(until - process_.SteadyNow(), sim::TimerKind::kWork);
    }
    EndSlowWatchers();
    budget_.Return(until - process_.SteadyNow());
    last_dispatched_ = current_->revision;
    while (slow_.empty() && !incoming_.empty()) {
      const CacheEvent next = incoming_.Pop();
      sim_.AdoptOrigin(next.origin);
      DispatchNow(next);
    }
    advanced_.Notify();
  }
  blocked_ = false;
}

void Dispatcher::EndSlowWatchers() {
  for (const std::uint64_t id : std::exchange(slow_, {})) {
    std::unique_ptr<CacheWatcher> watcher = watchers_.Remove(id);
    if (watcher == nullptr) continue;
    KSIM_PROBE("apiserver/slow-watcher-ended");
    End(std::move(watcher), "slow");
  }
}

void Dispatcher::Resume(std::uint64_t stream) {
  const auto drained = draining_.find(stream);
  if (drained != draining_.end()) return drained->second->Resume();
  CacheWatcher* const watcher = watchers_.Find(stream);
  if (watcher == nullptr) return;
  watcher->Resume();
  const auto slow = std::find(slow_.begin(), slow_.end(), stream);
  if (slow == slow_.end()) return;
  ConvertedEvent change(*current_, resource_, delete_rv_);
  if (!watcher->Offer(change)) return;
  slow_.erase(slow);
  if (slow_.empty()) room_.Notify();
}

}  // namespace ksim::apiserver
