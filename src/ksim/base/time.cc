#include "ksim/base/time.h"

#include <fmt/format.h>

#include <optional>

#include "absl/status/status.h"

namespace ksim {
namespace {

constexpr std::uint64_t kLimit = std::uint64_t{1} << 63;  // |smallest int64|

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

absl::Status Invalid(std::string_view text) {
  return absl::InvalidArgumentError(fmt::format("invalid duration \"{}\"", text));
}

// The digits at the front of `s`, taken off it. nullopt when the number passes kLimit.
std::optional<std::uint64_t> TakeInteger(std::string_view& s) {
  std::uint64_t x = 0;
  while (!s.empty() && IsDigit(s.front())) {
    if (x > kLimit / 10) return std::nullopt;
    x = x * 10 + static_cast<std::uint64_t>(s.front() - '0');
    if (x > kLimit) return std::nullopt;
    s.remove_prefix(1);
  }
  return x;
}

// The digits after the point: value / scale. Digits that no longer fit are dropped, as in Go.
struct Fraction {
  std::uint64_t value = 0;
  double scale = 1;
};

Fraction TakeFraction(std::string_view& s) {
  Fraction f;
  bool full = false;
  for (; !s.empty() && IsDigit(s.front()); s.remove_prefix(1)) {
    if (full) continue;
    if (f.value > (kLimit - 1) / 10) {
      full = true;
      continue;
    }
    const std::uint64_t next = f.value * 10 + static_cast<std::uint64_t>(s.front() - '0');
    if (next > kLimit) {
      full = true;
      continue;
    }
    f.value = next;
    f.scale *= 10;
  }
  return f;
}

// Nanoseconds of the unit at the front of `s`, which runs up to the next digit or point; 0 = none.
std::uint64_t TakeUnit(std::string_view& s) {
  std::size_t n = 0;
  while (n < s.size() && s[n] != '.' && !IsDigit(s[n])) ++n;
  const std::string_view unit = s.substr(0, n);
  s.remove_prefix(n);
  if (unit == "ns") return 1;
  if (unit == "us" || unit == "\u00b5s" || unit == "\u03bcs") return 1'000;
  if (unit == "ms") return 1'000'000;
  if (unit == "s") return 1'000'000'000;
  if (unit == "m") return 60'000'000'000;
  if (unit == "h") return 3'600'000'000'000;
  return 0;
}

// One "1.5h" off the front of `s`, in nanoseconds.
std::optional<std::uint64_t> TakeComponent(std::string_view& s) {
  const std::size_t before = s.size();
  const std::optional<std::uint64_t> whole = TakeInteger(s);
  if (!whole) return std::nullopt;
  bool digits = s.size() != before;
  Fraction fraction;
  if (!s.empty() && s.front() == '.') {
    s.remove_prefix(1);
    const std::size_t after_point = s.size();
    fraction = TakeFraction(s);
    digits = digits || s.size() != after_point;
  }
  if (!digits) return std::nullopt;
  const std::uint64_t unit = TakeUnit(s);
  if (unit == 0 || *whole > kLimit / unit) return std::nullopt;
  std::uint64_t ns = *whole * unit;
  if (fraction.value > 0) {
    // Go's own arithmetic, so that the last nanosecond agrees: one IEEE division and one product,
    // the same on every machine.
    ns += static_cast<std::uint64_t>(static_cast<double>(fraction.value) *
                                     (static_cast<double>(unit) / fraction.scale));
    if (ns > kLimit) return std::nullopt;
  }
  return ns;
}

// "1.5" of value 15 and 1 decimal; "2" of value 20 and 1 decimal.
std::string WithDecimals(std::uint64_t value, int decimals) {
  std::uint64_t divisor = 1;
  for (int i = 0; i < decimals; ++i) divisor *= 10;
  std::string text = fmt::format("{}", value / divisor);
  std::uint64_t rest = value % divisor;
  if (rest == 0) return text;
  std::string fraction = fmt::format("{:0{}}", rest, decimals);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return text + "." + fraction;
}

std::string FormatMagnitude(std::uint64_t ns) {
  if (ns < 1'000) return fmt::format("{}ns", ns);
  if (ns < 1'000'000) return WithDecimals(ns, 3) + "us";
  if (ns < 1'000'000'000) return WithDecimals(ns, 6) + "ms";
  constexpr std::uint64_t kMinute = 60'000'000'000;
  const std::uint64_t minutes = ns / kMinute;
  const std::string seconds = WithDecimals(ns % kMinute, 9) + "s";
  if (minutes == 0) return seconds;
  if (minutes < 60) return fmt::format("{}m{}", minutes, seconds);
  return fmt::format("{}h{}m{}", minutes / 60, minutes % 60, seconds);
}

std::uint64_t Magnitude(std::int64_t ns) {
  return ns < 0 ? ~static_cast<std::uint64_t>(ns) + 1 : static_cast<std::uint64_t>(ns);
}

}  // namespace

absl::StatusOr<Duration> ParseDuration(std::string_view text) {
  std::string_view s = text;
  const bool negative = !s.empty() && s.front() == '-';
  if (!s.empty() && (s.front() == '-' || s.front() == '+')) s.remove_prefix(1);
  if (s == "0") return Duration();
  if (s.empty()) return Invalid(text);
  std::uint64_t total = 0;
  while (!s.empty()) {
    const std::optional<std::uint64_t> ns = TakeComponent(s);
    if (!ns) return Invalid(text);
    total += *ns;
    if (total > kLimit) return Invalid(text);
  }
  if (negative) return Duration(static_cast<std::int64_t>(~total + 1));
  if (total > kLimit - 1) return Invalid(text);
  return Duration(static_cast<std::int64_t>(total));
}

std::string FormatDuration(Duration d) {
  if (d.ns() == 0) return "0s";
  return (d.ns() < 0 ? "-" : "") + FormatMagnitude(Magnitude(d.ns()));
}

std::string FormatTime(VirtualTime t) {
  const std::uint64_t ns = Magnitude(t.ns());
  std::string fraction = fmt::format("{:09}", ns % 1'000'000'000);
  const std::size_t last = fraction.find_last_not_of('0');
  fraction.resize(last == std::string::npos || last < 3 ? 3 : last + 1);
  return fmt::format("{}{}.{}s", t.ns() < 0 ? '-' : '+', ns / 1'000'000'000, fraction);
}

}  // namespace ksim
