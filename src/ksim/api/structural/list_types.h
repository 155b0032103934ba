// Lists of type set and map hold nothing twice.
//
// Source: apiextensions-apiserver pkg/apiserver/schema/listtype/validation.go.
#pragma once
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/structural/schema_node.h"

namespace ksim::api {

// ValidateListSetsAndMaps
void ValidateListTypes(const SchemaNode& schema, const value::Value& object,
                       FieldErrorList* errors);

}  // namespace ksim::api
