// Rules of the schemas of CustomResourceDefinitions.
//
// Sources: apiextensions-apiserver pkg/apis/apiextensions/validation/validation.go
// (validateCustomResourceDefinitionValidation, ValidateCustomResourceDefinitionOpenAPISchema),
// pkg/apiserver/schema/{validation,complete}.go, pkg/apiserver/schema/defaulting/validation.go.
#pragma once
#include "ksim/api/kinds/apiextensions/expression_rules.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/value/value.h"

namespace ksim::api {

// validateCustomResourceDefinitionValidation: `path` is that of the schema's parent.
void ValidateDefinedSchema(const value::Value& schema, bool status_enabled,
                           const OldExpressions& old, const FieldPath& path,
                           FieldErrorList* errors);

}  // namespace ksim::api
