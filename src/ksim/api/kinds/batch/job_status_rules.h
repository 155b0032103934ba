// Validation of a write of a Job's status. Where Jobs may be managed by other controllers
// (JobManagedBy) it is strict about what changes.
//
// Source: pkg/apis/batch/validation/validation.go ValidateJobStatusUpdate, validateJobStatus;
// pkg/registry/batch/job/strategy.go getStatusValidationOptions.
#pragma once
#include "ksim/api/rules/field_errors.h"
#include "ksim/value/value.h"

namespace ksim::api {

void ValidateJobStatusUpdate(const value::Value& updated, const value::Value& old,
                             FieldErrorList* errors);

}  // namespace ksim::api
