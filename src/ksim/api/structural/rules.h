// Rules of schemas in CEL (x-kubernetes-validations): the place where an evaluator judges them.
//
// Source: apiextensions-apiserver pkg/apiserver/schema/cel/validation.go (Validator.Validate).
#pragma once
#include <cstdint>
#include <functional>

#include "ksim/api/rules/field_errors.h"
#include "ksim/api/structural/schema_node.h"
#include "ksim/value/value.h"

namespace ksim::api {

// One node of an object whose schema has rules.
struct RuledNode {
  const SchemaNode& schema;  // schema.rules: the list of the rules
  const value::Value& self;
  const value::Value* old_self;  // null: there is none, or it cannot be told which it was
  const FieldPath* path;         // null: the whole object
  bool unchanged;                // equal to its old state: ratcheting lets it pass
};

// Calls `judge` at each node that has rules, outer before inner, fields by name.
void VisitRules(const SchemaNode& schema, const value::Value& object, const value::Value* old,
                const std::function<void(const RuledNode&)>& judge);

}  // namespace ksim::api
