// Rules of matchLabelKeys and mismatchLabelKeys, in affinity terms and spread constraints.
//
// Source: pkg/apis/core/validation/validation.go ValidateMatchLabelKeysAndMismatchLabelKeys.
#pragma once
#include <string_view>

#include "ksim/api/rules/field_errors.h"

namespace ksim::api {

// unversionedvalidation.ValidateLabelName.
void ValidateLabelName(std::string_view name, const FieldPath& path, FieldErrorList* errors);

// Both lists of `term`, against each other and its labelSelector.
void ValidateLabelKeys(const value::Value& term, const FieldPath& path, FieldErrorList* errors);

}  // namespace ksim::api
