// Small helpers for the parsers of this layer: places in texts and the statuses that name them.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace ksim::value {

inline absl::Status InvalidText(const std::string& message) {
  return absl::InvalidArgumentError(absl::string_view(message.data(), message.size()));
}

inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// A byte that starts a code point.
inline bool StartsCodePoint(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

// 1-based column, in code points, of byte `offset` of a one-line text.
inline int Column(std::string_view text, std::size_t offset) {
  int column = 1;
  for (std::size_t i = 0; i < offset && i < text.size(); ++i) column += StartsCodePoint(text[i]);
  return column;
}

struct LineColumn {
  int line = 1;
  int column = 1;
};
LineColumn PlaceOf(std::string_view text, std::size_t offset);

// PlaceOf for one offset after another, each behind the last, without counting all lines each time.
class Places {
 public:
  explicit Places(std::string_view text) : text_(text) {}
  LineColumn Of(std::size_t offset);

 private:
  std::string_view text_;
  int line_ = 1;
  std::size_t start_ = 0;  // of the line
};

// Length of the well-formed UTF-8 sequence at the start of `s`; 0 if it is not well-formed
// (overlong, a surrogate, above U+10FFFF, cut short).
std::size_t Utf8Length(std::string_view s);
void AppendUtf8(char32_t code_point, std::string* out);
bool IsUtf8(std::string_view s);

// Go's strconv.Quote (%q): errors of upstream show texts this way.
std::string GoQuote(std::string_view s);
// Go's strconv.ParseInt(s, 10, 64): digits with an optional sign, within int64.
std::optional<std::int64_t> ParseGoInt(std::string_view s);
std::string Join(const std::vector<std::string>& parts, std::string_view separator);

}  // namespace ksim::value
