// The SplitMix64 finaliser: the one mixing function of draws, keys and their sums. Fixed for good.
#pragma once
#include <cstdint>

namespace ksim::sim {

constexpr std::uint64_t Mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

// The high half of the 128-bit product: [0, n) for a uniform r.
constexpr std::uint64_t Scale(std::uint64_t r, std::uint64_t n) {
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(r) * n) >> 64);
}

}  // namespace ksim::sim
