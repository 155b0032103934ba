// A cheap upper bound of the length of a tree's JSON text, for limits that hardly any tree comes
// near.
#pragma once
#include <cstddef>

#include "ksim/value/value.h"

namespace ksim::value {

// The JSON text has at most so many bytes, not counting the escapes of strings and the digits of
// doubles; a scalar that is no string counts as the longest integer.
std::size_t TextSizeBound(const Value& v);

}  // namespace ksim::value
