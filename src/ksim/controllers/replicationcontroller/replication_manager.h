// The controller of ReplicationControllers: the ReplicaSet controller for the older kind, whose
// selector is a map of labels.
//
// Source: pkg/controller/replication/replication_controller.go, conversion.go.
#pragma once
#include <utility>

#include "ksim/controllers/replicaset/replicaset_controller.h"

namespace ksim::controllers {

inline constexpr ReplicaKind kReplicationControllers = {
    .kind = "ReplicationController",
    .group = "",
    .resource = "replicationcontrollers",
    .account = "replication-controller",
    .selector_is_map = true,
    .reads_own_writes = false,
    .counts_terminating = false,
};

class ReplicationManager : public ReplicaSetController {
 public:
  explicit ReplicationManager(ControllerContext context)
      : ReplicaSetController(std::move(context), kReplicationControllers) {}
};

}  // namespace ksim::controllers
