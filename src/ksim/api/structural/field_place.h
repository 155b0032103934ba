// Places in custom resources, and the way down their schemas. Upstream's paths begin at nil, ours
// at their first field.
#pragma once
#include <cstddef>
#include <string_view>

#include "ksim/api/rules/field_errors.h"
#include "ksim/api/structural/schema_node.h"
#include "ksim/value/value.h"

namespace ksim::api {

// field.Path.Child and Key of a path that may be nil, the root.
inline FieldPath ChildOf(const FieldPath* path, std::string_view name) {
  return path == nullptr ? FieldPath(name) : path->Child(name);
}
inline FieldPath KeyOf(const FieldPath* path, std::string_view key) {
  return path == nullptr ? FieldPath(key) : path->Key(key);
}

// Calls visit(schema, value, place) for each member or item of a value for which its schema has
// one. `at`: null at the root, which is an object.
template <typename Visit>
void VisitBelow(const SchemaNode& schema, const value::Value& v, const FieldPath* at,
                const Visit& visit) {
  for (const value::Value::Member& m : v.members()) {
    const SchemaNode* const below = schema.FieldNode(m.name);
    if (below == nullptr) continue;
    const bool property = schema.Find(m.name) != nullptr;
    const FieldPath path = property ? ChildOf(at, m.name.text()) : KeyOf(at, m.name.text());
    visit(*below, m.value, path);
  }
  if (schema.items == nullptr || !v.is_array()) return;
  for (std::size_t i = 0; i < v.size(); ++i) visit(*schema.items, v.at(i), at->Index(i));
}

}  // namespace ksim::api
