// Whether a schema is structural: each part of an object has one type, said outside of logic.
//
// Source: apiextensions-apiserver pkg/apiserver/schema/{validation,complete}.go.
#pragma once
#include "ksim/api/rules/field_errors.h"
#include "ksim/value/value.h"

namespace ksim::api {

// NewStructural and ValidateStructural: true if the schema is not structural. Nothing is added for
// a field that no structural schema has.
bool ValidateStructural(const value::Value& schema, const FieldPath& at, FieldErrorList* errors);

}  // namespace ksim::api
