// Validation that a Job and the job template of a CronJob share.
//
// Source: pkg/apis/batch/validation/validation.go.
#pragma once
#include "ksim/api/rules/field_errors.h"
#include "ksim/value/value.h"

namespace ksim::api {

// validateJobSpec. It does not check failure and success policies.
void CheckJobSpec(const value::Value& spec, const FieldPath& path, FieldErrorList* errors);

}  // namespace ksim::api
