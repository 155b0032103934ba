// The text of a clock's rate: "98%", "1001/1000".
#pragma once
#include <optional>
#include <string_view>

#include "ksim/sim/clock.h"

namespace ksim::fault {

// Nothing if it is neither a percentage nor a fraction of whole numbers up to 10000, or a clock
// would stand still or run more than ten times as fast.
std::optional<sim::ClockRate> ParseClockRate(std::string_view text);

}  // namespace ksim::fault
