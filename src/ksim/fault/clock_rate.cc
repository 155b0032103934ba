#include "ksim/fault/clock_rate.h"

#include <charconv>
#include <cstdint>

namespace ksim::fault {
namespace {

constexpr std::int64_t kLargest = 10'000, kFastest = 10;

std::optional<std::int64_t> Number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (number < 1 || number > kLargest) return std::nullopt;
  return number;
}

}  // namespace

std::optional<sim::ClockRate> ParseClockRate(std::string_view text) {
  std::optional<std::int64_t> num, den = 100;
  if (text.ends_with('%')) {
    num = Number(text.substr(0, text.size() - 1));
  } else if (const std::size_t slash = text.find('/'); slash != text.npos) {
    num = Number(text.substr(0, slash));
    den = Number(text.substr(slash + 1));
  }
  if (!num || !den || *num > *den * kFastest) return std::nullopt;
  return sim::ClockRate(*num, *den);
}

}  // namespace ksim::fault
