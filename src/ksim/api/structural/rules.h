// Rules of schemas in CEL (x-kubernetes-validations), as custom resources are judged by them.
//
// Sources: apiextensions-apiserver pkg/registry/customresource/strategy.go,
// pkg/apiserver/schema/cel/validation.go.
#pragma once
#include <string>
#include <vector>

#include "ksim/api/rules/field_errors.h"
#include "ksim/api/structural/schema_node.h"
#include "ksim/cel/rules/rules.h"

namespace ksim::api {

// The CEL of a server of that version.
cel::RuleOptions RuleOptionsOf(Compat compat);

// The rules of a resource's schema, compiled at the first call.
const cel::RuleSet& RulesOf(const SchemaNode& schema, Compat compat);

// An error as a server words it: field.Error.
void TellRuleError(const cel::RuleError& error, FieldErrorList* errors);
// The same as a warning: field.Error.Error().
std::string RuleWarning(const cel::RuleError& error, Compat compat);

}  // namespace ksim::api
