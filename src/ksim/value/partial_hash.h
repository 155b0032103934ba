// Content hashes of trees of which some fields do not count.
#pragma once
#include <cstdint>
#include <span>

#include "ksim/value/value.h"

namespace ksim::value {

// The content hash that `v` would have without its fields of these names, wherever they stand. The
// same in every process; equal to v.Hash() if there are none. Looks at the whole tree.
std::uint64_t HashWithout(const Value& v, std::span<const Atom> names);

}  // namespace ksim::value
