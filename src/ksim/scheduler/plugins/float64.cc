#include "ksim/scheduler/plugins/float64.h"

#include <tuple>

#include "ksim/base/check.h"

namespace ksim::scheduler {

namespace {

constexpr int kBits = 53;
constexpr int kGuard = 64;  // bits behind those of a mantissa, so that rounding sees what is cut

}  // namespace

Float64::Float64(std::int64_t n) : Float64(static_cast<Wide>(n), 0, false) { KSIM_CHECK(n >= 0); }

// `more`: the exact value is a little above mantissa * 2^exponent; the mantissa then has at least
// two bits to cut.
Float64::Float64(Wide mantissa, int exponent, bool more) {
  if (mantissa == 0) return;
  int width = 0;
  for (Wide rest = mantissa; rest != 0; rest >>= 1) ++width;
  if (width <= kBits) {
    mantissa_ = static_cast<std::uint64_t>(mantissa) << (kBits - width);
    exponent_ = exponent - (kBits - width);
    return;
  }
  const int cut = width - kBits;
  const Wide rest = mantissa & ((Wide{1} << cut) - 1);
  const Wide half = Wide{1} << (cut - 1);
  mantissa_ = static_cast<std::uint64_t>(mantissa >> cut);
  exponent_ = exponent + cut;
  if (rest > half || (rest == half && (more || mantissa_ % 2 == 1))) ++mantissa_;
  if (mantissa_ >> kBits == 0) return;
  mantissa_ >>= 1;
  ++exponent_;
}

Float64 operator*(const Float64& a, const Float64& b) {
  return {Float64::Wide{a.mantissa_} * b.mantissa_, a.exponent_ + b.exponent_, false};
}

Float64 operator/(const Float64& a, const Float64& b) {
  KSIM_CHECK(b.mantissa_ != 0);
  const Float64::Wide dividend = Float64::Wide{a.mantissa_} << kGuard;
  return {dividend / b.mantissa_, a.exponent_ - b.exponent_ - kGuard, dividend % b.mantissa_ != 0};
}

Float64 operator-(const Float64& a, const Float64& b) {
  KSIM_CHECK(!(a < b));
  if (b.mantissa_ == 0) return a;
  const Float64::Wide from = Float64::Wide{a.mantissa_} << kGuard;
  const int shift = a.exponent_ - b.exponent_;
  const bool tiny = shift > kGuard;  // bits of b lie behind the guard
  Float64::Wide by = Float64::Wide{b.mantissa_} << kGuard;
  by = shift >= kGuard + kBits ? 0 : by >> shift;
  if (tiny) ++by;
  return {from - by, a.exponent_ - kGuard, tiny};
}

bool operator<(const Float64& a, const Float64& b) {
  if (a.mantissa_ == 0 || b.mantissa_ == 0) return a.mantissa_ < b.mantissa_;
  return std::tie(a.exponent_, a.mantissa_) < std::tie(b.exponent_, b.mantissa_);
}

std::int64_t Float64::Truncated() const {
  if (exponent_ >= 0) return static_cast<std::int64_t>(mantissa_ << exponent_);
  return exponent_ <= -kBits ? 0 : static_cast<std::int64_t>(mantissa_ >> -exponent_);
}

}  // namespace ksim::scheduler
