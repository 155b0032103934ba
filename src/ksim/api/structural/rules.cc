#include "ksim/api/structural/rules.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "ksim/api/structural/findings.h"

namespace ksim::api {

cel::RuleOptions RuleOptionsOf(Compat compat) {
  return cel::RuleOptions::Kubernetes(ProfileOf(compat).cel_minor);
}

const cel::RuleSet& RulesOf(const SchemaNode& schema, Compat compat) {
  std::shared_ptr<const cel::RuleSet>& rules = schema.rules[compat];
  if (rules == nullptr)
    rules = std::make_shared<const cel::RuleSet>(schema.source, true, RuleOptionsOf(compat));
  return *rules;
}

void TellRuleError(const cel::RuleError& error, FieldErrorList* errors) {
  std::string field = error.path.empty() ? "<nil>" : error.path;
  const auto add = [&](const char* reason, const char* what, bool with_value, bool with_detail) {
    std::string body = what;
    if (with_value && error.has_value) body += ": " + ShownValue(error.bad_value, errors->compat());
    if (with_detail && !error.detail.empty()) body += ": " + error.detail;
    errors->Add(reason, std::move(body), std::move(field));
  };
  switch (error.type) {
    case cel::RuleError::Type::kInvalid:
      return add("FieldValueInvalid", "Invalid value", true, true);
    case cel::RuleError::Type::kForbidden:
      return add("FieldValueForbidden", "Forbidden", false, true);
    case cel::RuleError::Type::kRequired:
      return add("FieldValueRequired", "Required value", false, true);
    case cel::RuleError::Type::kDuplicate:
      return add("FieldValueDuplicate", "Duplicate value", true, false);
  }
}

std::string RuleWarning(const cel::RuleError& error, Compat compat) {
  FieldErrorList errors(compat);
  TellRuleError(error, &errors);
  const StatusCause cause = errors.Take().front();
  return fmt::format("{}: {}", cause.field, cause.message);
}

}  // namespace ksim::api
