// Progress: whether a rollout is complete, goes on, or has stood still for longer than its
// deadline.
//
// Source: pkg/controller/deployment/progress.go (syncRolloutStatus, requeueStuckDeployment);
// pkg/controller/deployment/util/deployment_util.go (DeploymentComplete, DeploymentProgressing,
// DeploymentTimedOut).
#pragma once
#include <optional>

#include "ksim/api/object.h"
#include "ksim/base/time.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/controllers/deployment/deployment_status.h"
#include "ksim/controllers/deployment/replica_sets.h"

namespace ksim::controllers::deployment {

// All pods that the Deployment wants are of the new template and available, and there are no
// others.
bool IsComplete(const api::Object& deployment, const DeploymentStatus& status);
// There are more new pods, more that are ready or available, or fewer old ones than before.
bool IsProgressing(const DeploymentStatus& before, const DeploymentStatus& after);
// It has made no progress for longer than its deadline, or has said so before.
bool HasTimedOut(const api::Object& deployment, const DeploymentStatus& status, VirtualTime now);

// The status that a sync of a rollout writes.
DeploymentStatus RolloutStatus(const api::Object& deployment, const NewAndOld& sets,
                               const Profile& profile, VirtualTime now);

// How long a rollout that stands still has left until its deadline; negative if that is over.
// nullopt: nobody waits for it. `after` is the status that a sync came to.
std::optional<Duration> TimeToDeadline(const api::Object& deployment, const DeploymentStatus& after,
                                       VirtualTime now);

}  // namespace ksim::controllers::deployment
