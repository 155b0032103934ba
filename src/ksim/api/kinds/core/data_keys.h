// Validation that ConfigMaps and Secrets share.
//
// Source: pkg/apis/core/validation/validation.go.
#pragma once
#include <cstdint>
#include <string_view>

#include "ksim/api/rules/field_errors.h"
#include "ksim/value/value.h"

namespace ksim::api {

inline constexpr std::int64_t kMaxDataSize = 1024 * 1024;

// The keys of one field; `size` grows by the length of what they hold.
void CheckDataKeys(const value::Value& data, std::string_view field, const value::Value* other,
                   std::int64_t* size, FieldErrorList* errors);

// Objects with immutable: true.
void ValidateImmutableData(const value::Value& updated, const value::Value& old,
                           FieldErrorList* errors);

}  // namespace ksim::api
