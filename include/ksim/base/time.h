// Virtual time: a point on the run's clock and a span of it, both whole nanoseconds.
//
// VirtualTime counts from the start of the run (0). Duration is signed. Neither ever becomes a
// floating-point number, so arithmetic is the same on every machine. The calendar time that
// Kubernetes objects show (creationTimestamp) is kEpochUnixSeconds + VirtualTime; see
// ksim/value/timestamp.h.
#pragma once
#include <compare>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace ksim {

class Duration {
 public:
  constexpr Duration() = default;
  constexpr explicit Duration(std::int64_t ns) : ns_(ns) {}
  constexpr std::int64_t ns() const { return ns_; }
  constexpr std::int64_t whole_seconds() const { return ns_ / 1'000'000'000; }
  static constexpr Duration Max() { return Duration(std::numeric_limits<std::int64_t>::max()); }

  friend constexpr auto operator<=>(Duration, Duration) = default;
  friend constexpr Duration operator+(Duration a, Duration b) { return Duration(a.ns_ + b.ns_); }
  friend constexpr Duration operator-(Duration a, Duration b) { return Duration(a.ns_ - b.ns_); }
  friend constexpr Duration operator*(Duration a, std::int64_t k) { return Duration(a.ns_ * k); }
  friend constexpr Duration operator/(Duration a, std::int64_t k) { return Duration(a.ns_ / k); }
  Duration& operator+=(Duration o) {
    ns_ += o.ns_;
    return *this;
  }

 private:
  std::int64_t ns_ = 0;
};

constexpr Duration Nanoseconds(std::int64_t n) { return Duration(n); }
constexpr Duration Microseconds(std::int64_t n) { return Duration(n * 1'000); }
constexpr Duration Milliseconds(std::int64_t n) { return Duration(n * 1'000'000); }
constexpr Duration Seconds(std::int64_t n) { return Duration(n * 1'000'000'000); }
constexpr Duration Minutes(std::int64_t n) { return Seconds(n * 60); }
constexpr Duration Hours(std::int64_t n) { return Minutes(n * 60); }

class VirtualTime {
 public:
  constexpr VirtualTime() = default;
  constexpr explicit VirtualTime(std::int64_t ns) : ns_(ns) {}
  constexpr std::int64_t ns() const { return ns_; }
  static constexpr VirtualTime Max() {
    return VirtualTime(std::numeric_limits<std::int64_t>::max());
  }

  friend constexpr auto operator<=>(VirtualTime, VirtualTime) = default;
  friend constexpr VirtualTime operator+(VirtualTime t, Duration d) {
    return VirtualTime(t.ns_ + d.ns());
  }
  friend constexpr VirtualTime operator-(VirtualTime t, Duration d) {
    return VirtualTime(t.ns_ - d.ns());
  }
  friend constexpr Duration operator-(VirtualTime a, VirtualTime b) {
    return Duration(a.ns_ - b.ns_);
  }

 private:
  std::int64_t ns_ = 0;
};

// The calendar time of VirtualTime 0: 2025-01-01T00:00:00Z.
inline constexpr std::int64_t kEpochUnixSeconds = 1735689600;

// Go's time.ParseDuration: "300ms", "-1.5h", "2h45m", "0". Units ns us (or the micro sign) ms s m
// h. InvalidArgument for anything else, and for what does not fit.
absl::StatusOr<Duration> ParseDuration(std::string_view text);

// Go's Duration.String: "1h2m3.5s", "250ms", "1.5us", "0s". ParseDuration takes it back exactly.
std::string FormatDuration(Duration d);

// "+12.345s": seconds since the start of the run, at most nine decimals, trailing zeros cut but
// at least three kept.
std::string FormatTime(VirtualTime t);

}  // namespace ksim
