// Rules of updates of a Pod at its subresources ephemeralcontainers and resize.
//
// Source: pkg/apis/core/validation/validation.go ValidatePodEphemeralContainersUpdate,
// ValidatePodResize.
#pragma once
#include <string_view>

#include "ksim/api/rules/field_errors.h"

namespace ksim::api {

void ValidatePodSubresource(const value::Value& pod, const value::Value& old,
                            std::string_view subresource, FieldErrorList* errors);

}  // namespace ksim::api
