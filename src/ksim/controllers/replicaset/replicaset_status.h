// ReplicaSet status: what a sync writes about the pods it has seen.
//
// Source: pkg/controller/replicaset/replica_set_utils.go calculateStatus, updateReplicaSetStatus,
// SetCondition.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/api/status.h"
#include "ksim/client/client.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/sim/task.h"
#include "ksim/value/value.h"

namespace ksim::controllers {

struct ReplicaSetStatus {
  ReplicaSetStatus() = default;
  std::int64_t replicas = 0;
  std::int64_t fully_labeled = 0;
  std::int64_t ready = 0;
  std::int64_t available = 0;
  std::optional<std::int64_t> terminating;  // absent where the profile has no such field
  std::int64_t observed_generation = 0;
  value::Value conditions;  // array, or null

  static ReplicaSetStatus From(const api::Object& replica_set);
  // As Go encodes it: zero counts other than `replicas` are left out.
  value::Value ToTree() const;
  // Equal in all that a write is made for: counts and conditions, not observedGeneration.
  bool SameCounts(const ReplicaSetStatus& o) const;
};

struct StatusInput {
  StatusInput() = default;
  std::vector<api::Object> active;       // claimed, as listed before manageReplicas
  std::vector<api::Object> terminating;  // claimed, being deleted, not finished
  std::optional<api::Status> manage_error;
  VirtualTime now;
  const Profile* profile = nullptr;  // never null
  bool counts_terminating = true;    // where the profile has the field
};
ReplicaSetStatus CalculateStatus(const api::Object& replica_set, const StatusInput& input);

// PUTs the status unless nothing changed; after an error one live GET and one more PUT of the same
// computed status. Answers with the object as it stands afterwards.
sim::Task<client::Client::ObjectResult> UpdateReplicaSetStatus(client::Client& client,
                                                               const api::ResourceInfo* resource,
                                                               api::Object replica_set,
                                                               ReplicaSetStatus status);

}  // namespace ksim::controllers
