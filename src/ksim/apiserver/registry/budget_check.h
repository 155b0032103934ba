// BudgetCheck: what a PodDisruptionBudget says of the eviction of one pod.
//
// Source: pkg/registry/core/pod/storage/eviction.go (checkAndDecrement, getPodDisruptionBudgets,
// createTooManyRequestsError).
#pragma once
#include <string_view>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/api/status.h"
#include "ksim/apiserver/core/profile.h"

namespace ksim::apiserver {

// Those of `budgets` that select the pod. One whose selector does not parse selects nothing.
std::vector<api::Object> BudgetsOf(const api::Object& pod, const std::vector<api::Object>& budgets);

// A pod that is not ready does not count as healthy, and goes without a disruption: where the
// policy is AlwaysAllow, or as many pods are healthy as should be.
bool AllowsUnhealthy(const api::Object& budget, const Profile& profile);

// 429: the budget's controller has not seen its last change yet, or the pod has changed meanwhile.
api::Status StillProcessed(std::string_view budget);

// Takes one disruption of the budget for the pod: the budget as it is to be written, or 429 if it
// allows none and 403 if its numbers cannot be.
api::Result<api::Object> TakeDisruption(const api::Object& budget, std::string_view pod,
                                        VirtualTime now, const Profile& profile);

}  // namespace ksim::apiserver
