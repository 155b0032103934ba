// TimedWorkers: evictions that wait for their time, one a pod, by the pod's namespace and name.
//
// An eviction that is due runs in a task of its own. Until its pod is known to be gone the key of
// one that has succeeded stays taken, up to 1.30: the pod is not evicted a second time. In 1.36 a
// key is free again once its eviction has run.
//
// Source: pkg/controller/tainteviction/timed_workers.go TimedWorkerQueue.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "absl/container/btree_map.h"
#include "ksim/sim/process.h"
#include "ksim/sim/task.h"

namespace ksim::controllers {

class TimedWorkers {
 public:
  // True: the pod is deleted.
  using Work = std::function<sim::Task<bool>(std::string key)>;
  TimedWorkers(sim::Process& process, std::string part, bool forgets_done, Work work)
      : process_(process),
        part_(std::move(part)),
        forgets_done_(forgets_done),
        work_(std::move(work)) {}

  // Runs the work at `fire_at`, as counted from `created_at`; at once if that is not later. A key
  // that is there already keeps what it has.
  void Add(const std::string& key, VirtualTime created_at, VirtualTime fire_at);
  // Forgets the key; true if it had a timer. Work that has begun goes on.
  bool Cancel(const std::string& key);
  // When the work was added whose time is still to come, or that is under way since its time came;
  // nullopt if there is none.
  std::optional<VirtualTime> CreatedAt(const std::string& key) const;

 private:
  struct Worker {
    VirtualTime created_at;
    bool timed = false;  // it has or had a timer; not once its work has succeeded
    std::optional<sim::Process::TaskId> waiting;
  };
  sim::Task<void> WaitAndRun(std::string key, Duration delay);
  sim::Task<void> Run(std::string key);

  sim::Process& process_;
  std::string part_;
  bool forgets_done_;
  Work work_;
  absl::btree_map<std::string, Worker> workers_;
};

}  // namespace ksim::controllers
