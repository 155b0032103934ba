// The amounts that quotas count of a pod. Part of evaluator.h.
//
// Source: pkg/quota/v1/evaluator/core/pods.go.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/core/profile.h"
#include "ksim/api/quota/resource_list.h"
#include "ksim/base/time.h"
#include "ksim/value/value.h"

namespace ksim::api {

bool IsPodQuotaName(std::string_view name);
// Whether a scope means the pod; {scopeName, operator, values}.
bool ScopeMeansPod(const value::Value& scope, const value::Value& pod);
// "must specify cpu for: a,b; memory for: a", or "".
std::string PodConstraints(const std::vector<std::string>& required, const value::Value& pod,
                           const Profile& profile);
ResourceList PodUsage(const value::Value& pod, VirtualTime now, const Profile& profile);
bool IsTerminatingPod(const value::Value& pod);  // it has an activeDeadlineSeconds
// Neither ended nor so long over its grace that nobody will end it.
bool IsCharged(const value::Value& pod, VirtualTime now);

// Whether a requirement {operator, values} holds of the label `key`, which has the value `text`;
// "" = there is no such label.
bool RequirementHolds(const value::Value& requirement, std::string_view text);

}  // namespace ksim::api
