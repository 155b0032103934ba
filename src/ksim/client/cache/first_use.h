// FirstUse: a part of a process that begins when the cluster has something for it to do. Upstream
// lists and watches everything from the start; here a list of nothing and a watch that is silent
// would make every run dearer, so what concerns kinds that most clusters have no object of begins
// at the first one (docs/fidelity.md).
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ksim/api/kinds.h"
#include "ksim/client/client.h"
#include "ksim/client/informer.h"
#include "ksim/sim/process.h"
#include "ksim/sim/task.h"

namespace ksim::client {

class FirstUse {
 public:
  // Process, environment and informers outlive it.
  FirstUse(sim::Process& process, Environment& env, InformerFactory& informers);

  // Calls `begin`, which registers handlers, and then `work`, which spawns workers, once there has
  // been an object of one of the kinds: at once if there has, before the process' informers start;
  // else in a task of its own, which starts the informers that `begin` asked for, and waits until
  // their caches are filled: upstream's have been for long. `part` as for Process::Spawn; `work`
  // may be null.
  void Begin(std::vector<const api::ResourceInfo*> kinds, std::string part,
             std::function<void()> begin, std::function<void()> work);
  bool begun() const { return begun_; }

 private:
  bool IsThere() const;
  bool HaveSynced() const;
  void Look();
  static sim::Task<void> Run(FirstUse* self);

  sim::Process& process_;
  Environment& env_;
  InformerFactory& informers_;
  std::vector<const api::ResourceInfo*> kinds_;
  std::string part_;
  std::function<void()> begin_, work_;
  std::uint64_t cause_ = 0;  // of the process' start
  bool begun_ = false;
  std::shared_ptr<const void> listener_;
};

}  // namespace ksim::client
