#include "ksim/cel/values/go_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "ksim/base/time_zone.h"
#include "ksim/value/text.h"

namespace ksim::cel {
namespace {

constexpr std::int64_t kNanosPerSecond = 1'000'000'000;

// The shortest digits that read back as `d`, and where the decimal point stands: 0.d1d2... *
// 10^point.
struct ShortestDigits {
  bool negative = false;
  std::string digits;
  int point = 0;
};

ShortestDigits Shortest(double d) {
  std::array<char, 64> buffer;
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), d, std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end.ptr - buffer.data()));
  ShortestDigits result;
  std::size_t i = 0;
  if (text[0] == '-') {
    result.negative = true;
    i = 1;
  }
  for (; i < text.size() && text[i] != 'e'; ++i) {
    if (text[i] != '.') result.digits += text[i];
  }
  int exponent = 0;
  std::string_view rest = text.substr(i + 1);
  if (!rest.empty() && rest[0] == '+') rest.remove_prefix(1);
  std::from_chars(rest.data(), rest.data() + rest.size(), exponent);
  while (result.digits.size() > 1 && result.digits.back() == '0') result.digits.pop_back();
  result.point = exponent + 1;
  return result;
}

std::optional<std::string> SpecialText(double d) {
  if (std::isnan(d)) return "NaN";
  if (std::isinf(d)) return d < 0 ? "-Inf" : "+Inf";
  return std::nullopt;
}

std::string PlainText(const ShortestDigits& s) {
  std::string text = s.negative ? "-" : "";
  const int n = static_cast<int>(s.digits.size());
  if (s.point <= 0) {
    text += "0";
    if (s.digits != "0")
      text += "." + std::string(static_cast<std::size_t>(-s.point), '0') + s.digits;
    return text;
  }
  for (int i = 0; i < s.point; ++i) text += i < n ? s.digits[static_cast<std::size_t>(i)] : '0';
  if (n > s.point) text += "." + s.digits.substr(static_cast<std::size_t>(s.point));
  return text;
}

bool Take(std::string_view* text, char c) {
  if (text->empty() || text->front() != c) return false;
  text->remove_prefix(1);
  return true;
}

// `least` to `most` digits at the front.
std::optional<int> TakeNumber(std::string_view* text, std::size_t least, std::size_t most) {
  std::size_t n = 0;
  int number = 0;
  while (n < most && n < text->size() && value::IsDigit((*text)[n])) {
    number = number * 10 + ((*text)[n] - '0');
    ++n;
  }
  if (n < least) return std::nullopt;
  text->remove_prefix(n);
  return number;
}

int DaysIn(int month, int year) {
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return month == 2 && leap ? 29 : kDays[static_cast<std::size_t>(month - 1)];
}

// A fraction of a second behind the point, cut to nanoseconds.
std::optional<int> TakeFraction(std::string_view* text) {
  std::size_t n = 0;
  int nanos = 0;
  for (; n < text->size() && value::IsDigit((*text)[n]); ++n) {
    if (n < 9) nanos = nanos * 10 + ((*text)[n] - '0');
  }
  if (n == 0) return std::nullopt;
  for (std::size_t i = n; i < 9; ++i) nanos *= 10;
  text->remove_prefix(n);
  return nanos;
}

// "Z" or "+hh:mm" up to the end; seconds east of UTC.
std::optional<int> TakeZone(std::string_view text) {
  if (text == "Z") return 0;
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  const int sign = text[0] == '-' ? -1 : 1;
  text.remove_prefix(1);
  const std::optional<int> hours = TakeNumber(&text, 2, 2);
  if (!hours || *hours > 24 || !Take(&text, ':')) return std::nullopt;
  const std::optional<int> minutes = TakeNumber(&text, 2, 2);
  if (!minutes || *minutes > 60 || !text.empty()) return std::nullopt;
  return sign * (*hours * 3600 + *minutes * 60);
}

std::string TwoDigits(std::int64_t n, int width = 2) {
  std::string text = std::to_string(n);
  while (static_cast<int>(text.size()) < width) text.insert(text.begin(), '0');
  return text;
}

}  // namespace

std::string DoubleG(double d) {
  if (const auto special = SpecialText(d)) return *special;
  const ShortestDigits s = Shortest(d);
  const int exponent = s.digits == "0" ? 0 : s.point - 1;
  constexpr int kPrecision = 6;  // of the shortest form
  if (exponent >= -4 && exponent < kPrecision) return PlainText(s);
  std::string text = s.negative ? "-" : "";
  text += s.digits.substr(0, 1);
  if (s.digits.size() > 1) text += "." + s.digits.substr(1);
  text += exponent < 0 ? "e-" : "e+";
  return text + TwoDigits(std::abs(exponent));
}

