#include "ksim/guest/build/split.h"

namespace ksim::guest {

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  if (text.empty()) return parts;
  for (std::size_t end; (end = text.find(separator)) != text.npos; text.remove_prefix(end + 1))
    parts.emplace_back(text.substr(0, end));
  parts.emplace_back(text);
  return parts;
}

std::vector<std::string> SplitWords(std::string_view text, char separator) {
  std::vector<std::string> parts = Split(text, separator);
  std::erase(parts, "");
  return parts;
}

}  // namespace ksim::guest
