// PatchSchema: how a strategic merge patch treats the fields of one type of object. The caller of
// patch.h's functions hands it in; ksim/api/patch_schema.h has those of the built-in kinds.
//
// A type lists the fields whose Go field has a patchStrategy or a patchMergeKey tag, and those on
// the way to one. All others are plain: objects merge, lists are replaced.
#pragma once
#include <span>
#include <string_view>

namespace ksim::value {

struct PatchSchema;

struct PatchField {
  std::string_view name;
  const PatchSchema* type = nullptr;  // of the field, or of a list's elements; null: plain
  bool merge = false;                 // list: by merge_key, or as a set of scalars if that is empty
  std::string_view merge_key = {};
  bool replace = false;      // object: replaced whole
  bool retain_keys = false;  // object, or a list's elements: a patch names all keys that stay
};

struct PatchSchema {
  std::span<const PatchField> fields;
  // A default field for names that are not listed, and for a null type.
  static const PatchField& Field(const PatchSchema* type, std::string_view name);
};

}  // namespace ksim::value
