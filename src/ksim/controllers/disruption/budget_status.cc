#include "ksim/controllers/disruption/budget_status.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "ksim/api/conditions.h"
#include "ksim/api/core/timestamps.h"
#include "ksim/api/pod.h"

namespace ksim::controllers {

using value::Value;

namespace {

constexpr std::string_view kAllowed = "DisruptionAllowed";

// UpdateDisruptionAllowedCondition.
api::StatusCondition AllowedCondition(std::int64_t allowed, std::int64_t observed_generation) {
  if (allowed > 0) return {kAllowed, "True", "SufficientPods", "", observed_generation};
  return {kAllowed, "False", "InsufficientPods", "", observed_generation};
}

// ConditionsAreUpToDate.
bool IsUpToDate(const Value& conditions, std::int64_t allowed) {
  const Value* condition = api::FindCondition(conditions, kAllowed);
  if (condition == nullptr) return false;
  const api::StatusCondition wanted = AllowedCondition(allowed, 0);
  return condition->Get("status").AsString() == wanted.status &&
         condition->Get("reason").AsString() == wanted.reason;
}

bool SameTimes(const Value& a, const Value& b) { return (a.empty() && b.empty()) || a == b; }

}  // namespace

std::int64_t ScaledRoundingUp(const Value& int_or_percent, std::int64_t total) {
  if (!int_or_percent.is_string()) return int_or_percent.AsInt();
  const std::string_view text = int_or_percent.AsString();
  std::int64_t percent = 0;
  std::from_chars(text.data(), text.data() + text.size(), percent);
  return (percent * total + 99) / 100;
}

bool CountsByScale(const api::Object& budget) {
  return !budget.spec().Get("maxUnavailable").is_null() ||
         budget.spec().Get("minAvailable").is_string();
}

BudgetCounts CountsOf(const api::Object& budget, std::int64_t expected) {
  const Value& spec = budget.spec();
  const Value &most = spec.Get("maxUnavailable"), &least = spec.Get("minAvailable");
  BudgetCounts counts;
  if (!most.is_null()) {
    counts.expected = expected;
    counts.desired_healthy = std::max(std::int64_t{0}, expected - ScaledRoundingUp(most, expected));
  } else if (!least.is_null()) {
    counts.expected = expected;
    counts.desired_healthy = ScaledRoundingUp(least, expected);
  }
  return counts;
}

DisruptedPods FindDisruptedPods(const api::Object& budget, const std::vector<api::Object>& pods,
                                VirtualTime now) {
  const Value& known = budget.status().Get("disruptedPods");
  DisruptedPods found;
  value::ObjectBuilder times;
  for (const api::Object& pod : pods) {
    if (pod.deleting()) continue;
    const Value* time = known.Find(value::Atom(pod.name()));
    if (time == nullptr) continue;
    const VirtualTime deadline =
        api::TimeOf(*time).value_or(VirtualTime()) + kDisruptionDeletionTimeout;
    if (deadline < now) {
      found.never_deleted.push_back(pod);
      continue;
    }
    if (!found.recheck || deadline < *found.recheck) found.recheck = deadline;
    times.Add(pod.name(), *time);
  }
  found.times = times.Build();
  return found;
}

std::int64_t CountHealthy(const std::vector<api::Object>& pods, const Value& disrupted,
                          VirtualTime now) {
  return std::count_if(pods.begin(), pods.end(), [&](const api::Object& pod) {
    if (pod.deleting()) return false;
    const Value* time = disrupted.Find(value::Atom(pod.name()));
    const bool going =
        time != nullptr &&
        api::TimeOf(*time).value_or(VirtualTime()) + kDisruptionDeletionTimeout > now;
    return !going && api::PodView(pod).ready();
  });
}

api::Object WithBudgetStatus(const api::Object& budget, const BudgetCounts& counts,
                             std::int64_t current_healthy, const Value& disrupted,
                             VirtualTime now) {
  // A budget that selects nothing allows nothing: its first pods may be there before the
  // controller has seen them.
  std::int64_t allowed = std::max(std::int64_t{0}, current_healthy - counts.desired_healthy);
  if (counts.expected <= 0) allowed = 0;

  const Value& old = budget.status();
  const auto is = [&](const char* field, std::int64_t n) { return old.Get(field).AsInt() == n; };
  if (is("currentHealthy", current_healthy) && is("desiredHealthy", counts.desired_healthy) &&
      is("expectedPods", counts.expected) && is("disruptionsAllowed", allowed) &&
      SameTimes(old.Get("disruptedPods"), disrupted) &&
      is("observedGeneration", budget.generation()) && IsUpToDate(old.Get("conditions"), allowed))
    return budget;

  value::ObjectBuilder status;
  status.Add("conditions",
             api::SetStatusCondition(old.Get("conditions"),
                                     AllowedCondition(allowed, budget.generation()), now));
  status.Add("currentHealthy", Value::Int(current_healthy));
  status.Add("desiredHealthy", Value::Int(counts.desired_healthy));
  status.AddIf(!disrupted.empty(), "disruptedPods", disrupted);
  status.Add("disruptionsAllowed", Value::Int(allowed));
  status.Add("expectedPods", Value::Int(counts.expected));
  status.AddIf(budget.generation() != 0, "observedGeneration", Value::Int(budget.generation()));
  static const value::Path kStatus{"status"};
  return api::Object::FromTree(budget.tree().Set(kStatus, status.Build()),
                               budget.resource_version());
}

api::Object WithFailedSync(const api::Object& budget, std::string_view error, VirtualTime now) {
  static const value::Path kAllowedPath{"status", "disruptionsAllowed"};
  static const value::Path kConditions{"status", "conditions"};
  const api::StatusCondition failed{kAllowed, "False", "SyncFailed", error,
                                    budget.status().Get("observedGeneration").AsInt()};
  Value tree = budget.tree().Set(kAllowedPath, Value::Int(0));
  tree = tree.Set(kConditions, api::SetStatusCondition(tree.Get(kConditions), failed, now));
  return api::Object::FromTree(tree, budget.resource_version());
}

}  // namespace ksim::controllers
