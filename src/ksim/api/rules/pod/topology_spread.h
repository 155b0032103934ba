// Rules of topologySpreadConstraints.
//
// Source: pkg/apis/core/validation/validation.go validateTopologySpreadConstraints.
#pragma once
#include "ksim/api/rules/field_errors.h"

namespace ksim::api {

void ValidateTopologySpread(const value::Value& constraints, const FieldPath& path,
                            FieldErrorList* errors);

}  // namespace ksim::api
