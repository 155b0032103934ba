// ExpressionRules: the rules in CEL that a CustomResourceDefinition brings
// (x-kubernetes-validations): that they compile, and what they may cost.
//
// Sources: apiextensions-apiserver pkg/apis/apiextensions/validation/validation.go
// (ValidateCustomResourceDefinitionOpenAPISchema, getExpressionCost, getCostErrorMessage),
// cel_validation.go (CELSchemaContext, TotalCost).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ksim/api/rules/field_errors.h"
#include "ksim/cel/rules/compiled.h"
#include "ksim/value/value.h"

namespace ksim::api {

// The old state of a definition, as far as the new one may rely on it.
struct OldExpressions {
  cel::KnownExpressions known;
  // The schema is as it was: what a rule costs alone is not looked at.
  bool same_schema = false;
};

// findPreexistingExpressions, of all versions.
cel::KnownExpressions ExpressionsOf(const value::Value& versions);

// A place in a schema.
struct ExpressionPlace {
  bool judged = true;  // false below not, anyOf and their like
  bool root = false;
  std::optional<std::uint64_t> cardinality = 1;  // how often it may be in an object; none: no bound
  std::string uncorrelatable;  // the list above it whose items have no known old state; "": none

  ExpressionPlace Items(const value::Value& list, const FieldPath& at) const;
  ExpressionPlace Field(const value::Value& object) const;  // properties, additionalProperties
  ExpressionPlace Unjudged() const;
};

// Errors come after those of the schema itself.
class ExpressionRules {
 public:
  ExpressionRules(Compat compat, const OldExpressions& old);

  // The rules of one node whose schema has no error.
  void Check(const value::Value& schema, const ExpressionPlace& place, const FieldPath& at);
  // The cost of all together; `at` is the place of the whole schema.
  void CheckTotal(const FieldPath& at);
  void AppendTo(FieldErrorList* errors);

 private:
  void CheckRule(const cel::CompiledRule& rule, std::uint64_t cost, const ExpressionPlace& place,
                 const FieldPath& at);
  void CheckCost(const char* what, std::uint64_t cost, const FieldPath& at);

  const OldExpressions& old_;
  const cel::RuleCompiler compiler_;
  FieldErrorList errors_;
  std::uint64_t total_ = 0;
  std::vector<std::pair<std::uint64_t, std::string>> expensive_;
};

}  // namespace ksim::api
