// Revisions: the annotations by which a Deployment counts its ReplicaSets, remembers which
// revisions each of them has been, and tells a change of its size from a step of a rollout.
//
// Source: pkg/controller/deployment/util/deployment_util.go (SetNewReplicaSetAnnotations,
// copyDeploymentAnnotationsToReplicaSet, SetReplicasAnnotations, MaxRevision, LastRevision,
// SetDeploymentAnnotationsTo); pkg/controller/deployment/rollback.go getRollbackTo.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ksim/api/object.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/controllers/deployment/replica_sets.h"

namespace ksim::controllers::deployment {

inline constexpr const char* kTemplateHashLabel = "pod-template-hash";
inline constexpr const char* kRevisionAnnotation = "deployment.kubernetes.io/revision";
inline constexpr const char* kRevisionHistoryAnnotation =
    "deployment.kubernetes.io/revision-history";
inline constexpr const char* kDesiredReplicasAnnotation =
    "deployment.kubernetes.io/desired-replicas";
inline constexpr const char* kMaxReplicasAnnotation = "deployment.kubernetes.io/max-replicas";
inline constexpr const char* kRollbackAnnotation = "deprecated.deployment.rollback.to";
// maxRevHistoryLengthInChars
inline constexpr std::size_t kMaxRevisionHistoryChars = 2000;

// 0 without the annotation; nullopt if it is no number.
std::optional<std::int64_t> RevisionOf(const api::Object& set);
std::int64_t MaxRevision(const ReplicaSetList& sets);
// The second highest; 0 if there is none.
std::int64_t LastRevision(const ReplicaSetList& sets);
// By revision, then by age.
void SortByRevision(ReplicaSetList* sets);

// The object with the annotation; the same object if it has it.
api::Object WithAnnotation(const api::Object& object, std::string_view name, std::string_view text);

// A ReplicaSet with the annotations that the new one of the Deployment has: those of the
// Deployment, the revision, and with `fresh`, which means that it is about to be created, its
// sizes. The same object if nothing changes.
api::Object WithNewSetAnnotations(const api::Object& deployment, const api::Object& set,
                                  std::int64_t revision, bool fresh,
                                  std::size_t max_history = kMaxRevisionHistoryChars);

// desired-replicas and max-replicas of the Deployment as it is.
bool NeedsReplicasAnnotations(const api::Object& deployment, const api::Object& set);
api::Object WithReplicasAnnotations(const api::Object& deployment, const api::Object& set);
// The number in one of the two; nullopt if there is none.
std::optional<std::int64_t> ReplicasAnnotation(const api::Object& set, std::string_view name,
                                               const Profile& profile);

// The revision that an old client wants back; nullopt if nobody does.
std::optional<std::int64_t> RollbackRevision(const api::Object& deployment);
// The Deployment with the annotations of a ReplicaSet in place of its own.
api::Object WithAnnotationsOf(const api::Object& deployment, const api::Object& set);

}  // namespace ksim::controllers::deployment
