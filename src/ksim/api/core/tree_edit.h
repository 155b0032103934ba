// Small edits of trees that keep the tree (SameTree) where nothing changes. Names are atoms made
// once by their callers.
#pragma once
#include <utility>
#include <vector>

#include "ksim/value/edit.h"
#include "ksim/value/value.h"

namespace ksim::api {

// `v` with field `name` set if it is missing or null.
inline value::Value WithDefault(value::Value v, value::Atom name, const value::Value& fallback) {
  if (!v.is_object() || !v.Get(name).is_null()) return v;
  return std::move(v).Set(name, fallback);
}

// The same for a field whose empty text or zero counts as missing.
inline value::Value WithNonEmpty(value::Value v, value::Atom name, const value::Value& fallback) {
  if (!v.is_object()) return v;
  const value::Value& old = v.Get(name);
  const bool missing = old.is_null() || (old.is_string() && old.AsString().empty()) ||
                       (old.is_int() && old.AsInt() == 0);
  return missing ? std::move(v).Set(name, fallback) : v;
}

// `v` with field `name` run through `edit(const Value&) -> Value`. A missing field stays missing.
template <class Edit>
value::Value EditField(value::Value v, value::Atom name, const Edit& edit) {
  const value::Value& old = v.Get(name);
  if (old.is_null()) return v;
  value::Value edited = edit(old);
  if (edited.SameTree(old)) return v;
  return std::move(v).Set(name, std::move(edited));
}

// The array with every item run through `edit(const Value&) -> Value`.
template <class Edit>
value::Value EditItems(const value::Value& array, const Edit& edit) {
  if (!array.is_array()) return array;
  std::vector<value::Value> items;
  for (std::size_t i = 0; i < array.size(); ++i) {
    value::Value edited = edit(array.at(i));
    if (items.empty() && edited.SameTree(array.at(i))) continue;
    if (items.empty()) items.assign(array.items().begin(), array.items().end());
    items[i] = std::move(edited);
  }
  return items.empty() ? array : value::Value::Array(std::move(items));
}

// Sets or erases: a null `field` means absent.
inline value::Value SetOrErase(value::Value v, value::Atom name, const value::Value& field) {
  const value::Value* old = v.Find(name);
  const bool stays = old == nullptr ? field.is_null() : old->SameTree(field) && !old->is_null();
  if (stays) return v;
  return field.is_null() ? value::EraseField(v, name) : std::move(v).Set(name, field);
}

}  // namespace ksim::api
