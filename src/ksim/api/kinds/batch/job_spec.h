// Validation and warnings that a Job and the job template of a CronJob share.
//
// Source: pkg/apis/batch/validation/validation.go; pkg/api/job/warnings.go.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/compat.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/value/value.h"

namespace ksim::api {

// validateJobSpec.
void CheckJobSpec(const value::Value& spec, const FieldPath& path, FieldErrorList* errors);

// WarningsForJobSpec: of the spec at `path`, and of its pod template.
void WarnOfJobSpec(const value::Value& spec, std::string_view path, Compat compat,
                   std::vector<std::string>* warnings);

}  // namespace ksim::api
