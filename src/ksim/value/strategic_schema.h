// Which lists of the built-in kinds merge, and by which key: the patchStrategy and patchMergeKey
// tags of k8s.io/api and meta/v1. Fields without a tag, on the way to none, are not listed: objects
// merge, lists are replaced.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace ksim::value {

struct PatchType;

struct PatchField {
  std::string_view name;
  const PatchType* type = nullptr;  // of the field, or of a list's elements; null: plain
  bool merge = false;               // list: by merge_key, or as a set of scalars if that is empty
  std::string_view merge_key = {};
  bool replace = false;      // object: replaced whole
  bool retain_keys = false;  // object, or a list's elements: a patch names all keys that stay
};

struct PatchType {
  std::span<const PatchField> fields;
  // A default field for names that are not listed, and for a null type.
  static const PatchField& Field(const PatchType* type, std::string_view name);
};

// The schema of a built-in kind; null if there is none (custom resources).
const PatchType* FindPatchSchema(std::string_view api_version, std::string_view kind);

}  // namespace ksim::value
