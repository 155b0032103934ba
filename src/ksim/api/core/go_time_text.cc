#include "ksim/api/core/go_time_text.h"

#include <fmt/format.h>

#include <array>

namespace ksim::api {

namespace {

bool IsDigitAt(std::string_view s, std::size_t i) {
  return i < s.size() && s[i] >= '0' && s[i] <= '9';
}

// Go: time.quote. Writes every byte that is no printable ASCII as \xNN.
std::string QuoteBytes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80 || byte < ' ') {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + '"';
}

int DaysIn(int month, int year) {
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return kDays[static_cast<std::size_t>(month - 1)] + (month == 2 && leap ? 1 : 0);
}

// Takes the layout's elements off the text one after the other, until one does not fit.
class TimeReader {
 public:
  TimeReader(std::string_view text, bool micro)
      : text_(text),
        rest_(text),
        layout_(micro ? "2006-01-02T15:04:05.000000Z07:00" : "2006-01-02T15:04:05Z07:00") {}

  std::string Problem(bool micro) {
    int year = 0, month = 0, day = 0, ignored = 0;
    const bool read = Year(&year) && Literal("-") && Number("01", 1, 12, "month", &month) &&
                      Literal("-") && Number("02", 0, 99, "", &day) && Literal("T") && Hour() &&
                      Literal(":") && Number("04", 0, 59, "minute", &ignored) && Literal(":") &&
                      Number("05", 0, 59, "second", &ignored) && Fraction(micro) && Zone();
    if (!read) return problem_;
    if (!rest_.empty()) return Message("extra text: " + QuoteBytes(rest_));
    return day < 1 || day > DaysIn(month, year) ? Message("day out of range") : "";
  }

 private:
  std::string Message(std::string_view why) const {
    return fmt::format("parsing time {}: {}", QuoteBytes(text_), why);
  }
  bool Bad(std::string_view element, std::string_view value) {
    problem_ = fmt::format("parsing time {} as \"{}\": cannot parse {} as {}", QuoteBytes(text_),
                           layout_, QuoteBytes(value), QuoteBytes(element));
    return false;
  }
  bool OutOfRange(std::string_view what) {
    problem_ = Message(fmt::format("{} out of range", what));
    return false;
  }

  bool Literal(std::string_view c) {
    if (!rest_.starts_with(c)) return Bad(c, rest_);
    rest_.remove_prefix(1);
    return true;
  }

  bool Year(int* year) {
    for (std::size_t i = 0; i < 4; ++i) {
      if (!IsDigitAt(rest_, i)) return Bad("2006", rest_);
      *year = *year * 10 + (rest_[i] - '0');
    }
    rest_.remove_prefix(4);
    return true;
  }

  bool Number(std::string_view element, int low, int high, std::string_view what, int* number) {
    if (!IsDigitAt(rest_, 0) || !IsDigitAt(rest_, 1)) return Bad(element, rest_);
    *number = (rest_[0] - '0') * 10 + (rest_[1] - '0');
    rest_.remove_prefix(2);
    return *number < low || *number > high ? OutOfRange(what) : true;
  }

  // One digit is enough for an hour.
  bool Hour() {
    if (!IsDigitAt(rest_, 0)) return Bad("15", rest_);
    int hour = rest_[0] - '0';
    rest_.remove_prefix(1);
    if (IsDigitAt(rest_, 0)) {
      hour = hour * 10 + (rest_[0] - '0');
      rest_.remove_prefix(1);
    }
    return hour >= 24 ? OutOfRange("hour") : true;
  }

  // Six digits of a MicroTime; any number of them, or none, of a Time.
  bool Fraction(bool micro) {
    const bool dot = rest_.size() >= 2 && (rest_[0] == '.' || rest_[0] == ',');
    std::size_t n = 1;
    while (dot && IsDigitAt(rest_, n) && (!micro || n < 7)) ++n;
    if (micro && n < 7) return Bad(".000000", rest_);
    if (n > 1) rest_.remove_prefix(n);
    return true;
  }

  bool Zone() {
    if (rest_.starts_with('Z')) {
      rest_.remove_prefix(1);
      return true;
    }
    const bool shaped = rest_.size() >= 6 && (rest_[0] == '+' || rest_[0] == '-') &&
                        rest_[3] == ':' && IsDigitAt(rest_, 1) && IsDigitAt(rest_, 2) &&
                        IsDigitAt(rest_, 4) && IsDigitAt(rest_, 5);
    if (!shaped) return Bad("Z07:00", rest_);
    if ((rest_[1] - '0') * 10 + (rest_[2] - '0') > 24) return OutOfRange("time zone offset hour");
    if ((rest_[4] - '0') * 10 + (rest_[5] - '0') > 60) return OutOfRange("time zone offset minute");
    rest_.remove_prefix(6);
    return true;
  }

  std::string_view text_;
  std::string_view rest_;
  std::string_view layout_;
  std::string problem_;
};

}  // namespace

std::string GoTimeProblem(std::string_view text, bool micro) {
  return TimeReader(text, micro).Problem(micro);
}

}  // namespace ksim::api
