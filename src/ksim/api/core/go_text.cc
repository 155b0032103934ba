#include "ksim/api/core/go_text.h"

#include <fmt/format.h>

namespace ksim::api {

std::string GoStringSlice(const std::vector<std::string>& items) {
  std::string out = "[]string{";
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out += ", ";
    out += GoQuote(items[i]);
  }
  return out + "}";
}

std::string GoPlainSlice(const std::vector<std::string>& items) {
  return fmt::format("[{}]", fmt::join(items, " "));
}

}  // namespace ksim::api
