// Objects within custom resources (x-kubernetes-embedded-resource) have a type and metadata.
//
// Source: apiextensions-apiserver pkg/apiserver/schema/objectmeta/validation.go.
#pragma once
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/structural/schema_node.h"

namespace ksim::api {

// Validate, of a whole custom resource, which is itself none.
void ValidateEmbedded(const SchemaNode& schema, const value::Value& object, FieldErrorList* errors);
// The same of a value at `at`, which may be an embedded object itself.
void ValidateEmbeddedAt(const SchemaNode& schema, const value::Value& v, const FieldPath& at,
                        FieldErrorList* errors);

}  // namespace ksim::api
