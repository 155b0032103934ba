// Parts of claims as bad values: the internal types of Go as JSON, which have no tags, so that all
// their fields are there under Go's names.
//
// Source: pkg/apis/resource/types.go.
#pragma once
#include <string_view>

#include "ksim/api/rules/field_errors.h"
#include "ksim/value/value.h"

namespace ksim::api {

// Refuses a part that is another than before (ValidateImmutableField). `type`: its type as
// device_texts.cc lists it: ClaimSpec, TemplateSpec, Allocation.
void CheckDevicePartStays(const value::Value& updated, const value::Value& old,
                          std::string_view type, const FieldPath& path, FieldErrorList* errors);
// Refuses a part that is wrong. `type`: "[]Term", Attribute, Shared (which device it is).
void RefuseDevicePart(const value::Value& part, std::string_view type, std::string_view detail,
                      const FieldPath& path, FieldErrorList* errors);

}  // namespace ksim::api
