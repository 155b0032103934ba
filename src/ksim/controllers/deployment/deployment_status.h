// The status of a Deployment: sums over its ReplicaSets, and conditions.
//
// Source: pkg/controller/deployment/sync.go calculateStatus; pkg/controller/deployment/util/
// deployment_util.go (SetDeploymentCondition, RemoveDeploymentCondition,
// ReplicaSetToDeploymentCondition).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ksim/api/object.h"
#include "ksim/base/time.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/controllers/deployment/replica_sets.h"
#include "ksim/value/value.h"

namespace ksim::controllers::deployment {

inline constexpr const char* kProgressing = "Progressing";
inline constexpr const char* kDeploymentReplicaFailure = "ReplicaFailure";

// The reasons of the condition Progressing.
inline constexpr std::string_view kNewReplicaSetCreated = "NewReplicaSetCreated";
inline constexpr std::string_view kFoundNewReplicaSet = "FoundNewReplicaSet";
inline constexpr std::string_view kReplicaSetUpdated = "ReplicaSetUpdated";
inline constexpr std::string_view kNewReplicaSetAvailable = "NewReplicaSetAvailable";
inline constexpr std::string_view kProgressDeadlineExceeded = "ProgressDeadlineExceeded";
inline constexpr std::string_view kReplicaSetCreateError = "ReplicaSetCreateError";
inline constexpr std::string_view kDeploymentPaused = "DeploymentPaused";
inline constexpr std::string_view kDeploymentResumed = "DeploymentResumed";

struct DeploymentStatus {
  DeploymentStatus() = default;
  std::int64_t observed_generation = 0;
  std::int64_t replicas = 0;
  std::int64_t updated = 0;
  std::int64_t ready = 0;
  std::int64_t available = 0;
  std::int64_t unavailable = 0;
  std::optional<std::int64_t> terminating;
  std::optional<std::int64_t> collisions;
  value::Value conditions;  // array, or null

  static DeploymentStatus From(const api::Object& deployment);
  value::Value ToTree() const;  // as Go encodes it: zeros are left out
  friend bool operator==(const DeploymentStatus&, const DeploymentStatus&);

  // Null if there is none. The reason of none is "".
  const value::Value* Condition(std::string_view type) const;
  std::string_view ProgressingReason() const;
  // Does nothing if there is one of the same status and reason; else it goes to the end of the
  // list, with the time of the former's transition if the status stays.
  void SetCondition(value::Value condition);
  void RemoveCondition(std::string_view type);
};

// The deployment with that status.
api::Object WithStatus(const api::Object& deployment, const DeploymentStatus& status);

// A condition of now.
value::Value MakeDeploymentCondition(std::string_view type, std::string_view status,
                                     std::string_view reason, const std::string& message,
                                     VirtualTime now);
// The failure that a ReplicaSet tells, as a condition of its Deployment: the new one's, else that
// of the first old one that has any. Null: none.
value::Value FailureOf(const NewAndOld& sets);

DeploymentStatus CalculateDeploymentStatus(const api::Object& deployment, const NewAndOld& sets,
                                           const Profile& profile, VirtualTime now);

}  // namespace ksim::controllers::deployment
