#include "ksim/base/float64.h"

#include <limits>
#include <utility>

#include "ksim/base/check.h"

namespace ksim {
namespace {

constexpr int kFractionBits = 53;
constexpr int kSpareBits = 64;  // a wide number holds a fraction and so many more
constexpr std::int64_t kUnrepresentable = std::numeric_limits<std::int64_t>::min();

}  // namespace

Float64 Float64::Of(std::int64_t n) {
  KSIM_CHECK(n >= 0) << "a negative amount";
  return Rounded(static_cast<Wide>(n), 0, false);
}

Float64 Float64::Special(Kind kind) {
  Float64 out;
  out.kind_ = kind;
  return out;
}

Float64 Float64::Rounded(Wide bits, int exponent, bool more) {
  Float64 out;
  if (bits == 0) return out;
  bool half = false;  // the bit that was cut last
  constexpr Wide kTop = Wide{1} << kFractionBits;
  while (bits >= kTop) {
    more = more || half;
    half = (bits & 1) != 0;
    bits >>= 1;
    ++exponent;
  }
  const bool odd = (bits & 1) != 0;
  if (half && (more || odd)) ++bits;
  if (bits == kTop) {
    bits >>= 1;
    ++exponent;
  }
  while (bits < kTop / 2) {
    bits <<= 1;
    --exponent;
  }
  out.bits_ = static_cast<std::uint64_t>(bits);
  out.exponent_ = exponent;
  return out;
}

Float64 operator+(Float64 a, Float64 b) {
  using Kind = Float64::Kind;
  if (a.kind_ == Kind::kNaN || b.kind_ == Kind::kNaN) return Float64::Special(Kind::kNaN);
  if (a.kind_ == Kind::kInfinite || b.kind_ == Kind::kInfinite)
    return Float64::Special(Kind::kInfinite);
  if (a < b) std::swap(a, b);
  if (b.bits_ == 0) return a;
  const int apart = a.exponent_ - b.exponent_;
  if (apart > kSpareBits) return a;
  return Float64::Rounded((Float64::Wide{a.bits_} << apart) + b.bits_, b.exponent_, false);
}

Float64 operator-(Float64 a, Float64 b) {
  using Kind = Float64::Kind;
  if (a.kind_ != Kind::kFinite) return a;
  if (b.bits_ == 0) return a;
  const int apart = a.exponent_ - b.exponent_;
  if (apart > kSpareBits) return a;
  return Float64::Rounded((Float64::Wide{a.bits_} << apart) - b.bits_, b.exponent_, false);
}

Float64 operator*(Float64 a, Float64 b) {
  using Kind = Float64::Kind;
  if (a.kind_ != Kind::kFinite || b.kind_ != Kind::kFinite) {
    const bool zero =
        (a.kind_ == Kind::kFinite && a.bits_ == 0) || (b.kind_ == Kind::kFinite && b.bits_ == 0);
    const bool nan = zero || a.kind_ == Kind::kNaN || b.kind_ == Kind::kNaN;
    return Float64::Special(nan ? Kind::kNaN : Kind::kInfinite);
  }
  return Float64::Rounded(Float64::Wide{a.bits_} * b.bits_, a.exponent_ + b.exponent_, false);
}

Float64 operator/(Float64 a, Float64 b) {
  using Kind = Float64::Kind;
  if (a.kind_ == Kind::kNaN || b.kind_ == Kind::kNaN) return Float64::Special(Kind::kNaN);
  if (b.kind_ == Kind::kInfinite)
    return a.kind_ == Kind::kInfinite ? Float64::Special(Kind::kNaN) : Float64();
  if (a.kind_ == Kind::kInfinite) return a;
  if (b.bits_ == 0) return Float64::Special(a.bits_ == 0 ? Kind::kNaN : Kind::kInfinite);
  const Float64::Wide above = Float64::Wide{a.bits_} << kSpareBits;
  const bool more = above % b.bits_ != 0;
  return Float64::Rounded(above / b.bits_, a.exponent_ - b.exponent_ - kSpareBits, more);
}

std::partial_ordering operator<=>(Float64 a, Float64 b) {
  using Kind = Float64::Kind;
  if (a.kind_ == Kind::kNaN || b.kind_ == Kind::kNaN) return std::partial_ordering::unordered;
  if (a.kind_ != b.kind_)
    return a.kind_ == Kind::kFinite ? std::partial_ordering::less : std::partial_ordering::greater;
  if (a.kind_ == Kind::kInfinite) return std::partial_ordering::equivalent;
  if (a.bits_ == 0 || b.bits_ == 0) return a.bits_ <=> b.bits_;
  if (a.exponent_ != b.exponent_) return a.exponent_ <=> b.exponent_;
  return a.bits_ <=> b.bits_;
}

std::int64_t Float64::Whole(bool up) const {
  if (kind_ != Kind::kFinite) return kUnrepresentable;
  if (bits_ == 0) return 0;
  // 2^53 and more stays below 2^63 with a shift by 10.
  if (exponent_ > 63 - kFractionBits) return kUnrepresentable;
  if (exponent_ >= 0) return static_cast<std::int64_t>(bits_ << exponent_);
  if (-exponent_ >= 64) return up ? 1 : 0;
  const std::uint64_t whole = bits_ >> -exponent_;
  const bool rest = (whole << -exponent_) != bits_;
  return static_cast<std::int64_t>(whole + (up && rest ? 1 : 0));
}

std::int64_t Float64::Ceil() const { return Whole(true); }
std::int64_t Float64::Floor() const { return Whole(false); }

std::int32_t Float64::Ceil32() const {
  constexpr auto kMost = std::numeric_limits<std::int32_t>::max();
  const std::int64_t whole = Ceil();
  return whole < 0 || whole > kMost ? std::numeric_limits<std::int32_t>::min()
                                    : static_cast<std::int32_t>(whole);
}

}  // namespace ksim
