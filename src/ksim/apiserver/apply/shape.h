// Shape: the schema's rules for merging at one place of an object: which fields a struct has, which
// lists merge and by which keys, which values are only replaced whole.
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
#include "ksim/api/structural/schema_node.h"
#include "ksim/apiserver/apply/path_element.h"

namespace ksim::apiserver {

class Shape {
 public:
  // The shape of a kind's objects. That of a custom kind is the schema of its definition. Without
  // one, as upstream deduces, maps merge and lists do not. Its metadata is that of all objects.
  static Shape Of(const api::ResourceInfo& kind);

  enum class Merge : std::uint8_t {
    kLeaf,   // a scalar, or a list, map or struct that is replaced whole
    kMap,    // field by field
    kKeyed,  // item by item, items are known by their keys
    kSet     // a list of distinct scalars
  };
  // How the value at this place merges. Without a schema the value's own type decides.
  Merge MergeOf(const value::Value& v) const;

  // The shape of a field of a kMap.
  Shape Field(value::Atom name) const;
  // True if this is a struct and the field one of its own.
  bool Names(std::string_view field) const;
  // True if this is a struct without the field.
  bool Lacks(value::Atom field) const;
  // The shape of an item of a kKeyed list.
  Shape Item() const;
  // The path element of an item of a kKeyed list or a kSet. InvalidArgument for an item without
  // keys.
  absl::StatusOr<PathElement> ElementOf(const value::Value& item) const;
  // The first key that an item of a kKeyed list of a custom kind leaves out and that has no
  // default;
  // "": none.
  std::string_view OmittedKey(const value::Value& item) const;
  // The complaint of structured-merge-diff that the schema of a custom kind wants another value
  // here; "": the value fits, or the kind is not a custom one.
  std::string Misfit(const value::Value& v) const;
  // The shape below a path element of this place.
  Shape Below(const PathElement& element) const;

 private:
  struct List {
    bool set = false;
    std::vector<std::string_view> keys;
  };
  Shape() = default;
  bool is_struct() const;
  // The shape of a part of a custom resource; null: its schema says nothing of it.
  static Shape OfNode(const api::SchemaNode* node);
  // The value of a key that an item leaves out; null if there is none.
  value::Value DefaultOfKey(std::string_view key) const;
  static List ListOf(std::string_view owner, std::string_view field);

  const api::GoType* type_ = nullptr;      // null: no schema
  const api::GoType* metadata_ = nullptr;  // of a custom resource as a whole
  const api::SchemaNode* node_ = nullptr;  // of a custom resource, or a part of it
  bool atomic_ = false;
  List list_;
};

}  // namespace ksim::apiserver
