// BudgetStatus: what the disruption controller writes into a PodDisruptionBudget, worked out from
// the pods that it selects. All are pure functions.
//
// Source: pkg/controller/disruption/disruption.go (getExpectedPodCount, countHealthyPods,
// buildDisruptedPodMap, updatePdbStatus, failSafe); component-helpers apps/poddisruptionbudget
// helpers.go.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/base/time.h"
#include "ksim/value/value.h"

namespace ksim::controllers {

// An eviction's pod counts as disrupted for so long, if it is not marked for deletion before.
inline constexpr Duration kDisruptionDeletionTimeout = Minutes(2);

// A whole number as it is, a percentage of `total` rounded up (intstr
// GetScaledValueFromIntOrPercent).
std::int64_t ScaledRoundingUp(const value::Value& int_or_percent, std::int64_t total);

struct BudgetCounts {
  BudgetCounts() = default;
  std::int64_t expected = 0;
  std::int64_t desired_healthy = 0;
};
// Whether the budget is about a part of the pods that their controllers want, so that their scales
// count; else its minAvailable is a number, and the pods that are there count.
bool CountsByScale(const api::Object& budget);
// `expected`: the sum of the scales, or the number of pods.
BudgetCounts CountsOf(const api::Object& budget, std::int64_t expected);

// The pods of status.disruptedPods that are still to be deleted.
struct DisruptedPods {
  DisruptedPods() = default;
  value::Value times;                      // an object: pod name -> time
  std::optional<VirtualTime> recheck;      // when the first of them is given up
  std::vector<api::Object> never_deleted;  // those that are given up now
};
DisruptedPods FindDisruptedPods(const api::Object& budget, const std::vector<api::Object>& pods,
                                VirtualTime now);

// Pods that are ready and neither deleted nor about to be.
std::int64_t CountHealthy(const std::vector<api::Object>& pods, const value::Value& disrupted,
                          VirtualTime now);

// The budget with its new status; the same object if nothing is to be written.
api::Object WithBudgetStatus(const api::Object& budget, const BudgetCounts& counts,
                             std::int64_t current_healthy, const value::Value& disrupted,
                             VirtualTime now);

// The budget after a sync that failed: it allows nothing, and says why.
api::Object WithFailedSync(const api::Object& budget, std::string_view error, VirtualTime now);

}  // namespace ksim::controllers
