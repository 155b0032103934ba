// The ReplicaSets of a Deployment: which is the new one, in which order they come, and sums over
// them. An empty object stands for a new one that is not there yet.
//
// Source: pkg/controller/deployment/util/deployment_util.go (FindNewReplicaSet, FindOldReplicaSets,
// FindActiveOrLatest, IsSaturated, Get*ReplicaCountForReplicaSets); pkg/controller/
// controller_utils.go (FilterActiveReplicaSets, ReplicaSetsBy*).
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/controllers/common/profile.h"

namespace ksim::controllers::deployment {

using ReplicaSetList = std::vector<api::Object>;

inline std::int64_t SizeOf(const api::Object& set) { return set.spec().Get("replicas").AsInt(); }
inline std::int64_t AvailableOf(const api::Object& set) {
  return set.status().Get("availableReplicas").AsInt();
}

// The new ReplicaSet and all others.
struct NewAndOld {
  NewAndOld() = default;
  api::Object latest;  // empty: not there yet
  ReplicaSetList old;
  ReplicaSetList All() const;  // the old ones, then the new one, even if it is empty
};

// By age, then by name: the oldest first.
bool IsOlder(const api::Object& a, const api::Object& b);
void SortByAge(ReplicaSetList* sets);

// The oldest one that has the Deployment's template; empty if there is none.
api::Object FindNewReplicaSet(const api::Object& deployment, const ReplicaSetList& by_age,
                              const Profile& profile);
// All but that one, in the order given.
ReplicaSetList FindOldReplicaSets(const ReplicaSetList& sets, const api::Object& latest);
// Those that are to have pods.
ReplicaSetList ActiveOf(const ReplicaSetList& sets);
// The one that has pods, or the latest if none has; empty if several have, or there are none.
api::Object FindActiveOrLatest(const NewAndOld& sets);
// The new one has all the pods that the Deployment wants, and they are available.
bool IsSaturated(const api::Object& deployment, const api::Object& latest);

std::int64_t SumOfSizes(const ReplicaSetList& sets);      // spec.replicas
std::int64_t SumOfReplicas(const ReplicaSetList& sets);   // status.replicas
std::int64_t SumOfReady(const ReplicaSetList& sets);      // status.readyReplicas
std::int64_t SumOfAvailable(const ReplicaSetList& sets);  // status.availableReplicas
// status.terminatingReplicas; nullopt if one that has been synced does not say.
std::optional<std::int64_t> SumOfTerminating(const ReplicaSetList& sets);

}  // namespace ksim::controllers::deployment
