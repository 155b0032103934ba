// A Job's failure policy, its success policy, and the texts that list its indexes: validation and
// defaults.
//
// Source: pkg/apis/batch/validation/validation.go validatePodFailurePolicy, validateSuccessPolicy,
// validateIndexesFormat; pkg/apis/batch/v1/defaults.go.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "ksim/api/rules/field_errors.h"
#include "ksim/value/value.h"

namespace ksim::api {

// `spec` is that of the Job; each does nothing where there is no such policy.
void CheckPodFailurePolicy(const value::Value& spec, const FieldPath& path, FieldErrorList* errors);
void CheckSuccessPolicy(const value::Value& spec, const FieldPath& path, FieldErrorList* errors);

// SetDefaults_PodFailurePolicyOnPodConditionsPattern: the spec of a Job, its policy filled in.
value::Value DefaultFailurePolicy(const value::Value& spec);

// The problem with a list of indexes ("0,2-4"), "" for a good one; `total` is their number.
std::string IndexesProblem(std::string_view text, std::int64_t completions, std::int64_t* total);

}  // namespace ksim::api
