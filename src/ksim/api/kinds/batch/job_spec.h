// What a Job and the job template of a CronJob have in common.
//
// Source: pkg/apis/batch/validation/validation.go.
#pragma once
#include "ksim/api/rules/field_errors.h"
#include "ksim/value/value.h"

namespace ksim::api {

// validateJobSpec. The failure and success policies are not validated.
void CheckJobSpec(const value::Value& spec, const FieldPath& path, FieldErrorList* errors);

}  // namespace ksim::api
