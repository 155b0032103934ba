// ClockRate: how fast a clock runs, as an exact fraction: "98%", "1001/1000".
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "ksim/base/time.h"

namespace ksim::fault {

struct ClockRate {
  ClockRate() = default;
  ClockRate(std::int64_t n, std::int64_t d) : num(n), den(d) {}
  std::int64_t num = 1, den = 1;
  // How far the clock is ahead of a true one after so long; negative if it is slow.
  Duration Gained(Duration elapsed) const;
};

// Nothing if it is neither a percentage nor a fraction of whole numbers up to 10000, or a clock
// would stand still or run more than ten times as fast.
std::optional<ClockRate> ParseClockRate(std::string_view text);

}  // namespace ksim::fault
