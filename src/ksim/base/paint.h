// Text in the colours of a terminal.
#pragma once
#include <string>
#include <string_view>

namespace ksim {

// The text in a colour ("31" red, "1" bold, ...) if `color`, or as it is.
std::string Paint(bool color, const char* code, std::string_view text);

}  // namespace ksim
