#include "ksim/api/kinds/admissionregistration/match_conditions.h"

#include <memory>

#include "ksim/api/core/profile.h"
#include "ksim/api/rules/name_rules.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::size_t kMaxConditions = 64;

std::string_view TrimmedExpression(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace

AdmissionCompiler::AdmissionCompiler(Compat compat, bool params, bool composed)
    : fresh_(cel::EnvironmentOptions::Kubernetes(ProfileOf(compat).cel_minor - 1), params,
             composed),
      stored_(cel::EnvironmentOptions::Kubernetes(ProfileOf(compat).cel_minor), params, composed) {}

// convertCELErrorToValidationError
void AdmissionCompiler::Tell(const cel::AdmissionProgram& compiled, std::string_view shown,
                             const FieldPath& path, FieldErrorList* errors) {
  if (compiled.error.empty()) return;
  if (compiled.internal)
    return errors->Add("InternalError", "Internal error: " + compiled.error, path.ToString());
  errors->Invalid(path, shown, compiled.error);
}

void AdmissionCompiler::Check(std::string_view text, std::string_view shown, bool stored,
                              bool authorizer, const std::vector<cel::TypePtr>& returns,
                              const FieldPath& path, FieldErrorList* errors) {
  Tell((stored ? stored_ : fresh_).Compile(text, authorizer, returns), shown, path, errors);
}

void AdmissionCompiler::AddVariable(const std::string& name, std::string_view text, bool stored,
                                    const FieldPath& path, FieldErrorList* errors) {
  // Later expressions find the variable in both.
  const cel::AdmissionProgram& fresh = fresh_.AddVariable(name, text);
  const cel::AdmissionProgram& known = stored_.AddVariable(name, text);
  Tell(stored ? known : fresh, text, path, errors);
}

void CheckMatchConditions(const Value& conditions, bool params, const KnownTexts& known,
                          const FieldPath& path, FieldErrorList* errors) {
  if (conditions.empty()) return;
  if (conditions.size() > kMaxConditions) errors->TooMany(path, conditions.size(), kMaxConditions);
  AdmissionCompiler compiler(errors->compat(), params, false);
  KnownTexts names;
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const FieldPath at = path.Index(i);
    const std::string_view text = TrimmedExpression(conditions.at(i).Get("expression").AsString());
    if (text.empty()) {
      errors->Required(at.Child("expression"));
    } else {
      compiler.Check(text, text, known.contains(text), true, {cel::BoolType()},
                     at.Child("expression"), errors);
    }
    const std::string_view name = conditions.at(i).Get("name").AsString();
    if (name.empty()) {
      errors->Required(at.Child("name"));
      continue;
    }
    errors->InvalidAll(at.Child("name"), name, QualifiedName(name, errors->compat()));
    if (!names.emplace(name).second) errors->Duplicate(at.Child("name"), name);
  }
}

}  // namespace ksim::api
