// Rules of the versions of a CustomResourceDefinition and of what they share.
//
// Within a server, parts that all versions have alike stand once at the spec; errors name them
// there (apiextensions/v1/conversion.go Convert_v1_CustomResourceDefinitionSpec_...).
//
// Source: apiextensions-apiserver pkg/apis/apiextensions/validation/validation.go.
#pragma once
#include "ksim/api/rules/field_errors.h"
#include "ksim/value/value.h"

namespace ksim::api {

// The part of validateCustomResourceDefinitionSpec before the names, and that after them.
// `old_spec` is null for a new definition.
void ValidateDefinedVersions(const value::Value& spec, const value::Value& old_spec,
                             const FieldPath& path, FieldErrorList* errors);
void ValidateDefinedParts(const value::Value& spec, const value::Value& old_spec,
                          const FieldPath& path, FieldErrorList* errors);

// ValidateCustomResourceDefinitionStoredVersions
void ValidateStoredVersions(const value::Value& crd, FieldErrorList* errors);

}  // namespace ksim::api
