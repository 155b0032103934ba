#include "ksim/value/json_stream.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <utility>

namespace ksim::value {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::size_t kEscape = 6;  // "\ud83d"

// The code unit of the escape at the beginning of `text`; 0 if there is none.
std::uint32_t UnitAt(std::string_view text) {
  std::uint32_t unit = 0;
  if (!text.starts_with("\\u") || text.size() < kEscape) return 0;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + kEscape, unit, 16);
  return error == std::errc() && end == text.data() + kEscape ? unit : 0;
}

// The code point of the pair of surrogates at the beginning of `text`; 0 if there is none.
std::uint32_t PairAt(std::string_view text) {
  const std::uint32_t high = UnitAt(text);
  if (high < 0xd800 || high > 0xdbff) return 0;
  const std::uint32_t low = UnitAt(text.substr(kEscape));
  if (low < 0xdc00 || low > 0xdfff) return 0;
  return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

}  // namespace

std::size_t JsonObjectLength(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

std::vector<std::size_t> JsonObjectsIn(std::string_view text) {
  std::vector<std::size_t> begins;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t object = text.find_first_not_of(kBlanks, at);
    if (object == std::string_view::npos) break;
    if (text[object] != '{') return {0};
    begins.push_back(object);
    const std::size_t length = JsonObjectLength(text.substr(object));
    if (length == std::string_view::npos) break;
    at = object + length;
  }
  if (begins.empty()) return {0};
  return begins;
}

std::string WithYamlEscapes(std::string_view json) {
  std::string out;
  bool in_string = false;
  std::size_t shorter = 0;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string && c == '\\') {
      if (const std::uint32_t pair = PairAt(json.substr(i)); pair != 0) {
        out += fmt::format("\\U{:08X}", pair);
        shorter += 2 * kEscape - std::string_view("\\U0001F600").size();
        i += 2 * kEscape - 1;
      } else {
        out += json.substr(i++, 2);
      }
      continue;
    }
    out.push_back(c);
    if (c != '"') continue;
    in_string = !in_string;
    if (!in_string) out.append(std::exchange(shorter, 0), ' ');
  }
  return out;
}

}  // namespace ksim::value
