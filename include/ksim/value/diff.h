// Diff: the changes from one tree to another, place by place.
//
// Objects are compared field by field, arrays element by element at the same index (an element
// inserted at the front is a change of every element behind it). Sub-trees that are the same node,
// or whose cached hashes are equal, are not walked.
#pragma once
#include <optional>
#include <vector>

#include "ksim/value/value.h"

namespace ksim::value {

struct Change {
  Change() = default;
  Change(Path p, std::optional<Value> b, std::optional<Value> a)
      : path(std::move(p)), before(std::move(b)), after(std::move(a)) {}
  Path path;                    // steps are fields and indexes
  std::optional<Value> before;  // nullopt: the place is new
  std::optional<Value> after;   // nullopt: the place is gone
};

// In the order of the trees, fields by name. A new part is told leaf by leaf (scalars, empty
// objects and arrays); a part that is gone is told once, at its top; a value of another type is one
// change. An array's lost elements come last element first, so that applying the changes one after
// the other gives `after` exactly. A null root counts as no document: creation is
// Diff(Value(), tree).
std::vector<Change> Diff(const Value& before, const Value& after);

// The tree with the changes made, in order: Apply(before, Diff(before, after)) == after.
Value Apply(Value before, const std::vector<Change>& changes);

}  // namespace ksim::value
