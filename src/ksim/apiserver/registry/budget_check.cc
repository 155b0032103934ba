#include "ksim/apiserver/registry/budget_check.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "ksim/api/conditions.h"
#include "ksim/value/selector.h"
#include "ksim/value/timestamp.h"

namespace ksim::apiserver {

namespace {

using value::Value;

constexpr std::size_t kMaxDisruptedPods = 2000;  // MaxDisruptedPodSize
constexpr std::string_view kRefusal =
    "Cannot evict pod as it would violate the pod's disruption budget.";

const api::GroupResource& BudgetResource() {
  static const api::GroupResource& resource =  // NOLINT(ksim-static): a constant
      *new api::GroupResource("policy", "poddisruptionbudget");
  return resource;
}

api::Status Refuse(int retry_after, std::string cause) {
  api::Status status = api::TooManyRequests(kRefusal, retry_after);
  status.details->causes.emplace_back("DisruptionBudget", std::move(cause), "");
  return status;
}

std::string WhyNone(const api::Object& budget, const Profile& profile) {
  const Value& status = budget.status();
  const std::int64_t desired = status.Get("desiredHealthy").AsInt();
  const std::int64_t current = status.Get("currentHealthy").AsInt();
  const std::string needs =
      fmt::format("The disruption budget {} needs {} healthy pods and has {} currently",
                  budget.name(), desired, current);
  if (!profile.eviction_tells_condition) return needs;
  const Value* condition = api::FindCondition(status.Get("conditions"), "DisruptionAllowed");
  std::string_view reason, message;
  if (condition != nullptr && condition->Get("status").AsString() == "False") {
    reason = condition->Get("reason").AsString();
    message = condition->Get("message").AsString();
  }
  // A sync that failed leaves numbers that nobody should trust.
  if (!message.empty() && reason == "SyncFailed")
    return fmt::format(
        "The disruption budget {} does not allow evicting pods currently because it failed sync: "
        "{}",
        budget.name(), message);
  if (current <= desired) return needs;
  const std::string allows_none =
      fmt::format("The disruption budget {} does not allow evicting pods currently", budget.name());
  return message.empty() ? allows_none : fmt::format("{} ({}): {}", allows_none, reason, message);
}

}  // namespace

std::vector<api::Object> BudgetsOf(const api::Object& pod,
                                   const std::vector<api::Object>& budgets) {
  std::vector<api::Object> matching;
  for (const api::Object& budget : budgets) {
    const auto selector = value::LabelSelector::FromObject(budget.spec().Get("selector"));
    if (selector.ok() && selector->Matches(pod.labels())) matching.push_back(budget);
  }
  return matching;
}

bool AllowsUnhealthy(const api::Object& budget, const Profile& profile) {
  const Value& status = budget.status();
  const bool always = budget.spec().Get("unhealthyPodEvictionPolicy").AsString() == "AlwaysAllow";
  if (always && profile.unhealthy_pod_eviction_policy) return true;
  const std::int64_t desired = status.Get("desiredHealthy").AsInt();
  return desired > 0 && status.Get("currentHealthy").AsInt() >= desired;
}

api::Status StillProcessed(std::string_view budget) {
  return Refuse(
      10, fmt::format("The disruption budget {} is still being processed by the server.", budget));
}

api::Result<api::Object> TakeDisruption(const api::Object& budget, std::string_view pod,
                                        VirtualTime now, const Profile& profile) {
  static const value::Path kStatus{"status"};
  const Value& status = budget.status();
  const Value& disrupted = status.Get("disruptedPods");
  const std::int64_t allowed = status.Get("disruptionsAllowed").AsInt();
  const std::int64_t observed = status.Get("observedGeneration").AsInt();
  if (observed < budget.generation()) return StillProcessed(budget.name());
  if (allowed < 0)
    return api::Forbidden(BudgetResource(), budget.name(), "pdb disruptions allowed is negative");
  if (disrupted.size() > kMaxDisruptedPods)
    return api::Forbidden(
        BudgetResource(), budget.name(),
        "DisruptedPods map too big - too many evictions not confirmed by PDB controller");
  if (allowed == 0) return Refuse(0, WhyNone(budget, profile));

  Value next = status.Set("disruptionsAllowed", Value::Int(allowed - 1));
  if (allowed == 1) {
    const api::StatusCondition none{"DisruptionAllowed", "False", "InsufficientPods", "", observed};
    next = next.Set("conditions", api::SetStatusCondition(next.Get("conditions"), none, now));
  }
  // The controller, which has not seen the deletion yet, does not count the pod.
  const Value pods = disrupted.is_object() ? disrupted : Value::EmptyObject();
  next = next.Set("disruptedPods", pods.Set(pod, value::TimestampValue(now)));
  return api::Object::FromTree(budget.tree().Set(kStatus, next), budget.resource_version());
}

}  // namespace ksim::apiserver
