#include "ksim/base/paint.h"

#include <fmt/format.h>

namespace ksim {

std::string Paint(bool color, const char* code, std::string_view text) {
  return color ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

}  // namespace ksim
