// The natural logarithm without floating point.
#pragma once
#include <cstdint>

namespace ksim::scheduler {

// ln(n) in 32.32 fixed point, truncated; n >= 1. The error is below 2^-28.
std::uint64_t FixedLn(std::uint64_t n);

}  // namespace ksim::scheduler
