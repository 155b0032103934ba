#include "ksim/api/kinds/batch/job_policies.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <vector>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/go_text.h"
#include "ksim/api/rules/name_rules.h"

namespace ksim::api {

using value::Path;
using value::Value;

namespace {

constexpr std::size_t kMaxFailureRules = 20, kMaxExitCodes = 255, kMaxConditionPatterns = 20;
constexpr std::size_t kMaxSuccessRules = 20, kMaxSucceededIndexes = 64 * 1024;

// A problem of a whole place, whose value is not shown.
void InvalidPlace(const FieldPath& at, std::string_view detail, FieldErrorList* errors) {
  errors->Add("FieldValueInvalid", fmt::format("Invalid value: {}", detail), at.ToString());
}

void CheckExitCodes(const Value& rule, const Value& spec, const FieldPath& path,
                    FieldErrorList* errors) {
  const std::string_view op = rule.Get("operator").AsString();
  if (op.empty()) {
    errors->Required(path.Child("operator"), "valid values: [\"In\" \"NotIn\"]");
  } else if (op != "In" && op != "NotIn") {
    errors->NotSupported(path.Child("operator"), op, {"In", "NotIn"});
  }
  const Value& name = rule.Get(Fields().container_name);
  if (name.is_string()) {
    const Value& pod = spec.Get(Fields().template_).Get(Fields().spec);
    const auto has = [&name](const Value& containers) {
      const auto items = containers.items();
      return std::any_of(items.begin(), items.end(),
                         [&name](const Value& c) { return c.Get("name") == name; });
    };
    if (!has(pod.Get(Fields().containers)) && !has(pod.Get(Fields().init_containers)))
      errors->Invalid(path.Child("containerName"), name.AsString(),
                      "must be one of the container or initContainer names in the pod template");
  }
  const Value& values = rule.Get("values");
  const FieldPath at = path.Child("values");
  if (values.empty()) {
    errors->Invalid(at, values, GoShape::kOther, "at least one value is required");
  } else if (values.size() > kMaxExitCodes) {
    errors->TooMany(at, values.size(), kMaxExitCodes);
  }
  bool ordered = true;
  std::set<std::int64_t> seen;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::int64_t code = values.at(i).AsInt();
    if (op == "In" && code == 0)
      errors->Invalid(at.Index(i), code, "must not be 0 for the In operator");
    if (!seen.insert(code).second)
      errors->Add("FieldValueDuplicate", fmt::format("Duplicate value: {}", code),
                  at.Index(i).ToString());
    if (i > 0 && values.at(i - 1).AsInt() > code) ordered = false;
  }
  if (!ordered) errors->Invalid(at, values, GoShape::kOther, "must be ordered");
}

void CheckConditionPatterns(const Value& patterns, const FieldPath& path, FieldErrorList* errors) {
  if (patterns.size() > kMaxConditionPatterns)
    errors->TooMany(path, patterns.size(), kMaxConditionPatterns);
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const FieldPath at = path.Index(i);
    const std::string_view type = patterns.at(i).Get("type").AsString();
    errors->InvalidAll(at.Child("type"), type, QualifiedName(type, errors->compat()));
    const std::string_view status = patterns.at(i).Get("status").AsString();
    if (status.empty()) {
      errors->Required(at.Child("status"), "valid values: [\"False\" \"True\" \"Unknown\"]");
    } else if (status != "False" && status != "True" && status != "Unknown") {
      errors->NotSupported(at.Child("status"), status, {"False", "True", "Unknown"});
    }
  }
}

void CheckFailureRule(const Value& rule, const Value& spec, const FieldPath& path,
                      FieldErrorList* errors) {
  const std::string_view action = rule.Get("action").AsString();
  const FieldPath at = path.Child("action");
  if (action.empty()) {
    errors->Required(at, "valid values: [\"Count\" \"FailIndex\" \"FailJob\" \"Ignore\"]");
  } else if (action == "FailIndex") {
    if (spec.Get(Fields().backoff_limit_per_index).is_null())
      errors->Invalid(at, action, "requires the backoffLimitPerIndex to be set");
  } else if (action != "Count" && action != "FailJob" && action != "Ignore") {
    errors->NotSupported(at, action, {"Count", "FailIndex", "FailJob", "Ignore"});
  }
  const Value& exit_codes = rule.Get("onExitCodes");
  const Value& conditions = rule.Get("onPodConditions");
  const FieldPath codes_at = path.Child("onExitCodes");
  if (!exit_codes.is_null()) CheckExitCodes(exit_codes, spec, codes_at, errors);
  if (!conditions.empty())
    CheckConditionPatterns(conditions, path.Child("onPodConditions"), errors);
  if (!exit_codes.is_null() && !conditions.empty())
    InvalidPlace(path, "specifying both OnExitCodes and OnPodConditions is not supported", errors);
  if (exit_codes.is_null() && conditions.empty())
    InvalidPlace(path, "specifying one of OnExitCodes and OnPodConditions is required", errors);
}