std::string DoubleF(double d) {
  if (const auto special = SpecialText(d)) return *special;
  return PlainText(Shortest(d));
}

std::string DoubleFixed(double d, int precision) {
  std::string text(400 + static_cast<std::size_t>(precision), '\0');
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), d, std::chars_format::fixed, precision);
  text.resize(static_cast<std::size_t>(end.ptr - text.data()));
  return text;
}

std::string DoubleScientific(double d, int precision) {
  std::string text(64 + static_cast<std::size_t>(precision), '\0');
  const auto end = std::to_chars(text.data(), text.data() + text.size(), d,
                                 std::chars_format::scientific, precision);
  text.resize(static_cast<std::size_t>(end.ptr - text.data()));
  return text;
}

std::optional<double> ParseDouble(std::string_view text) {
  std::string_view rest = text;
  bool negative = false;
  if (!rest.empty() && (rest[0] == '+' || rest[0] == '-')) {
    negative = rest[0] == '-';
    rest.remove_prefix(1);
  }
  std::string lower(rest);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  if (lower == "inf" || lower == "infinity") return negative ? -HUGE_VAL : HUGE_VAL;
  if (lower == "nan") return std::nan("");
  if (lower.empty() || !(value::IsDigit(lower[0]) || lower[0] == '.')) return std::nullopt;
  const bool hex = lower.starts_with("0x");
  if (hex && lower.find('p') == std::string::npos) return std::nullopt;
  const char* first = lower.data() + (hex ? 2 : 0);
  const char* last = lower.data() + lower.size();
  double d = 0;
  const auto result =
      std::from_chars(first, last, d, hex ? std::chars_format::hex : std::chars_format::general);
  if (result.ptr != last) return std::nullopt;
  if (result.ec == std::errc::result_out_of_range) {
    // Too small is 0 for Go, too large an error. from_chars does not tell which.
    const double read = std::strtod(lower.c_str(), nullptr);
    if (std::isinf(read)) return std::nullopt;
    d = read;
  } else if (result.ec != std::errc()) {
    return std::nullopt;
  }
  return negative ? -d : d;
}

std::optional<std::uint64_t> ParseUint(std::string_view text) {
  if (text.empty() || !value::IsDigit(text[0])) return std::nullopt;
  std::uint64_t u = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), u);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size()) return std::nullopt;
  return u;
}

std::optional<std::int64_t> ParseDuration(std::string_view text) {
  __extension__ using Wide = unsigned __int128;
  bool negative = false;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  if (text == "0") return 0;
  if (text.empty()) return std::nullopt;
  constexpr Wide kLimit = Wide{1} << 63;
  Wide total = 0;
  while (!text.empty()) {
    if (text[0] != '.' && !value::IsDigit(text[0])) return std::nullopt;
    Wide whole = 0;
    std::size_t n = 0;
    for (; n < text.size() && value::IsDigit(text[n]); ++n) {
      if (whole > kLimit / 10) return std::nullopt;
      whole = whole * 10 + static_cast<unsigned>(text[n] - '0');
      if (whole > kLimit) return std::nullopt;
    }
    bool any = n > 0;
    text.remove_prefix(n);
    Wide fraction = 0;
    Wide scale = 1;
    if (Take(&text, '.')) {
      std::size_t m = 0;
      bool full = false;
      for (; m < text.size() && value::IsDigit(text[m]); ++m) {
        if (full || fraction > (kLimit - 1) / 10) {
          full = true;
          continue;
        }
        fraction = fraction * 10 + static_cast<unsigned>(text[m] - '0');
        scale *= 10;
      }
      any = any || m > 0;
      text.remove_prefix(m);
    }
    if (!any) return std::nullopt;
    std::size_t u = 0;
    while (u < text.size() && text[u] != '.' && !value::IsDigit(text[u])) ++u;
    const std::string_view unit = text.substr(0, u);
    text.remove_prefix(u);
    Wide nanos = 0;
    if (unit == "ns") {
      nanos = 1;
    } else if (unit == "us" || unit == "\xC2\xB5s" || unit == "\xCE\xBCs") {
      nanos = 1000;
    } else if (unit == "ms") {
      nanos = 1'000'000;
    } else if (unit == "s") {
      nanos = 1'000'000'000;
    } else if (unit == "m") {
      nanos = 60'000'000'000;
    } else if (unit == "h") {
      nanos = 3'600'000'000'000;
    } else {
      return std::nullopt;
    }
    if (whole > kLimit / nanos) return std::nullopt;
    total += whole * nanos + fraction * nanos / scale;
    if (total > kLimit) return std::nullopt;
  }
  if (negative) return static_cast<std::int64_t>(-static_cast<__int128>(total));
  if (total > kLimit - 1) return std::nullopt;
  return static_cast<std::int64_t>(total);
}

