// Rules of spec.os: the fields that a pod of an operating system may not have.
//
// Source: pkg/apis/core/validation/validation.go validateOS, validateLinux, validateWindows.
#pragma once
#include "ksim/api/rules/field_errors.h"

namespace ksim::api {

void ValidateOs(const value::Value& spec, const FieldPath& path, FieldErrorList* errors);

}  // namespace ksim::api
