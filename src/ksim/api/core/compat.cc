#include "ksim/api/compat.h"

namespace ksim::api {

std::string_view ToString(Compat c) {
  switch (c) {
    case Compat::k1_25:
      return "1.25";
    case Compat::k1_30:
      return "1.30";
    case Compat::k1_36:
      return "1.36";
  }
  return "";
}

std::optional<Compat> ParseCompat(std::string_view text) {
  for (const Compat c : kCompats) {
    if (text == ToString(c)) return c;
  }
  return std::nullopt;
}

}  // namespace ksim::api
