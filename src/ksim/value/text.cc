#include "ksim/value/text.h"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace ksim::value {

LineColumn PlaceOf(std::string_view text, std::size_t offset) {
  offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const std::size_t newline = before.rfind('\n');
  const std::size_t line_start = newline == std::string_view::npos ? 0 : newline + 1;
  LineColumn place;
  place.line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  place.column = Column(text.substr(line_start), offset - line_start);
  return place;
}

LineColumn Places::Of(std::size_t offset) {
  for (std::size_t end = text_.find('\n', start_); end < offset; end = text_.find('\n', start_)) {
    ++line_;
    start_ = end + 1;
  }
  LineColumn place = PlaceOf(text_.substr(start_), offset - start_);
  place.line = line_;
  return place;
}

std::size_t Utf8Length(std::string_view s) {
  const auto byte = [s](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  const auto continues = [&](std::size_t i, unsigned char low = 0x80, unsigned char high = 0xBF) {
    return i < s.size() && byte(i) >= low && byte(i) <= high;
  };
  if (s.empty()) return 0;
  const unsigned char c = byte(0);
  if (c < 0x80) return 1;
  if (c >= 0xC2 && c <= 0xDF) return continues(1) ? 2 : 0;
  if (c >= 0xE0 && c <= 0xEF) {
    const unsigned char low = c == 0xE0 ? 0xA0 : 0x80;
    const unsigned char high = c == 0xED ? 0x9F : 0xBF;
    return continues(1, low, high) && continues(2) ? 3 : 0;
  }
  if (c >= 0xF0 && c <= 0xF4) {
    const unsigned char low = c == 0xF0 ? 0x90 : 0x80;
    const unsigned char high = c == 0xF4 ? 0x8F : 0xBF;
    return continues(1, low, high) && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

void AppendUtf8(char32_t c, std::string* out) {
  const auto put = [out](char32_t byte) { *out += static_cast<char>(byte); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | (c >> 6));
    put(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    put(0xE0 | (c >> 12));
    put(0x80 | ((c >> 6) & 0x3F));
    put(0x80 | (c & 0x3F));
  } else {
    put(0xF0 | (c >> 18));
    put(0x80 | ((c >> 12) & 0x3F));
    put(0x80 | ((c >> 6) & 0x3F));
    put(0x80 | (c & 0x3F));
  }
}

namespace {

void AppendHex(std::uint32_t c, int digits, std::string* out) {
  static constexpr char kHex[] = "0123456789abcdef";
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) *out += kHex[(c >> shift) & 15];
}

// The characters above ASCII that Go's quoting escapes: controls, separators, surrogates'
// neighbours. (Its full table of printable characters is not needed for names in errors.)
bool IsUnprintable(char32_t c) {
  return (c >= 0x7F && c < 0xA1) || c == 0xAD || (c >= 0x2000 && c <= 0x200F) ||
         (c >= 0x2028 && c <= 0x202F) || c == 0xFEFF || (c >= 0xE000 && c <= 0xF8FF);
}

void AppendGoQuotedAscii(char c, std::string* out) {
  static constexpr std::string_view kPlain = "\a\b\f\n\r\t\v\\\"";
  static constexpr std::string_view kLetters = "abfnrtv\\\"";
  if (const std::size_t i = kPlain.find(c); i != std::string_view::npos) {
    *out += '\\';
    *out += kLetters[i];
  } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
    *out += "\\x";
    AppendHex(static_cast<unsigned char>(c), 2, out);
  } else {
    *out += c;
  }
}

char32_t DecodeUtf8(std::string_view sequence) {
  if (sequence.size() == 1) return static_cast<unsigned char>(sequence[0]);
  char32_t c = static_cast<unsigned char>(sequence[0]) & (0xFFu >> (sequence.size() + 1));
  for (const char byte : sequence.substr(1)) {
    c = (c << 6) | (static_cast<unsigned char>(byte) & 0x3F);
  }
  return c;
}

}  // namespace

std::string GoQuote(std::string_view s) {
  std::string out = "\"";
  while (!s.empty()) {
    const std::size_t n = Utf8Length(s);
    const char32_t c = n > 0 ? DecodeUtf8(s.substr(0, n)) : 0;
    if (n == 0) {
      out += "\\x";
      AppendHex(static_cast<unsigned char>(s.front()), 2, &out);
    } else if (n == 1) {
      AppendGoQuotedAscii(s.front(), &out);
    } else if (IsUnprintable(c)) {
      out += c < 0x10000 ? "\\u" : "\\U";
      AppendHex(c, c < 0x10000 ? 4 : 8, &out);
    } else {
      out += s.substr(0, n);
    }
    s.remove_prefix(std::max<std::size_t>(n, 1));
  }
  return out + '"';
}

std::optional<std::int64_t> ParseGoInt(std::string_view s) {
  if (s.starts_with('+')) {
    s.remove_prefix(1);
    if (s.starts_with('-')) return std::nullopt;
  }
  std::int64_t i = 0;
  const auto [stop, ec] = std::from_chars(s.data(), s.data() + s.size(), i);
  if (ec != std::errc() || stop != s.data() + s.size()) return std::nullopt;
  return i;
}

std::string Join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (const std::string& part : parts) {
    if (&part != &parts.front()) out += separator;
    out += part;
  }
  return out;
}

bool IsUtf8(std::string_view s) {
  while (!s.empty()) {
    const std::size_t n = Utf8Length(s);
    if (n == 0) return false;
    s.remove_prefix(n);
  }
  return true;
}

}  // namespace ksim::value
