// Places in custom resources: upstream's paths begin at nil, ours at their first field.
#pragma once
#include "ksim/api/rules/field_errors.h"

namespace ksim::api {

// field.Path.Child and Key of a path that may be nil, the root.
inline FieldPath ChildOf(const FieldPath* path, std::string_view name) {
  return path == nullptr ? FieldPath(name) : path->Child(name);
}
inline FieldPath KeyOf(const FieldPath* path, std::string_view key) {
  return path == nullptr ? FieldPath(key) : path->Key(key);
}

}  // namespace ksim::api
