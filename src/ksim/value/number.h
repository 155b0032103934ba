// Numbers as text, the same on every machine and in every locale.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ksim/value/value.h"

namespace ksim::value {

void AppendInt(std::int64_t i, std::string* out);

// Shortest text that reads back as the same double, always with a fraction or an exponent, so that
// it reads back as a double: 1.0, 0.1, 1e+22. NaN and infinities: null.
void AppendDouble(double d, std::string* out);

// The number that a text of the form [-+]digits[.digits][e[-+]digits] stands for: an int if it has
// neither fraction nor exponent and fits int64, else the nearest double. Nothing if the double
// overflows. The caller has checked the form.
std::optional<Value> NumberValue(std::string_view text);

}  // namespace ksim::value
