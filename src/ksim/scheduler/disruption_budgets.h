// DisruptionBudgets: which victims of a preemption their PodDisruptionBudgets do not allow to go.
// Preemption goes past a budget where nothing else makes room; it prefers not to.
//
// Source: plugins/defaultpreemption/default_preemption.go (filterPodsWithPDBViolation).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/value/selector.h"

namespace ksim::scheduler {

class DisruptionBudgets {
 public:
  DisruptionBudgets() = default;  // none
  // One whose selector is empty, or does not parse, selects no pod.
  explicit DisruptionBudgets(const std::vector<api::Object>& budgets);

  struct Parted {
    Parted() = default;
    std::vector<api::Object> violating, others;  // each in the order that was given
  };
  // Each pod takes one disruption of each budget that selects it, the first in order first; one for
  // which a budget has none left violates it. A pod that the API server has let go already takes
  // none.
  Parted Part(std::vector<api::Object> pods) const;

 private:
  struct Budget {
    std::string ns;
    value::LabelSelector selector;
    std::int64_t allowed = 0;
    value::Value disrupted;  // status.disruptedPods
  };
  std::vector<Budget> budgets_;
};

}  // namespace ksim::scheduler
