#include "ksim/scheduler/plugins/fixed_log.h"

#include <bit>

namespace ksim::scheduler {

// log2 bit by bit: squaring the mantissa doubles the logarithm; what overflows is the next bit.
std::uint64_t FixedLn(std::uint64_t n) {
  constexpr std::uint64_t kLn2 = 2977044472;  // ln(2) * 2^32, rounded
  const int exponent = std::bit_width(n) - 1;
  // The mantissa in [1, 2) as 1.62.
  unsigned __int128 mantissa = static_cast<unsigned __int128>(n) << (62 - exponent);
  std::uint64_t log2 = static_cast<std::uint64_t>(exponent) << 32;
  for (int bit = 31; bit >= 0; --bit) {
    mantissa = (mantissa * mantissa) >> 62;
    if ((mantissa >> 63) == 0) continue;
    mantissa >>= 1;
    log2 |= std::uint64_t{1} << bit;
  }
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(log2) * kLn2) >> 32);
}

}  // namespace ksim::scheduler
