// Rules of tolerations, and of the effect that they share with taints.
//
// Source: pkg/apis/core/validation/validation.go ValidateTolerations, validateTaintEffect.
#pragma once
#include <string_view>

#include "ksim/api/rules/field_errors.h"

namespace ksim::api {

void ValidateTolerations(const value::Value& tolerations, const FieldPath& path,
                         FieldErrorList* errors);
void ValidateTaintEffect(std::string_view effect, const FieldPath& path, FieldErrorList* errors);

}  // namespace ksim::api
