#include "ksim/controllers/tainteviction/timed_workers.h"

#include "ksim/sim/simulation.h"

namespace ksim::controllers {

void TimedWorkers::Add(const std::string& key, VirtualTime created_at, VirtualTime fire_at) {
  const auto [it, added] = workers_.try_emplace(key);
  if (!added) return;
  Worker& worker = it->second;
  worker.created_at = created_at;
  const Duration delay = fire_at - created_at;
  if (delay <= Duration()) {
    process_.Spawn(Run(key), part_);
    return;
  }
  worker.timed = true;
  worker.waiting = process_.Spawn(WaitAndRun(key, delay), part_);
}

bool TimedWorkers::Cancel(const std::string& key) {
  const auto it = workers_.find(key);
  if (it == workers_.end()) return false;
  const Worker worker = it->second;
  workers_.erase(it);
  if (worker.waiting) process_.Cancel(*worker.waiting);
  return worker.timed;
}

std::optional<VirtualTime> TimedWorkers::CreatedAt(const std::string& key) const {
  const auto it = workers_.find(key);
  if (it == workers_.end() || !it->second.timed) return std::nullopt;
  return it->second.created_at;
}

sim::Task<void> TimedWorkers::WaitAndRun(std::string key, Duration delay) {
  co_await process_.simulation().Sleep(delay, sim::TimerKind::kWork, "taint eviction");
  const auto it = workers_.find(key);
  if (it != workers_.end()) it->second.waiting.reset();
  co_await Run(std::move(key));
}

// A key that was freed and taken again meanwhile is written over, as upstream does: the newer timer
// then runs and cannot be cancelled.
sim::Task<void> TimedWorkers::Run(std::string key) {
  const bool done = co_await work_(key);
  if (!done || forgets_done_)
    workers_.erase(key);
  else
    workers_[key] = Worker();
}

}  // namespace ksim::controllers
