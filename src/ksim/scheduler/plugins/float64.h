// Numbers not below zero that round as Go's float64 does, without floating point: scores that
// upstream cuts to integers come out one lower where a quotient is rounded down.
//
// Each operation rounds its exact result to 53 bits, half to even, as IEEE 754 and amd64 do; Go may
// fuse a product and a sum on other processors, which nothing here computes.
#pragma once
#include <cstdint>

namespace ksim::scheduler {

class Float64 {
 public:
  Float64() = default;  // 0
  explicit Float64(std::int64_t n);

  friend Float64 operator*(const Float64& a, const Float64& b);
  friend Float64 operator/(const Float64& a, const Float64& b);  // b is not 0
  friend Float64 operator-(const Float64& a, const Float64& b);  // a is not less than b
  friend bool operator<(const Float64& a, const Float64& b);

  std::int64_t Truncated() const;

 private:
  __extension__ using Wide = unsigned __int128;
  Float64(Wide mantissa, int exponent, bool more);

  // The value is mantissa_ * 2^exponent_. The mantissa has 53 bits, or is 0.
  std::uint64_t mantissa_ = 0;
  int exponent_ = 0;
};

}  // namespace ksim::scheduler
