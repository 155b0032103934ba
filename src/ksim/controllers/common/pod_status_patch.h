// How controllers write part of a pod's status: a strategic merge patch of what differs, for that
// very pod (its uid is a precondition).
//
// Source: pkg/util/pod/pod.go PatchPodStatus; pkg/api/v1/pod/util.go UpdatePodCondition,
// CalculatePodConditionObservedGeneration.
#pragma once
#include <optional>
#include <string_view>

#include "ksim/api/object.h"
#include "ksim/api/status.h"
#include "ksim/client/client.h"
#include "ksim/controllers/common/profile.h"
#include "ksim/sim/task.h"

namespace ksim::controllers {

// The condition DisruptionTarget, True, as a pod gets it that is about to be deleted.
value::Value DisruptionTarget(const api::Object& pod, std::string_view reason,
                              std::string_view message, const Profile& profile);

// The pod has the condition with this status, reason and message. That its observedGeneration is
// another is no reason to write it (UpdatePodCondition's answer).
bool HasCondition(const api::Object& pod, const value::Value& condition);

// nullopt: written, or there was nothing to write.
sim::Task<std::optional<api::Status>> PatchPodStatus(client::Client& client, api::Object pod,
                                                     value::Value status);

}  // namespace ksim::controllers