void CheckSuccessRule(const Value& rule, std::int64_t completions, const FieldPath& path,
                      FieldErrorList* errors) {
  const Value& count = rule.Get("succeededCount");
  const Value& indexes = rule.Get("succeededIndexes");
  if (count.is_null() && indexes.is_null())
    errors->Required(path, "at least one of succeededCount or succeededIndexes must be specified");
  std::int64_t total = 0;
  if (indexes.is_string()) {
    const FieldPath at = path.Child("succeededIndexes");
    const std::string_view text = indexes.AsString();
    if (text.size() > kMaxSucceededIndexes) errors->TooLong(at, kMaxSucceededIndexes);
    const std::string problem = IndexesProblem(text, completions, &total);
    if (!problem.empty())
      errors->Invalid(at, text, fmt::format("error parsing succeededIndexes: {}", problem));
  }
  if (!count.is_int()) return;
  const FieldPath at = path.Child("succeededCount");
  errors->NonNegative(at, count);
  if (count.AsInt() > completions)
    errors->Invalid(at, count.AsInt(),
                    fmt::format("must be less than or equal to {} (the number of specified "
                                "completions)",
                                completions));
  if (indexes.is_string() && count.AsInt() > total)
    errors->Invalid(at, count.AsInt(),
                    fmt::format("must be less than or equal to {} (the number of indexes in the "
                                "specified succeededIndexes field)",
                                total));
}

std::vector<std::string_view> SplitIndexes(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// One index; a problem is added to `problem`.
std::int64_t IndexIn(std::string_view text, std::int64_t completions, std::string* problem) {
  std::int64_t index = 0;
  const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.empty()) {
    *problem = fmt::format("cannot convert string to integer for index: {}", GoQuote(text));
  } else if (index >= completions) {
    *problem = fmt::format("too large index: {}", GoQuote(text));
  }
  return index;
}

}  // namespace

std::string IndexesProblem(std::string_view text, std::int64_t completions, std::int64_t* total) {
  *total = 0;
  if (text.empty()) return "";
  constexpr std::string_view kOrder = "non-increasing order, previous: {}, current: {}";
  std::optional<std::int64_t> last;
  std::string problem;
  std::int64_t sum = 0;
  for (const std::string_view part : SplitIndexes(text, ',')) {
    const std::vector<std::string_view> limits = SplitIndexes(part, '-');
    if (limits.size() > 2)
      return fmt::format(
          "the fragment {} violates the requirement that an index interval can have "
          "at most two parts separated by '-'",
          GoQuote(part));
    const std::int64_t x = IndexIn(limits[0], completions, &problem);
    if (!problem.empty()) return problem;
    std::int64_t y = x;
    if (limits.size() == 2) {
      y = IndexIn(limits[1], completions, &problem);
      if (!problem.empty()) return problem;
      if (x >= y) return fmt::format(fmt::runtime(kOrder), x, y);
    }
    if (last && *last >= x) return fmt::format(fmt::runtime(kOrder), *last, x);
    sum += y - x + 1;
    last = y;
  }
  *total = sum;
  return "";
}

Value DefaultFailurePolicy(const Value& spec) {
  static const Path kRules{"podFailurePolicy", "rules"};
  const Value& rules = spec.Get(kRules);
  std::vector<Value> filled;
  bool changed = false;
  for (const Value& rule : rules.items()) {
    std::vector<Value> patterns;
    for (const Value& pattern : rule.Get("onPodConditions").items()) {
      changed = changed || pattern.Get("status").AsString().empty();
      patterns.push_back(pattern.Get("status").AsString().empty()
                             ? pattern.Set("status", Value::Of("True"))
                             : pattern);
    }
    filled.push_back(
        patterns.empty() ? rule : rule.Set("onPodConditions", Value::Array(std::move(patterns))));
  }
  return changed ? spec.Set(kRules, Value::Array(std::move(filled))) : spec;
}

void CheckPodFailurePolicy(const Value& spec, const FieldPath& path, FieldErrorList* errors) {
  const Value& policy = spec.Get(Fields().pod_failure_policy);
  if (policy.is_null()) return;
  const FieldPath own = path.Child("podFailurePolicy");
  const FieldPath at = own.Child("rules");
  const Value& rules = policy.Get("rules");
  if (rules.size() > kMaxFailureRules) errors->TooMany(at, rules.size(), kMaxFailureRules);
  for (std::size_t i = 0; i < rules.size(); ++i)
    CheckFailureRule(rules.at(i), spec, at.Index(i), errors);
}

void CheckSuccessPolicy(const Value& spec, const FieldPath& path, FieldErrorList* errors) {
  const Value& policy = spec.Get("successPolicy");
  if (policy.is_null()) return;
  const FieldPath own = path.Child("successPolicy");
  if (spec.Get(Fields().completion_mode).AsString() != "Indexed")
    return errors->Invalid(own, policy, GoShape::kOther, "requires indexed completion mode");
  const FieldPath at = own.Child("rules");
  const Value& rules = policy.Get("rules");
  if (rules.empty())
    errors->Required(at,
                     "at least one rules must be specified when the successPolicy is specified");
  if (rules.size() > kMaxSuccessRules) errors->TooMany(at, rules.size(), kMaxSuccessRules);
  for (std::size_t i = 0; i < rules.size(); ++i)
    CheckSuccessRule(rules.at(i), spec.Get(Fields().completions).AsInt(), at.Index(i), errors);
}

}  // namespace ksim::api
