// Content hashes of trees of which some fields do not count, or that may not be worth one.
#pragma once
#include <cstdint>
#include <span>

#include "ksim/value/value.h"

namespace ksim::value {

// The content hash that `v` would have without its fields of these names, wherever they stand. The
// same in every process; equal to v.Hash() if there are none. Looks at the whole tree.
std::uint64_t HashWithout(const Value& v, std::span<const Atom> names);

// v.Hash() if that is cached in the tree; 0 if it is not, as in one that was made a moment ago.
std::uint64_t HashIfKnown(const Value& v);

}  // namespace ksim::value
