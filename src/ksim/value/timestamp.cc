#include "ksim/value/timestamp.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <optional>

#include "ksim/base/time_zone.h"
#include "ksim/value/text.h"

namespace ksim::value {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

struct Date {
  std::int64_t year = 1970;
  int month = 1;
  int day = 1;
};

// Days since 1970-01-01 of a proleptic Gregorian date, and back: the year starts in March, so that
// the leap day comes last.
std::int64_t DaysFromDate(Date d) {
  const std::int64_t y = d.month <= 2 ? d.year - 1 : d.year;
  const std::int64_t era = (y >= 0 ? y : y - 399) / 400;
  const std::int64_t year_of_era = y - era * 400;
  const std::int64_t day_of_year = (153 * (d.month + (d.month > 2 ? -3 : 9)) + 2) / 5 + d.day - 1;
  const std::int64_t day_of_era =
      year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + day_of_era - 719468;
}

Date DateFromDays(std::int64_t days) {
  days += 719468;
  const std::int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  const std::int64_t day_of_era = days - era * 146097;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const auto shifted_month = static_cast<int>((5 * day_of_year + 2) / 153);
  Date d;
  d.day = static_cast<int>(day_of_year) - (153 * shifted_month + 2) / 5 + 1;
  d.month = shifted_month < 10 ? shifted_month + 3 : shifted_month - 9;
  d.year = year_of_era + era * 400 + (d.month <= 2 ? 1 : 0);
  return d;
}

bool IsLeap(std::int64_t y) { return (y % 4 == 0 && y % 100 != 0) || y % 400 == 0; }

int DaysInMonth(Date d) {
  static constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return d.month == 2 && IsLeap(d.year) ? 29 : kDays[static_cast<std::size_t>(d.month - 1)];
}

std::int64_t FloorDiv(std::int64_t a, std::int64_t b) {
  return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

template <int digits>
void PutDigits(char* at, std::uint32_t n) {
  for (int i = digits - 1; i >= 0; --i, n /= 10) at[i] = static_cast<char>('0' + n % 10);
}

// Writes a second since 1970 as the times of objects are written. Nanoseconds in 64 bits reach no
// year of five digits.
struct SecondText {
  std::int64_t second = 0;
  char text[20] = "1970-01-01T00:00:00";

  void Set(std::int64_t unix_second) {
    second = unix_second;
    const std::int64_t days = FloorDiv(second, 86400);
    const auto in_day = static_cast<std::uint32_t>(second - days * 86400);
    const Date d = DateFromDays(days);
    PutDigits<4>(text, static_cast<std::uint32_t>(d.year));
    PutDigits<2>(text + 5, static_cast<std::uint32_t>(d.month));
    PutDigits<2>(text + 8, static_cast<std::uint32_t>(d.day));
    PutDigits<2>(text + 11, in_day / 3600);
    PutDigits<2>(text + 14, in_day / 60 % 60);
    PutDigits<2>(text + 17, in_day % 60);
  }
  std::string_view view() const { return {text, sizeof(text) - 1}; }
};

// The text of the second that `t` is in. Many times in a row are in one second.
const SecondText& SecondOf(VirtualTime t) {
  // NOLINT(ksim-static): a hit and a miss give the same text.
  thread_local SecondText last;
  const std::int64_t second = kEpochUnixSeconds + FloorDiv(t.ns(), kSecond);
  if (second != last.second) last.Set(second);
  return last;
}

// The text of a time, which this object holds itself.
class TimeText {
 public:
  static TimeText OfSecond(VirtualTime t) { return TimeText(t, "Z"); }
  static TimeText OfMicrosecond(VirtualTime t) {
    const std::int64_t in_second = t.ns() - FloorDiv(t.ns(), kSecond) * kSecond;
    char micros[] = ".000000Z";
    PutDigits<6>(micros + 1, static_cast<std::uint32_t>(in_second / 1000));
    return TimeText(t, micros);
  }
  std::string_view view() const { return {text_, size_}; }

 private:
  TimeText(VirtualTime t, std::string_view rest) {
    const std::string_view second = SecondOf(t).view();
    std::memcpy(text_, second.data(), second.size());
    std::memcpy(text_ + second.size(), rest.data(), rest.size());
    size_ = second.size() + rest.size();
  }
  char text_[32];
  std::size_t size_;
};

// Reads "2006-01-02T15:04:05[.fraction](Z|+07:00)".
class TimeReader {
 public:
  explicit TimeReader(std::string_view text) : rest_(text) {}

  std::optional<VirtualTime> Read(int wanted_decimals) {
    Date d;
    int hour = 0, minute = 0, second = 0;
    int year = 0;
    if (!Number<4>(0, 9999, &year) || !Literal('-') || !Number<2>(1, 12, &d.month) ||
        !Literal('-') || !Number<2>(1, 31, &d.day) || !Literal('T') || !Number<2>(0, 23, &hour) ||
        !Literal(':') || !Number<2>(0, 59, &minute) || !Literal(':') ||
        !Number<2>(0, 59, &second)) {
      return std::nullopt;
    }
    d.year = year;
    std::int64_t nanos = 0;
    std::int64_t offset = 0;
    if (d.day > DaysInMonth(d) || !Fraction(wanted_decimals, &nanos) || !Zone(&offset) ||
        !rest_.empty()) {
      return std::nullopt;
    }
    const std::int64_t seconds =
        DaysFromDate(d) * 86400 + hour * 3600 + minute * 60 + second - offset - kEpochUnixSeconds;
    std::int64_t ns = 0;
    if (__builtin_mul_overflow(seconds, kSecond, &ns) || __builtin_add_overflow(ns, nanos, &ns)) {
      return std::nullopt;
    }
    return VirtualTime(ns);
  }

 private:
  bool Literal(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  template <std::size_t digits>
  bool Number(int low, int high, int* out) {
    if (rest_.size() < digits) return false;
    int n = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (rest_[i] < '0' || rest_[i] > '9') return false;
      n = n * 10 + (rest_[i] - '0');
    }
    rest_.remove_prefix(digits);
    *out = n;
    return n >= low && n <= high;
  }

  // `wanted`: this many decimals; negative: any, or none.
  bool Fraction(int wanted, std::int64_t* nanos) {
    if (!rest_.starts_with('.') && !rest_.starts_with(',')) return wanted < 0;
    rest_.remove_prefix(1);
    int digits = 0;
    std::int64_t unit = kSecond;
    for (; !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9'; rest_.remove_prefix(1), ++digits) {
      unit /= 10;
      *nanos += unit * (rest_[0] - '0');
    }
    return wanted < 0 ? digits > 0 : digits == wanted;
  }

  bool Zone(std::int64_t* offset) {
    if (Literal('Z')) return true;
    const bool east = rest_.starts_with('+');
    int hours = 0, minutes = 0;
    if ((!east && !rest_.starts_with('-')) || !Literal(rest_[0]) || !Number<2>(0, 24, &hours) ||
        !Literal(':') || !Number<2>(0, 60, &minutes)) {
      return false;
    }
    *offset = (hours * 3600 + minutes * 60) * (east ? 1 : -1);
    return true;
  }

  std::string_view rest_;
};

absl::StatusOr<VirtualTime> Parse(std::string_view text, int decimals) {
  if (const auto t = TimeReader(text).Read(decimals)) return *t;
  return InvalidText(GoQuote(text) + " is not a time like \"2025-01-01T00:00:00" +
                     (decimals > 0 ? ".000000Z\"" : "Z\""));
}

std::string WithRest(std::int64_t whole, char unit, std::int64_t rest, char rest_unit) {
  if (rest == 0) return fmt::format("{}{}", whole, unit);
  return fmt::format("{}{}{}{}", whole, unit, rest, rest_unit);
}

}  // namespace

std::string FormatTimestamp(VirtualTime t) { return std::string(TimeText::OfSecond(t).view()); }
std::string FormatMicroTime(VirtualTime t) {
  return std::string(TimeText::OfMicrosecond(t).view());
}

std::string FormatRfc1123(VirtualTime t, std::string_view zone) {
  constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed",
                                                     "Thu", "Fri", "Sat"};
  constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const CivilTime c = CivilOf(kEpochUnixSeconds + FloorDiv(t.ns(), kSecond), TimeZone::Utc());
  return fmt::format(
      "{}, {:02} {} {} {:02}:{:02}:{:02} {}", kDays[static_cast<std::size_t>(c.weekday)], c.day,
      kMonths[static_cast<std::size_t>(c.month - 1)], c.year, c.hour, c.minute, c.second, zone);
}

