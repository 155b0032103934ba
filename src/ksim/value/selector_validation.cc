// Implements the validation of selectors of selector.h.
#include <string>

#include "ksim/value/selector.h"
#include "ksim/value/text.h"

namespace ksim::value {
namespace {

constexpr std::string_view kInvalid = "FieldValueInvalid";

std::string InvalidBody(std::string_view bad, std::string_view detail) {
  return "Invalid value: " + GoQuote(bad) + ": " + std::string(detail);
}

void CheckKey(std::string_view key, const std::string& field, std::vector<FieldProblem>* out) {
  for (const std::string& problem : LabelKeyProblems(key)) {
    out->emplace_back(kInvalid, field, InvalidBody(key, problem));
  }
}

void CheckValue(std::string_view value, const std::string& field, std::vector<FieldProblem>* out) {
  for (const std::string& problem : LabelValueProblems(value)) {
    out->emplace_back(kInvalid, field, InvalidBody(value, problem));
  }
}

void CheckExpression(const Value& e, const std::string& field, std::vector<FieldProblem>* out) {
  const std::string_view op = e.Get("operator").AsString();
  const Value& values = e.Get("values");
  if (op == "In" || op == "NotIn") {
    if (values.empty()) {
      out->emplace_back("FieldValueRequired", field + ".values",
                        "Required value: must be specified when `operator` is 'In' or 'NotIn'");
    }
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!values.empty()) {
      out->emplace_back(
          "FieldValueForbidden", field + ".values",
          "Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    }
  } else {
    out->emplace_back(kInvalid, field + ".operator",
                      InvalidBody(op, "not a valid selector operator"));
  }
  CheckKey(e.Get("key").AsString(), field + ".key", out);
  for (std::size_t i = 0; i < values.size(); ++i) {
    CheckValue(values.at(i).AsString(), field + ".values[" + std::to_string(i) + "]", out);
  }
}

}  // namespace

std::vector<FieldProblem> ValidateLabels(const Value& labels, std::string_view field) {
  std::vector<FieldProblem> problems;
  for (const Value::Member& m : labels.members()) {
    CheckKey(m.name.text(), std::string(field), &problems);
    CheckValue(m.value.AsString(), std::string(field), &problems);
  }
  return problems;
}

std::vector<FieldProblem> ValidateLabelSelector(const Value& selector, std::string_view field) {
  const std::string prefix(field);
  std::vector<FieldProblem> problems =
      ValidateLabels(selector.Get("matchLabels"), prefix + ".matchLabels");
  const Value& expressions = selector.Get("matchExpressions");
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    CheckExpression(expressions.at(i), prefix + ".matchExpressions[" + std::to_string(i) + "]",
                    &problems);
  }
  return problems;
}

}  // namespace ksim::value
