// Rollouts: the oracles of what the Deployment controller does to the sizes of ReplicaSets. Each
// write that changes one is judged by what the sync that made it can have known.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ksim/check/oracle.h"
#include "ksim/check/sync_views.h"
#include "ksim/value/value.h"

namespace ksim::check {

// A Deployment's numbers. Source: pkg/controller/deployment/util/deployment_util.go MaxSurge,
// MaxUnavailable, ResolveFenceposts.
struct RolloutNumbers {
  explicit RolloutNumbers(const value::Value& deployment);
  std::int64_t replicas = 0, surge = 0, unavailable = 0;
  bool rolls = false;  // RollingUpdate, not Recreate
  bool paused = false;
};

// A ReplicaSet's.
struct SetNumbers {
  explicit SetNumbers(const value::Value& set);
  std::int64_t size = 0, replicas = 0, available = 0;
  std::int64_t desired = -1;  // by its annotation; -1: it has none
};

class Rollouts : public Oracle {
 public:
  explicit Rollouts(const OracleInfo& info) : Oracle(info) {}
  void On(const Facts& facts, const Observation& o) final;

 protected:
  // A change of a ReplicaSet's size by the Deployment controller.
  struct Resize {
    Resize(const Facts& f, const Observation& commit, const SyncViews::Sync& by)
        : facts(f), o(commit), sync(by), before(*commit.before), after(*commit.after) {}
    const Facts& facts;
    const Observation& o;
    const SyncViews::Sync& sync;
    SetNumbers before, after;
    std::vector<RolloutNumbers> deployment;       // as it may have been known
    std::vector<std::vector<SetNumbers>> others;  // its other ReplicaSets, likewise: never empty
  };
  virtual void OnResize(const Resize& resize) = 0;
  // Whether the size of the whole may have changed: then the sizes follow in shares.
  static bool MayScale(const Resize& resize);
};

}  // namespace ksim::check
