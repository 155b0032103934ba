// Typed trees: the fields that a tree has by its schema, how two trees differ, and how one merges
// into the other.
//
// Source: structured-merge-diff typed/tofieldset.go, compare.go, merge.go, remove.go, validate.go.
#pragma once
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ksim/apiserver/apply/field_set.h"
#include "ksim/apiserver/apply/shape.h"
#include "ksim/value/value.h"

namespace ksim::apiserver {

// InvalidArgument for the first field the schema does not have, list that should be a map, or item
// that is there twice: ".spec.foo: field not declared in schema".
absl::Status CheckTyped(const Shape& shape, const value::Value& v, bool all_keys);

// The fields that are set: leaves, items, entries of maps, and empty maps.
FieldSet FieldsOf(const Shape& shape, const value::Value& v);

struct Comparison {
  FieldSet removed, modified, added;
};
Comparison Compare(const Shape& shape, const value::Value& before, const value::Value& after);

// Merges `config` into `live`: its leaves win, its maps and items are merged with those of `live`.
// Items keep the order of `config` where both have them.
value::Value Merge(const Shape& shape, const value::Value& live, const value::Value& config);

// Removes the fields, items and entries of the set. A value that is only replaced whole is removed
// with any part of it.
value::Value RemoveItems(const Shape& shape, const value::Value& v, const FieldSet& remove);

// With the struct fields on the way to each path as members, too.
FieldSet WithNamedFields(const Shape& shape, const FieldSet& set);

}  // namespace ksim::apiserver
