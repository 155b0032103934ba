#include "ksim/api/kinds/apiextensions/expression_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/api/core/go_text.h"
#include "ksim/api/structural/rules.h"
#include "ksim/value/go_format.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::uint64_t kRuleLimit = 10'000'000;     // StaticEstimatedCostLimit
constexpr std::uint64_t kSchemaLimit = 100'000'000;  // StaticEstimatedCRDCostLimit

// multiplyWithOverflowGuard
std::uint64_t Times(std::uint64_t cost, std::uint64_t cardinality) {
  if (cost == 0) return 0;
  return UINT64_MAX / cost < cardinality ? UINT64_MAX : cost * cardinality;
}

// getCostErrorMessage
std::string CostText(std::string_view name, std::uint64_t cost, std::uint64_t limit) {
  const double exceeds = static_cast<double>(cost) / static_cast<double>(limit);
  const std::string factor = exceeds > 100.0 ? "more than 100x"
                             : exceeds < 1.5 ? fmt::format("{:.6f}x", exceeds)
                                             : fmt::format("{:.1f}x", exceeds);
  return fmt::format(
      "{} exceeds budget by factor of {} (try simplifying the rule, or adding maxItems, "
      "maxProperties, and maxLength where arrays, maps, and strings are declared)",
      name, factor);
}

// extractMaxElements
std::optional<std::uint64_t> MaxElements(const Value& schema) {
  const std::string_view type = schema.Get("type").AsString();
  const bool map = type == "object" && !schema.Get("additionalProperties").is_null();
  if (!map && type != "array") return 1;
  const Value& most = schema.Get(map ? "maxProperties" : "maxItems");
  if (!most.is_number()) return std::nullopt;
  return static_cast<std::uint64_t>(std::max<std::int64_t>(most.AsInt(), 0));
}

void AddExpressions(const Value& schema, cel::KnownExpressions* known) {
  for (const Value& rule : schema.Get("x-kubernetes-validations").items()) {
    known->rules.emplace(rule.Get("rule").AsString());
    if (!rule.Get("messageExpression").empty())
      known->messages.emplace(rule.Get("messageExpression").AsString());
  }
  // Schemas are within schemas, and in lists and maps of schemas.
  for (const Value::Member& m : schema.members()) {
    if (m.value.is_object()) {
      AddExpressions(m.value, known);
    } else if (m.value.is_array()) {
      for (const Value& item : m.value.items())
        if (item.is_object()) AddExpressions(item, known);
    }
  }
}

// A rule as an error shows it: apiextensions.ValidationRule, whose fields have no names of JSON.
std::string ShownRule(const Value& rule, Compat compat) {
  const auto text = [&](const char* field) {
    return value::GoJson(Value::Of(rule.Get(field).AsString()));
  };
  if (ProfileOf(compat).bad_values_as_json) {
    return fmt::format(
        R"({{"Rule":{},"Message":{},"MessageExpression":{},"Reason":{},"FieldPath":{},)"
        R"("OptionalOldSelf":{}}})",
        text("rule"), text("message"), text("messageExpression"), value::GoJson(rule.Get("reason")),
        text("fieldPath"), value::GoJson(rule.Get("optionalOldSelf")));
  }
  const auto quoted = [&](const char* field) { return GoQuote(rule.Get(field).AsString()); };
  const std::string head = fmt::format("apiextensions.ValidationRule{{Rule:{}, Message:{}",
                                       quoted("rule"), quoted("message"));
  if (!ProfileOf(compat).rules_have_messages) return head + "}";
  // Where upstream prints the address of a value, nil stands for it.
  return fmt::format(
      "{}, MessageExpression:{}, Reason:(*apiextensions.FieldValueErrorReason)(nil), "
      "FieldPath:{}, OptionalOldSelf:(*bool)(nil)}}",
      head, quoted("messageExpression"), quoted("fieldPath"));
}

}  // namespace

cel::KnownExpressions ExpressionsOf(const Value& versions) {
  cel::KnownExpressions known;
  for (const Value& version : versions.items())
    AddExpressions(version.Get("schema").Get("openAPIV3Schema"), &known);
  return known;
}

ExpressionPlace ExpressionPlace::Items(const Value& list, const FieldPath& at) const {
  ExpressionPlace below = Field(list);
  if (below.uncorrelatable.empty() && list.Get("x-kubernetes-list-type").AsString() != "map")
    below.uncorrelatable = at.ToString();
  return below;
}