std::optional<Val> ParseTimestamp(std::string_view text) {
  const std::optional<int> year = TakeNumber(&text, 4, 4);
  if (!year || !Take(&text, '-')) return std::nullopt;
  const std::optional<int> month = TakeNumber(&text, 2, 2);
  if (!month || *month < 1 || *month > 12 || !Take(&text, '-')) return std::nullopt;
  const std::optional<int> day = TakeNumber(&text, 2, 2);
  if (!day || *day < 1 || *day > DaysIn(*month, *year) || !Take(&text, 'T')) return std::nullopt;
  const std::optional<int> hour = TakeNumber(&text, 1, 2);
  if (!hour || *hour > 23 || !Take(&text, ':')) return std::nullopt;
  const std::optional<int> minute = TakeNumber(&text, 2, 2);
  if (!minute || *minute > 59 || !Take(&text, ':')) return std::nullopt;
  const std::optional<int> second = TakeNumber(&text, 2, 2);
  if (!second || *second > 59) return std::nullopt;
  int nanos = 0;
  if (Take(&text, '.') || Take(&text, ',')) {
    const std::optional<int> fraction = TakeFraction(&text);
    if (!fraction) return std::nullopt;
    nanos = *fraction;
  }
  const std::optional<int> offset = TakeZone(text);
  if (!offset) return std::nullopt;
  CivilTime civil;
  civil.year = *year;
  civil.month = *month;
  civil.day = *day;
  civil.hour = *hour;
  civil.minute = *minute;
  civil.second = *second;
  return Val::Timestamp(UnixOf(civil, TimeZone::Utc()) - *offset, nanos, *offset);
}

std::string TimestampText(const Val& t) {
  const CivilTime civil = CivilOf(t.seconds() + t.offset(), TimeZone::Utc());
  std::string text = TwoDigits(civil.year, 4) + "-" + TwoDigits(civil.month) + "-" +
                     TwoDigits(civil.day) + "T" + TwoDigits(civil.hour) + ":" +
                     TwoDigits(civil.minute) + ":" + TwoDigits(civil.second);
  if (t.nanos() != 0) {
    std::string fraction = TwoDigits(t.nanos(), 9);
    while (fraction.back() == '0') fraction.pop_back();
    text += "." + fraction;
  }
  if (t.offset() == 0) return text + "Z";
  const int minutes = std::abs(t.offset()) / 60;
  return text + (t.offset() < 0 ? "-" : "+") + TwoDigits(minutes / 60) + ":" +
         TwoDigits(minutes % 60);
}

std::string DurationText(std::int64_t nanos) {
  const double seconds = static_cast<double>(nanos / kNanosPerSecond) +
                         static_cast<double>(nanos % kNanosPerSecond) / 1e9;
  return DoubleF(seconds) + "s";
}

std::vector<char32_t> Runes(std::string_view text) {
  std::vector<char32_t> runes;
  runes.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = value::Utf8Length(text);
    if (length == 0) {
      runes.push_back(0xFFFD);
      text.remove_prefix(1);
      continue;
    }
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    char32_t rune = byte(0);
    if (length == 2) rune = ((byte(0) & 0x1Fu) << 6) | (byte(1) & 0x3Fu);
    if (length == 3) {
      rune = ((byte(0) & 0x0Fu) << 12) | ((byte(1) & 0x3Fu) << 6) | (byte(2) & 0x3Fu);
    }
    if (length == 4) {
      rune = ((byte(0) & 0x07u) << 18) | ((byte(1) & 0x3Fu) << 12) | ((byte(2) & 0x3Fu) << 6) |
             (byte(3) & 0x3Fu);
    }
    runes.push_back(rune);
    text.remove_prefix(length);
  }
  return runes;
}

std::uint64_t CountRunes(std::string_view text) {
  std::uint64_t count = 0;
  for (; !text.empty(); ++count) {
    const std::size_t length = value::Utf8Length(text);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return count;
}

std::string FromRunes(const char32_t* first, const char32_t* last) {
  std::string text;
  for (; first != last; ++first) value::AppendUtf8(*first, &text);
  return text;
}

}  // namespace ksim::cel
