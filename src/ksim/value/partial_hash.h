// Content hashes of trees without some of their fields, and of trees that may not be worth one.
#pragma once
#include <cstdint>
#include <span>

#include "ksim/value/value.h"

namespace ksim::value {

// The content hash that `v` would have without the fields of these names, at any depth. The same in
// every process; equal to v.Hash() if there are none. Walks the whole tree.
std::uint64_t HashWithout(const Value& v, std::span<const Atom> names);

// v.Hash() if that is cached in the tree; 0 if it is not, as in a tree that was made a moment ago.
std::uint64_t HashIfKnown(const Value& v);

}  // namespace ksim::value
