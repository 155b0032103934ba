#include "ksim/scheduler/disruption_budgets.h"

#include <utility>

namespace ksim::scheduler {

DisruptionBudgets::DisruptionBudgets(const std::vector<api::Object>& budgets) {
  for (const api::Object& budget : budgets) {
    auto selector = value::LabelSelector::FromObject(budget.spec().Get("selector"));
    if (!selector.ok() || selector->empty()) continue;
    const value::Value& status = budget.status();
    budgets_.push_back({std::string(budget.ns()), *std::move(selector),
                        status.Get("disruptionsAllowed").AsInt(), status.Get("disruptedPods")});
  }
}

DisruptionBudgets::Parted DisruptionBudgets::Part(std::vector<api::Object> pods) const {
  Parted parted;
  if (budgets_.empty()) {
    parted.others = std::move(pods);
    return parted;
  }
  std::vector<std::int64_t> left;
  for (const Budget& budget : budgets_) left.push_back(budget.allowed);
  for (api::Object& pod : pods) {
    bool violates = false;
    for (std::size_t i = 0; i < budgets_.size() && pod.labels().size() > 0; ++i) {
      const Budget& budget = budgets_[i];
      if (budget.ns != pod.ns() || !budget.selector.Matches(pod.labels())) continue;
      if (budget.disrupted.Has(pod.name())) continue;
      violates = --left[i] < 0 || violates;
    }
    (violates ? parted.violating : parted.others).push_back(std::move(pod));
  }
  return parted;
}

}  // namespace ksim::scheduler
