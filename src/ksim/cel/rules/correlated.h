// Correlated: a part of an object beside the part of its old state that it has come from. Fields
// are known by their names, items of a list of type map by their keys, those of others not at all.
//
// Upstream: k8s.io/apiserver pkg/cel/common/equality.go CorrelatedObject, maplist.go.
#pragma once
#include <optional>
#include <string_view>

#include "ksim/cel/rules/schema.h"
#include "ksim/value/value.h"

namespace ksim::cel {

struct Correlated {
  const value::Value* now;
  const value::Value* old;
  const Schema* schema;

  // nullopt: nobody knows where it comes from.
  std::optional<Correlated> Key(value::Atom name) const;
  std::optional<Correlated> Index(std::size_t i) const;
  // Equal to the last part that can be told; what the schema does not know is never equal.
  bool Unchanged() const;
};

// The item of the old list with the keys of `item`; null: there is none, or the list is no map.
const value::Value* OldItemOf(const Schema& list, const value::Value& old,
                              const value::Value& item);

}  // namespace ksim::cel
