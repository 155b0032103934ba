// Float64: a double that is never negative, worked out with whole numbers. Upstream decides by
// ratios of doubles: 110 of 100 is a little more than 1.1, and a score that is cut to an integer
// comes out one lower where a quotient was rounded down. This type rounds each step to 53 bits,
// half to even, as IEEE 754 and amd64 do, and the decisions are upstream's on every machine. Go may
// fuse a product and a sum on other processors, which nothing here computes.
#pragma once
#include <compare>
#include <cstdint>

namespace ksim {

class Float64 {
 public:
  Float64() = default;                // 0
  static Float64 Of(std::int64_t n);  // float64(n); n is not negative
  static Float64 Tenths(std::int64_t n) { return Of(n) / Of(10); }

  friend Float64 operator+(Float64 a, Float64 b);
  friend Float64 operator-(Float64 a, Float64 b);  // a is not less than b
  friend Float64 operator*(Float64 a, Float64 b);
  // By 0: infinite, and 0/0 is no number.
  friend Float64 operator/(Float64 a, Float64 b);

  // No number is unordered with everything.
  friend std::partial_ordering operator<=>(Float64 a, Float64 b);
  friend bool operator==(Float64 a, Float64 b) { return (a <=> b) == 0; }

  // int64(math.Ceil(x)), int64(x) and int32(math.Ceil(x)); what does not fit is the least number,
  // as the processors have it that Kubernetes mostly runs on (CVTTSD2SQ, CVTTSD2SL).
  std::int64_t Ceil() const;
  std::int64_t Floor() const;
  std::int32_t Ceil32() const;

 private:
  __extension__ using Wide = unsigned __int128;
  enum class Kind : std::uint8_t { kFinite, kInfinite, kNaN };
  // bits * 2^exponent, and a little more if `more`, rounded.
  static Float64 Rounded(Wide bits, int exponent, bool more);
  static Float64 Special(Kind kind);
  std::int64_t Whole(bool up) const;

  std::uint64_t bits_ = 0;  // 0, or from 2^52 on and below 2^53
  int exponent_ = 0;
  Kind kind_ = Kind::kFinite;
};

}  // namespace ksim
