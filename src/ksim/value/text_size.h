// How long the JSON text of a tree may be, cheaply: for limits that hardly anything comes near.
#pragma once
#include <cstddef>

#include "ksim/value/value.h"

namespace ksim::value {

// Bytes of the JSON text at most, but for what strings escape and doubles take: what has no text,
// items or members counts as the longest integer.
std::size_t TextSizeBound(const Value& v);

}  // namespace ksim::value
