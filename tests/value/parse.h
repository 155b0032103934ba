// Trees from JSON texts, for tests.
#pragma once
#include <string_view>

#include "ksim/value/json.h"

namespace ksim::value {

inline Value J(std::string_view text) { return *ParseJson(text); }

}  // namespace ksim::value
