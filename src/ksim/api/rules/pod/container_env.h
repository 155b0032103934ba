// Rules of a container's environment.
//
// Source: pkg/apis/core/validation/validation.go ValidateEnv, validateEnvVarValueFrom,
// ValidateEnvFrom.
#pragma once
#include "ksim/api/rules/field_errors.h"

namespace ksim::api {

void ValidateEnv(const value::Value& env, const FieldPath& path, FieldErrorList* errors);
void ValidateEnvFrom(const value::Value& env_from, const FieldPath& path, FieldErrorList* errors);

}  // namespace ksim::api
