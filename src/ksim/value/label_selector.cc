// Implements LabelSelector of selector.h.
#include <fmt/format.h>

#include <algorithm>

#include "ksim/base/status.h"
#include "ksim/value/json.h"
#include "ksim/value/selector.h"
#include "ksim/value/selector_parser.h"
#include "ksim/value/text.h"

namespace ksim::value {
namespace {

using Operator = LabelSelector::Operator;
using Requirement = LabelSelector::Requirement;

std::string_view SymbolOf(Operator op) {
  switch (op) {
    case Operator::kIn:
      return " in ";
    case Operator::kNotIn:
      return " notin ";
    case Operator::kEquals:
      return "=";
    case Operator::kDoubleEquals:
      return "==";
    case Operator::kNotEquals:
      return "!=";
    case Operator::kGreaterThan:
      return ">";
    case Operator::kLessThan:
      return "<";
    case Operator::kExists:
    case Operator::kDoesNotExist:
      return "";
  }
  return "";
}

bool IsSet(Operator op) { return op == Operator::kIn || op == Operator::kNotIn; }

void SortByKey(std::vector<Requirement>* requirements) {
  std::stable_sort(
      requirements->begin(), requirements->end(),
      [](const Requirement& a, const Requirement& b) { return a.key.text() < b.key.text(); });
}

std::string InvalidValue(std::string_view field, std::string_view shown, std::string_view detail) {
  return std::string(field) + ": Invalid value: " + std::string(shown) + ": " + std::string(detail);
}

std::string ShowList(const std::vector<std::string>& values) {
  if (values.empty()) return "null";
  std::vector<Value> items;
  for (const std::string& v : values) items.push_back(Value::String(v));
  return ToJson(Value::Array(std::move(items)));
}

// The problems with the number or form of the values for this operator.
void CheckValues(const Requirement& r, std::vector<std::string>* errors) {
  const std::size_t n = r.values.size();
  const auto add = [&](std::string_view detail) {
    errors->push_back(InvalidValue("values", ShowList(r.values), detail));
  };
  switch (r.op) {
    case Operator::kIn:
    case Operator::kNotIn:
      if (n == 0) add("for 'in', 'notin' operators, values set can't be empty");
      return;
    case Operator::kEquals:
    case Operator::kDoubleEquals:
    case Operator::kNotEquals:
      if (n != 1) add("exact-match compatibility requires one single value");
      return;
    case Operator::kExists:
    case Operator::kDoesNotExist:
      if (n != 0) add("values set must be empty for exists and does not exist");
      return;
    case Operator::kGreaterThan:
    case Operator::kLessThan:
      if (n != 1) add("for 'Gt', 'Lt' operators, exactly one value is required");
      for (std::size_t i = 0; i < n; ++i) {
        if (ParseGoInt(r.values[i])) continue;
        errors->push_back(InvalidValue("values[" + std::to_string(i) + "]", GoQuote(r.values[i]),
                                       "for 'Gt', 'Lt' operators, the value must be an integer"));
      }
  }
}

absl::StatusOr<Operator> OperatorOf(const Value& expression) {
  const std::string_view name = expression.Get("operator").AsString();
  if (name == "In") return Operator::kIn;
  if (name == "NotIn") return Operator::kNotIn;
  if (name == "Exists") return Operator::kExists;
  if (name == "DoesNotExist") return Operator::kDoesNotExist;
  return InvalidText(GoQuote(name) + " is not a valid label selector operator");
}

std::vector<std::string> Texts(const Value& list) {
  std::vector<std::string> texts;
  for (const Value& item : list.items()) texts.emplace_back(item.AsString());
  return texts;
}

}  // namespace

// Upstream: labels.NewRequirement; its errors as ToAggregate joins them.
absl::Status CheckRequirement(const Requirement& r) {
  std::vector<std::string> errors;
  if (const auto problems = LabelKeyProblems(r.key.text()); !problems.empty()) {
    errors.push_back(InvalidValue("key", GoQuote(r.key.text()), Join(problems, "; ")));
  }
  CheckValues(r, &errors);
  for (std::size_t i = 0; i < r.values.size(); ++i) {
    const auto problems = LabelValueProblems(r.values[i]);
    if (problems.empty()) continue;
    const std::string field =
        "values[" + std::to_string(i) + "][" + std::string(r.key.text()) + "]";
    errors.push_back(InvalidValue(field, GoQuote(r.values[i]), Join(problems, "; ")));
  }
  if (errors.empty()) return absl::OkStatus();
  if (errors.size() == 1) return InvalidText(errors.front());
  return InvalidText(fmt::format("[{}]", Join(errors, ", ")));
}

bool LabelSelector::Requirement::Matches(const Value& labels) const {
  const Value* label = labels.Find(key);
  if (op == Operator::kExists) return label != nullptr;
  if (op == Operator::kDoesNotExist) return label == nullptr;
  const bool negative = op == Operator::kNotIn || op == Operator::kNotEquals;
  if (label == nullptr) return negative;
  const std::string_view text = label->AsString();
  if (op == Operator::kGreaterThan || op == Operator::kLessThan) {
    const auto have = ParseGoInt(text);
    const auto want = values.size() == 1 ? ParseGoInt(values.front()) : std::nullopt;
    if (!have || !want) return false;
    return op == Operator::kGreaterThan ? *have > *want : *have < *want;
  }
  return (std::find(values.begin(), values.end(), text) != values.end()) != negative;
}

std::string LabelSelector::Requirement::ToString() const {
  std::string out = op == Operator::kDoesNotExist ? "!" : "";
  out += key.text();
  if (op == Operator::kExists || op == Operator::kDoesNotExist) return out;
  out += SymbolOf(op);
  std::vector<std::string> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const std::string list = Join(sorted, ",");
  return out + (IsSet(op) ? fmt::format("({})", list) : list);
}

LabelSelector LabelSelector::Nothing() {
  LabelSelector selector;
  selector.nothing_ = true;
  return selector;
}

absl::StatusOr<LabelSelector> LabelSelector::Parse(std::string_view text) {
  LabelSelector selector;
  if (text.empty()) return selector;
  ASSIGN_OR_RETURN(selector.requirements_, ParseRequirements(text));
  SortByKey(&selector.requirements_);
  return selector;
}

absl::StatusOr<LabelSelector> LabelSelector::FromObject(const Value& object) {
  if (object.is_null()) return Nothing();
  LabelSelector selector;
  for (const Value::Member& m : object.Get("matchLabels").members()) {
    selector.requirements_.emplace_back(m.name.text(), Operator::kEquals,
                                        std::vector<std::string>{std::string(m.value.AsString())});
    RETURN_IF_ERROR(CheckRequirement(selector.requirements_.back()));
  }
  for (const Value& expression : object.Get("matchExpressions").items()) {
    ASSIGN_OR_RETURN(const Operator op, OperatorOf(expression));
    selector.requirements_.emplace_back(expression.Get("key").AsString(), op,
                                        Texts(expression.Get("values")));
    RETURN_IF_ERROR(CheckRequirement(selector.requirements_.back()));
  }
  SortByKey(&selector.requirements_);
  return selector;
}

LabelSelector LabelSelector::FromSet(const Value& labels) {
  LabelSelector selector;
  for (const Value::Member& m : labels.members()) {
    selector.requirements_.emplace_back(m.name.text(), Operator::kEquals,
                                        std::vector<std::string>{std::string(m.value.AsString())});
  }
  return selector;
}

bool LabelSelector::Matches(const Value& labels) const {
  return !nothing_ && std::all_of(requirements_.begin(), requirements_.end(),
                                  [&labels](const Requirement& r) { return r.Matches(labels); });
}

std::string LabelSelector::ToString() const {
  std::vector<std::string> parts;
  for (const Requirement& r : requirements_) parts.push_back(r.ToString());
  return Join(parts, ",");
}

std::optional<std::string_view> LabelSelector::RequiresExactMatch(std::string_view key) const {
  for (const Requirement& r : requirements_) {
    if (r.key.text() != key) continue;
    const bool exact =
        r.op == Operator::kEquals || r.op == Operator::kDoubleEquals || r.op == Operator::kIn;
    if (exact && r.values.size() == 1) return r.values.front();
    return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace ksim::value
