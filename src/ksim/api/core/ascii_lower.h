// Lower case of ASCII letters, as Go's strings.ToLower gives for names; other bytes stay.
#pragma once
#include <string>
#include <string_view>

namespace ksim::api {

inline std::string AsciiLower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

}  // namespace ksim::api
