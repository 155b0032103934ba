#include "ksim/value/number.h"

#include <charconv>
#include <system_error>

namespace ksim::value {
namespace {

// from_chars says "out of range" for too large and too small alike. It is too small when the first
// significant digit, moved by the exponent, stands behind the decimal point.
bool Underflows(std::string_view text) {
  const std::size_t e = text.find_first_of("eE");
  if (e == std::string_view::npos) return text.find_first_of("123456789") > text.find('.');
  return e + 1 < text.size() && text[e + 1] == '-';
}

}  // namespace

std::optional<Value> NumberValue(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const char* end = text.data() + text.size();
  if (text.find_first_of(".eE") == std::string_view::npos) {
    std::int64_t i = 0;
    const auto [stop, ec] = std::from_chars(text.data(), end, i);
    if (ec == std::errc() && stop == end) return Value::Int(i);
  }
  double d = 0;
  const auto [stop, ec] = std::from_chars(text.data(), end, d);
  if (ec == std::errc()) return Value::Double(d);
  if (ec == std::errc::result_out_of_range && Underflows(text)) {
    return Value::Double(text.starts_with('-') ? -0.0 : 0.0);
  }
  return std::nullopt;
}

}  // namespace ksim::value
