// The ends of a text, the key in tables of recent texts: cheaper than a hash, and enough to tell
// short texts apart.
#pragma once
#include <cstdint>
#include <cstring>
#include <string_view>

namespace ksim::value {

// The first and the last eight bytes of a text and its size; a shorter text gives all its bytes,
// read twice where they overlap. Up to 16 bytes this tells any two texts apart.
struct Ends {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t size = 0;
  friend bool operator==(const Ends&, const Ends&) = default;
  // A place in a table of 2^bits.
  std::size_t Place(int bits) const {
    return ((first ^ (last << 7) ^ size) * 0x9E3779B97F4A7C15) >> (64 - bits);
  }
};
inline constexpr std::size_t kToldApart = 16;

template <class Word>
std::uint64_t LoadWord(const char* from) {
  Word word;
  std::memcpy(&word, from, sizeof(word));
  return word;
}

inline Ends EndsOf(std::string_view text) {
  const std::size_t n = text.size();
  const char* s = text.data();
  if (n >= 8) return {LoadWord<std::uint64_t>(s), LoadWord<std::uint64_t>(s + n - 8), n};
  if (n >= 4) return {LoadWord<std::uint32_t>(s), LoadWord<std::uint32_t>(s + n - 4), n};
  if (n >= 2) return {LoadWord<std::uint16_t>(s), LoadWord<std::uint16_t>(s + n - 2), n};
  return {n == 1 ? LoadWord<std::uint8_t>(s) : 0, 0, n};
}

}  // namespace ksim::value
