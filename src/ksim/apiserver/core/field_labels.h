// Field labels: the fields of each kind that a field selector may name, and their values.
//
// Sources: the kinds' ToSelectableFields and field label conversions
// (pkg/apis/core/v1/conversion.go, pkg/registry/<group>/<resource>/strategy.go).
#pragma once
#include <string>
#include <string_view>

#include "ksim/api/kinds.h"
#include "ksim/api/object.h"
#include "ksim/api/status.h"
#include "ksim/apiserver/core/profile.h"
#include "ksim/value/selector.h"

namespace ksim::apiserver {

// The value that a field selector compares, "" if it is not set (API-59). `field` must pass
// CheckFieldLabels.
std::string FieldValue(const api::ResourceInfo& r, const api::Object& object,
                       std::string_view field);

// 400 if the selector names a field that the kind does not offer (API-56, API-57).
api::Status CheckFieldLabels(const api::ResourceInfo& r, const value::FieldSelector& fields,
                             const Profile& profile);

}  // namespace ksim::apiserver
