#include "ksim/value/base64.h"

#include <cstdint>

namespace ksim::value {

std::string Base64(std::string_view s) {
  static constexpr char kLetters[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
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

}  // namespace ksim::value
