// Rules of a projected volume: the files of its sources, none of which may take another's path.
//
// Source: pkg/apis/core/validation/validation.go validateProjectedVolumeSource,
// validateProjectionSources.
#pragma once
#include "ksim/api/rules/field_errors.h"

namespace ksim::api {

void ValidateProjectedVolume(const value::Value& source, const FieldPath& path,
                             FieldErrorList* errors);

}  // namespace ksim::api
