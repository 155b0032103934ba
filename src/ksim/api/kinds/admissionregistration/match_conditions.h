// Conditions in CEL under which a webhook is called or a policy judges (matchConditions).
//
// Source: pkg/apis/admissionregistration/validation/validation.go validateMatchConditions,
// validateCELCondition.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "ksim/api/rules/field_errors.h"
#include "ksim/cel/admission/expressions.h"
#include "ksim/value/value.h"

namespace ksim::api {

using KnownTexts = std::set<std::string, std::less<>>;

// Compiles new expressions of admission, and those that are in the old state, as a server does.
class AdmissionCompiler {
 public:
  AdmissionCompiler(Compat compat, bool params, bool composed);
  // Refuses at `path` what does not compile to one of the types; `shown` is the bad value.
  void Check(std::string_view text, std::string_view shown, bool stored, bool authorizer,
             const std::vector<cel::TypePtr>& returns, const FieldPath& path,
             FieldErrorList* errors);
  void AddVariable(const std::string& name, std::string_view text, bool stored,
                   const FieldPath& path, FieldErrorList* errors);

 private:
  static void Tell(const cel::AdmissionProgram& compiled, std::string_view shown,
                   const FieldPath& path, FieldErrorList* errors);
  cel::AdmissionExpressions fresh_, stored_;
};

// `params`: they may name params. `known`: the expressions of the old state.
void CheckMatchConditions(const value::Value& conditions, bool params, const KnownTexts& known,
                          const FieldPath& path, FieldErrorList* errors);

}  // namespace ksim::api