Value TimestampValue(VirtualTime t) { return Value::String(TimeText::OfSecond(t).view()); }
Value MicroTimeValue(VirtualTime t) { return Value::String(TimeText::OfMicrosecond(t).view()); }

absl::StatusOr<VirtualTime> ParseTimestamp(std::string_view text) { return Parse(text, -1); }
absl::StatusOr<VirtualTime> ParseMicroTime(std::string_view text) { return Parse(text, 6); }

std::string HumanDuration(Duration d) {
  const std::int64_t seconds = d.whole_seconds();
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return fmt::format("{}s", seconds);
  const std::int64_t minutes = seconds / 60;
  if (minutes < 10) return WithRest(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return fmt::format("{}m", minutes);
  const std::int64_t hours = minutes / 60;
  if (hours < 8) return WithRest(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return fmt::format("{}h", hours);
  const std::int64_t days = hours / 24;
  if (days < 8) return WithRest(days, 'd', hours % 24, 'h');
  if (days < 365 * 2) return fmt::format("{}d", days);
  if (days < 365 * 8) return WithRest(days / 365, 'y', days % 365, 'd');
  return fmt::format("{}y", days / 365);
}

std::string ShortHumanDuration(Duration d) {
  const std::int64_t seconds = d.whole_seconds();
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 60) return fmt::format("{}s", seconds);
  if (seconds < 3600) return fmt::format("{}m", seconds / 60);
  if (seconds < 86400) return fmt::format("{}h", seconds / 3600);
  if (seconds < 86400 * 365) return fmt::format("{}d", seconds / 86400);
  return fmt::format("{}y", seconds / (86400 * 365));
}

}  // namespace ksim::value
