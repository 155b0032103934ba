// Shape: what the schema says about merging at one place of an object: which fields a struct has,
// which lists merge and by which keys, what is only ever replaced whole.
//
// Source: structured-merge-diff schema/elements.go, typed/helpers.go; the +listType, +listMapKey,
// +structType and +mapType markers of k8s.io/api v0.36.0; kube-openapi pkg/schemaconv.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/api/kinds.h"
#include "ksim/api/schema/go_types.h"
#include "ksim/apiserver/apply/path_element.h"

namespace ksim::apiserver {

class Shape {
 public:
  // Of the objects of a kind. Custom resources have no schema here: maps merge, lists do not, as
  // upstream deduces without one; their metadata is everybody's.
  static Shape Of(const api::ResourceInfo& kind);

  enum class Merge : std::uint8_t {
    kLeaf,   // a scalar, or a list, map or struct that is replaced whole
    kMap,    // field by field
    kKeyed,  // item by item, items are known by their keys
    kSet     // a list of distinct scalars
  };
  // How the value there merges. Where there is no schema, the value itself tells.
  Merge MergeOf(const value::Value& v) const;

  // What is below a kMap, at a field.
  Shape Field(value::Atom name) const;
  // The field is a struct's own, not one of a map's.
  bool Names(std::string_view field) const;
  // A struct that does not have the field.
  bool Lacks(value::Atom field) const;
  // What is below a kKeyed list.
  Shape Item() const;
  // How the item of a kKeyed list or a kSet is known. InvalidArgument if it has none of the keys.
  absl::StatusOr<PathElement> ElementOf(const value::Value& item) const;
  // What is below any path element of this place.
  Shape Below(const PathElement& element) const;

 private:
  struct List {
    bool set = false;
    std::vector<std::string_view> keys;
  };
  Shape() = default;
  bool is_struct() const;
  static List ListOf(std::string_view owner, std::string_view field);

  const api::GoType* type_ = nullptr;      // null: no schema
  const api::GoType* metadata_ = nullptr;  // of an object without schema
  bool atomic_ = false;
  List list_;
};

}  // namespace ksim::apiserver