ExpressionPlace ExpressionPlace::Field(const Value& object) const {
  ExpressionPlace below = *this;
  below.root = false;
  const std::optional<std::uint64_t> most = MaxElements(object);
  const bool bounded = cardinality.has_value() && most.has_value();
  below.cardinality = bounded ? std::optional(Times(*cardinality, *most)) : std::nullopt;
  return below;
}

ExpressionPlace ExpressionPlace::Unjudged() const {
  ExpressionPlace below = *this;
  below.judged = below.root = false;
  return below;
}

ExpressionRules::ExpressionRules(Compat compat, const OldExpressions& old)
    : old_(old), compiler_(RuleOptionsOf(compat)), errors_(compat) {}

void ExpressionRules::Check(const Value& schema, const ExpressionPlace& place,
                            const FieldPath& at) {
  if (!place.judged || schema.Get("x-kubernetes-validations").empty()) return;
  const cel::NodeRules node =
      compiler_.Compile(*cel::Schema::FromTree(schema, place.root), &old_.known);
  const FieldPath rules = at.Child("x-kubernetes-validations");
  if (!node.declared) {
    errors_.Add("InternalError",
                "Internal error: internal error: failed to construct type information for "
                "x-kubernetes-validations rules: unable to convert structural schema to CEL "
                "declarations",
                rules.ToString());
    return;
  }
  for (std::size_t i = 0; i < node.rules.size(); ++i) {
    const std::uint64_t often = place.cardinality.value_or(node.max_cardinality);
    CheckRule(node.rules[i], Times(node.rules[i].max_cost, often), place, rules.Index(i));
  }
}

void ExpressionRules::CheckRule(const cel::CompiledRule& rule, std::uint64_t cost,
                                const ExpressionPlace& place, const FieldPath& at) {
  const auto invalid = [&](const char* field, const std::string& why) {
    errors_.Add(
        "FieldValueInvalid",
        fmt::format("Invalid value: {}: {}", ShownRule(rule.rule.tree, errors_.compat()), why),
        at.Child(field).ToString());
  };
  CheckCost("estimated rule cost", cost, at.Child("rule"));
  if (!rule.error.empty()) invalid("rule", rule.error);
  if (!rule.message_error.empty()) {
    invalid("messageExpression", rule.message_error);
  } else if (rule.message.has_value()) {
    CheckCost("estimated messageExpression cost", rule.message_max_cost,
              at.Child("messageExpression"));
  }
  if (rule.uses_old_self && !place.uncorrelatable.empty()) {
    errors_.Invalid(at.Child("rule"), rule.rule.rule,
                    fmt::format("oldSelf cannot be used on the uncorrelatable portion of the "
                                "schema within {}",
                                place.uncorrelatable));
  }
  if (errors_.profile().rules_have_messages && !rule.uses_old_self &&
      rule.rule.optional_old_self.has_value()) {
    errors_.Invalid(at.Child("optionalOldSelf"), Value::Bool(*rule.rule.optional_old_self),
                    GoShape::kOther, "may not be set if oldSelf is not used in rule");
  }
}

void ExpressionRules::CheckCost(const char* what, std::uint64_t cost, const FieldPath& at) {
  if (!old_.same_schema && cost > kRuleLimit)
    errors_.Forbidden(at, CostText(what, cost, kRuleLimit));
  total_ = total_ > UINT64_MAX - cost ? UINT64_MAX : total_ + cost;
  // Rules that are less than a hundredth of the limit are not named.
  if (cost >= kSchemaLimit / 100) expensive_.emplace_back(cost, at.ToString());
}

void ExpressionRules::CheckTotal(const FieldPath& at) {
  if (total_ <= kSchemaLimit) return;
  std::stable_sort(expensive_.begin(), expensive_.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (std::size_t i = 0; i < expensive_.size() && i < 4; ++i) {
    errors_.Add("FieldValueForbidden",
                "Forbidden: contributed to estimated rule cost total exceeding cost limit for "
                "entire OpenAPIv3 schema",
                expensive_[i].second);
  }
  errors_.Forbidden(at, CostText("x-kubernetes-validations estimated rule cost total for entire "
                                 "OpenAPIv3 schema",
                                 total_, kSchemaLimit));
}

void ExpressionRules::AppendTo(FieldErrorList* errors) {
  for (StatusCause& cause : errors_.Take())
    errors->Add(std::move(cause.reason), std::move(cause.message), std::move(cause.field));
}

}  // namespace ksim::api
