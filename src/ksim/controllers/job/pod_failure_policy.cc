#include "ksim/controllers/job/pod_failure_policy.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/api/core/fields.h"

namespace ksim::controllers {

using value::Value;

namespace {

bool ExitCodeMatches(std::int64_t code, const Value& requirement) {
  const auto values = requirement.Get("values").items();
  const bool listed = std::any_of(values.begin(), values.end(),
                                  [code](const Value& v) { return v.AsInt() == code; });
  const std::string_view op = requirement.Get("operator").AsString();
  return op == "In" ? listed : op == "NotIn" && !listed;
}

// getMatchingContainerFromList: a container that has not ended has no exit code to look at.
const Value* MatchingContainer(const Value& statuses, const Value& requirement) {
  const Value& wanted = requirement.Get("containerName");
  for (const Value& container : statuses.items()) {
    const Value& end = container.Get(api::Fields().state).Get(api::Fields().terminated);
    if (end.is_null()) continue;
    if (wanted.is_string() && wanted.AsString() != container.Get("name").AsString()) continue;
    const std::int64_t code = end.Get(api::Fields().exit_code).AsInt();
    if (code != 0 && ExitCodeMatches(code, requirement)) return &container;
  }
  return nullptr;
}

const Value* MatchExitCodes(const Value& status, const Value& requirement) {
  const Value* found = MatchingContainer(status.Get(api::Fields().container_statuses), requirement);
  if (found != nullptr) return found;
  return MatchingContainer(status.Get(api::Fields().init_container_statuses), requirement);
}

const Value* MatchConditions(const Value& status, const Value& patterns) {
  for (const Value& condition : status.Get(api::Fields().conditions).items()) {
    for (const Value& pattern : patterns.items())
      if (condition.Get("type") == pattern.Get("type") &&
          condition.Get("status") == pattern.Get("status"))
        return &condition;
  }
  return nullptr;
}

// The rule's message if it fails the Job, once it is known to match; nullopt if it does not match.
std::optional<std::string> MatchRule(const Value& rule, const api::Object& pod, std::size_t index) {
  const std::string_view action = rule.Get("action").AsString();
  const Value& exit_codes = rule.Get("onExitCodes");
  if (!exit_codes.is_null()) {
    const Value* container = MatchExitCodes(pod.status(), exit_codes);
    if (container == nullptr) return std::nullopt;
    const Value& end = container->Get(api::Fields().state).Get(api::Fields().terminated);
    return fmt::format(
        "Container {} for pod {}/{} failed with exit code {} matching {} rule at index {}",
        container->Get("name").AsString(), pod.ns(), pod.name(),
        end.Get(api::Fields().exit_code).AsInt(), action, index);
  }
  const Value* condition = MatchConditions(pod.status(), rule.Get("onPodConditions"));
  if (condition == nullptr) return std::nullopt;
  return fmt::format("Pod {}/{} has condition {} matching {} rule at index {}", pod.ns(),
                     pod.name(), condition->Get("type").AsString(), action, index);
}

// matchSucceededIndexesRule.
bool CoversEnough(const IndexIntervals& required, const IndexIntervals& succeeded,
                  const Value& count) {
  std::int64_t contains = 0;
  for (const IndexIntervals::Interval& rule : required.intervals()) {
    for (const IndexIntervals::Interval& done : succeeded.intervals())
      contains += std::max<std::int64_t>(
          0, std::min(rule.last, done.last) - std::max(rule.first, done.first) + 1);
  }
  return contains == required.Total() || (count.is_int() && contains >= count.AsInt());
}

}  // namespace

PodFailureMatch MatchPodFailurePolicy(const Value& policy, const api::Object& pod) {
  PodFailureMatch match;
  const Value& rules = policy.Get("rules");
  for (std::size_t i = 0; i < rules.size(); ++i) {
    std::optional<std::string> message = MatchRule(rules.at(i), pod, i);
    if (!message) continue;
    const std::string_view action = rules.at(i).Get("action").AsString();
    if (action == "Ignore") {
      match.counts = false;
      return match;
    }
    if (action == "FailIndex") {
      match.fails_index = true;
      return match;
    }
    if (action == "Count") return match;
    if (action == "FailJob") {
      match.fails_job = std::move(message);
      return match;
    }
  }
  return match;
}

std::optional<std::string> MatchSuccessPolicy(const Value& policy, std::int64_t completions,
                                              const IndexIntervals& succeeded) {
  if (succeeded.empty()) return std::nullopt;
  const Value& rules = policy.Get("rules");
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const Value& indexes = rules.at(i).Get("succeededIndexes");
    const Value& count = rules.at(i).Get("succeededCount");
    bool met = false;
    if (indexes.is_string()) {
      const IndexIntervals required = IndexIntervals::Parse(indexes.AsString(), completions);
      met = !required.empty() && CoversEnough(required, succeeded, count);
    } else {
      met = count.is_int() && succeeded.Total() >= count.AsInt();
    }
    if (met) return fmt::format("Matched rules at index {}", i);
  }
  return std::nullopt;
}

}  // namespace ksim::controllers
