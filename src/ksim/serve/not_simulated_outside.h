// NotSimulatedOutside: whatever clients outside ask for that the cluster does nothing about,
// noticed as it comes to etcd: a Deployment without a controller, a pod that names a ConfigMap
// which is not there, the deletion of a ReplicaSet whose pods stay.
#pragma once
#include <string>
#include <vector>

#include "ksim/scenario/not_simulated.h"
#include "ksim/scenario/scenario.h"
#include "ksim/scenario/world.h"
#include "ksim/store/events.h"

namespace ksim::serve {

class NotSimulatedOutside {
 public:
  // Subscribes itself; both outlive it, and it lives as long as the world's bus is used.
  NotSimulatedOutside(const scenario::Scenario& scenario, scenario::World& world);
  NotSimulatedOutside(const NotSimulatedOutside&) = delete;
  NotSimulatedOutside& operator=(const NotSimulatedOutside&) = delete;

  // In the order in which it was asked for; each message once. `file` is the client's process.
  const std::vector<scenario::NotSimulated>& found() const { return found_; }

 private:
  void OnCommit(const store::CommitPayload& commit);
  void LookAt(const scenario::Step& step, const store::CommitPayload& commit);

  const std::string no_file_;
  scenario::NotSimulatedFinder finder_;
  std::vector<scenario::NotSimulated> found_;
};

}  // namespace ksim::serve
