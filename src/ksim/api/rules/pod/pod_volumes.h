// Rules of a pod's volumes.
//
// Source: pkg/apis/core/validation/validation.go ValidateVolumes, validateVolumeSource.
#pragma once
#include <string_view>
#include <vector>

#include "ksim/api/rules/field_errors.h"

namespace ksim::api {

// Returns the volumes without an error. `pod_name` is empty for a template.
std::vector<const value::Value*> ValidateVolumes(const value::Value& volumes,
                                                 std::string_view pod_name, const FieldPath& path,
                                                 FieldErrorList* errors);

}  // namespace ksim::api
