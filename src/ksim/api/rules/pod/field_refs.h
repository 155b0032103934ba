// Rules of references to a pod's own fields and resources, in a variable or in a file of a volume.
//
// Source: pkg/apis/core/validation/validation.go validateObjectFieldSelector,
// validateContainerResourceFieldSelector.
#pragma once
#include "ksim/api/rules/field_errors.h"

namespace ksim::api {

// `volume`: the reference is in a volume.
void ValidateFieldRef(const value::Value& ref, bool volume, const FieldPath& path,
                      FieldErrorList* errors);
void ValidateResourceFieldRef(const value::Value& ref, bool volume, const FieldPath& path,
                              FieldErrorList* errors);

}  // namespace ksim::api
