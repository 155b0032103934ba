// Small operations on the ASCII text of HTTP messages. Other bytes stay as they are.
#pragma once
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ksim::apiserver::http {

inline char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }

inline std::string Lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) { return Lower(c); });
  return out;
}

inline bool EqualsIgnoreCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return Lower(x) == Lower(y); });
}

// Drops the characters of `set` at both ends.
inline std::string_view Trim(std::string_view text, std::string_view set) {
  const std::size_t begin = text.find_first_not_of(set);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(set) - begin + 1);
}

// Cuts off and returns what stands before the first `separator`; without one, all.
inline std::string_view Cut(std::string_view& rest, char separator) {
  const std::size_t place = rest.find(separator);
  const std::string_view item = rest.substr(0, place);
  rest = place == rest.npos ? std::string_view() : rest.substr(place + 1);
  return item;
}

}  // namespace ksim::apiserver::http
