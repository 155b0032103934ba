// Rules of a Job that its spec alone does not decide: the labels and the selector that it was
// given, the hostnames of its pods, and what of its template may still change.
//
// Source: pkg/apis/batch/validation/validation.go validateGeneratedSelector, ValidateJob,
// validatePodTemplateUpdate; pkg/registry/batch/job/strategy.go validationOptionsForJob.
#pragma once
#include "ksim/api/rules/field_errors.h"
#include "ksim/value/value.h"

namespace ksim::api {

void CheckGeneratedSelector(const value::Value& job, FieldErrorList* errors);
void CheckPodHostname(const value::Value& job, FieldErrorList* errors);
// `path`: that of the spec.
void CheckTemplateUpdate(const value::Value& job, const value::Value& old, const FieldPath& path,
                         FieldErrorList* errors);

}  // namespace ksim::api
