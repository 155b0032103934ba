// Rules of the fields of a custom kind that field selectors may name (selectableFields).
//
// Sources: apiextensions-apiserver pkg/apis/apiextensions/validation/validation.go
// ValidateCustomResourceSelectableFields, pkg/apiserver/schema/cel/validation.go ValidFieldPath,
// pkg/registry/customresourcedefinition/strategy.go dropDisabledFields.
#pragma once
#include "ksim/api/rules/field_errors.h"
#include "ksim/value/value.h"

namespace ksim::api {

// `fields`: the list, `path` its place; `schema`: that of the same version.
void ValidateSelectableFields(const value::Value& fields, const value::Value& schema,
                              const FieldPath& path, FieldErrorList* errors);

// The definition as a server without the gate CustomResourceFieldSelectors takes it: without its
// selectable fields, unless `old`, which may be null, has some.
value::Value WithoutSelectableFields(value::Value crd, const value::Value* old);

}  // namespace ksim::api
