// How Go's fmt shows documents: strategic merge patch sorts by these texts and quotes them in its
// errors.
#pragma once
#include <string>
#include <string_view>

#include "ksim/value/value.h"

namespace ksim::value {

std::string GoFormat(const Value& v);         // %v: map[a:1 b:[x y]], <nil>
std::string_view GoTypeName(const Value& v);  // reflect.TypeOf: map[string]interface {}, int64

}  // namespace ksim::value
