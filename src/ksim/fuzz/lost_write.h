// LostWrite: a write of a controller that failed and that it never did again, while a run that
// passes stores it.
#pragma once
#include <cstddef>
#include <optional>

#include "ksim/trace/trace.h"

namespace ksim::fuzz {

// The index of the first such request: `failing` stores neither it nor another like it, `passing`
// does; of creations that do not say the name, `passing` stores more.
std::optional<std::size_t> FindLostWrite(const trace::Trace& failing, const trace::Trace& passing);

}  // namespace ksim::fuzz
