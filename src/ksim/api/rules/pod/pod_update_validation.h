// Rules of updates of a stored Pod: the fields that may change, and the spec again (API-115).
//
// Source: pkg/apis/core/validation/validation.go ValidatePodUpdate.
#pragma once
#include <string>

#include "ksim/api/rules/field_errors.h"

namespace ksim::api {

// The fields that differ, a line a value: `-` as it was, `+` as it is.
std::string ChangedFields(const value::Value& old, const value::Value& updated);

void ValidatePodUpdate(const value::Value& pod, const value::Value& old, FieldErrorList* errors);

}  // namespace ksim::api
