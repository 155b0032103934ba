#include "ksim/value/base64.h"

#include <cstdint>

namespace ksim::value {

namespace {

constexpr std::string_view kLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string Base64(std::string_view s) {
  std::string out;
  out.reserve((s.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < s.size(); i += 3) {
    std::uint32_t word = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      word = word << 8 | (i + j < s.size() ? static_cast<unsigned char>(s[i + j]) : 0);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      out += i + j <= s.size() ? kLetters[(word >> (18 - 6 * j)) & 63] : '=';
    }
  }
  return out;
}

std::optional<std::string> Unbase64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  std::string out;
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool padded = i + padding >= text.size();
    const std::size_t letter = padded ? 0 : kLetters.find(text[i]);
    if (letter == std::string_view::npos) return std::nullopt;
    word = word << 6 | static_cast<std::uint32_t>(letter);
    if (i % 4 != 3) continue;
    for (int shift = 16; shift >= 0; shift -= 8) out += static_cast<char>(word >> shift & 255);
  }
  out.resize(out.size() - padding);
  return out;
}

}  // namespace ksim::value
