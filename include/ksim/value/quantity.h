// resource.Quantity: an exact decimal with a suffix, "100m", "1.5Gi", "12e6".
//
// Upstream: apimachinery pkg/api/resource/quantity.go. Amounts are whole nanos in 128 bits; finer
// ones round up (away from zero), binary ones are capped at 2^63-1 as upstream. Decimal amounts
// beyond 1.7e29 are refused.
#pragma once
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "ksim/value/value.h"

namespace ksim::value {

class Quantity {
 public:
  enum class Format : std::uint8_t {
    kDecimalSI,        // n u m "" k M G T P E
    kBinarySI,         // Ki Mi Gi Ti Pi Ei
    kDecimalExponent,  // 12e6
  };

  Quantity() = default;  // 0
  // InvalidArgument with upstream's text: the regular expression, "unable to parse numeric part of
  // quantity", "unable to parse quantity's suffix".
  static absl::StatusOr<Quantity> Parse(std::string_view text);
  // A string, or a number as JSON allows; null is 0.
  static absl::StatusOr<Quantity> FromTree(const ksim::value::Value& v);
  static Quantity FromInt(std::int64_t value, Format format = Format::kDecimalSI);
  static Quantity FromMilli(std::int64_t milli, Format format = Format::kDecimalSI);

  // Rounded away from zero to whole units, or to thousandths; at the ends of int64 they stay there.
  std::int64_t Value() const;
  std::int64_t MilliValue() const;

  bool is_zero() const { return nanos_ == 0; }
  int Sign() const { return nanos_ < 0 ? -1 : nanos_ > 0 ? 1 : 0; }
  Format format() const { return format_; }

  // The canonical form: no fraction, the largest suffix that loses nothing. A parsed text that is
  // canonical enough for upstream comes back as it was.
  std::string ToString() const;
  // The value that an object holds.
  ksim::value::Value ToTree() const { return ksim::value::Value::String(ToString()); }

  // The sum takes the other's format if this one is zero.
  Quantity& operator+=(const Quantity& o);
  Quantity& operator-=(const Quantity& o);
  friend Quantity operator+(Quantity a, const Quantity& b) { return a += b; }
  friend Quantity operator-(Quantity a, const Quantity& b) { return a -= b; }
  Quantity operator-() const;

  // By amount: 1 == 1000m == 1e0.
  friend bool operator==(const Quantity& a, const Quantity& b) { return a.nanos_ == b.nanos_; }
  friend std::strong_ordering operator<=>(const Quantity& a, const Quantity& b) {
    return a.nanos_ <=> b.nanos_;
  }

 private:
  __extension__ using Amount = __int128;
  std::int64_t RoundedTo(std::int64_t unit_nanos) const;
  std::string CanonicalText() const;

  Amount nanos_ = 0;
  Format format_ = Format::kDecimalSI;
  std::string text_;  // as parsed, if ToString returns that
};

}  // namespace ksim::value
