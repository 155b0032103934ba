// WorkloadActivity: whether anybody but the user wrote something of the workload. In a run in which
// nobody did, the oracles saw no more than that objects were made: nothing of their promises could
// have been broken by a controller.
//
// Writes that a cluster makes whatever the user does are none of it: nodes, leases, Events, and the
// service account and root certificate of a namespace.
#pragma once
#include "ksim/sim/bus.h"

namespace ksim::scenario {

class WorkloadActivity {
 public:
  // Subscribes itself; must live as long as the bus is used.
  WorkloadActivity(sim::Bus& bus, sim::ActorId user);
  WorkloadActivity(const WorkloadActivity&) = delete;
  WorkloadActivity& operator=(const WorkloadActivity&) = delete;

  bool any() const { return any_; }

 private:
  void OnCommit(const sim::Event& e);

  sim::ActorId user_;
  bool user_wrote_ = false;
  bool any_ = false;
};

}  // namespace ksim::scenario
