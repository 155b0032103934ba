// The expressions of a ValidatingAdmissionPolicy: that they compile, and what stands beside them.
//
// Source: pkg/apis/admissionregistration/validation/validation.go
// validateValidatingAdmissionPolicySpec.
#pragma once
#include "ksim/api/rules/field_errors.h"
#include "ksim/value/value.h"

namespace ksim::api {

// `old_spec` null: a new policy.
void CheckPolicyExpressions(const value::Value& policy, const value::Value& old_spec,
                            const FieldPath& path, FieldErrorList* errors);

}  // namespace ksim::api
