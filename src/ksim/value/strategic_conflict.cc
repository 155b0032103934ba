#include "ksim/value/strategic_conflict.h"

#include <fmt/format.h>

#include <map>
#include <string>

#include "ksim/base/status.h"
#include "ksim/value/go_format.h"
#include "ksim/value/strategic_lists.h"

namespace ksim::value {
namespace {

absl::StatusOr<bool> FieldsConflict(const Value& left, const Value& right, const PatchSchema* type,
                                    const PatchField& field);

absl::StatusOr<bool> MapsConflict(const Value& left, const Value& right, const PatchSchema* type) {
  for (const Value::Member& m : left.members()) {
    const std::string_view name = m.name.text();
    const Value* other = right.Find(m.name);
    if (name == kDirective || name == kRetainKeys || other == nullptr) continue;
    const PatchField& field = PatchSchema::Field(type, name);
    ASSIGN_OR_RETURN(const bool conflict, FieldsConflict(m.value, *other, field.type, field));
    if (conflict) return true;
  }
  return false;
}

using ByKey = std::map<std::string, Value>;

absl::StatusOr<ByKey> IndexByKey(const List& list, Atom merge_key) {
  ByKey index;
  for (const Value& v : list) {
    if (!v.is_object()) {
      return BadPatch(
          fmt::format("invalid element type in merging list:{}", GoFormat(Value::Array(list))));
    }
    if (!HasField(v, merge_key)) {
      return BadPatch(fmt::format("cannot find merge key `{}` in merging list element:{}",
                                  merge_key.text(), GoFormat(v)));
    }
    index[GoFormat(v.Get(merge_key))] = v;
  }
  return index;
}

absl::StatusOr<bool> ListsConflict(List left, List right, const PatchSchema* type,
                                   const PatchField& field) {
  static constexpr PatchField kPlain{};
  ASSIGN_OR_RETURN(const bool maps, HoldsMaps(left, right));
  if (field.merge) {
    if (!maps) return false;
    ASSIGN_OR_RETURN(const ByKey l, IndexByKey(left, Atom(field.merge_key)));
    ASSIGN_OR_RETURN(const ByKey r, IndexByKey(right, Atom(field.merge_key)));
    for (const auto& [key, v] : l) {
      if (!r.contains(key)) continue;
      ASSIGN_OR_RETURN(const bool conflict, FieldsConflict(v, r.at(key), type, kPlain));
      if (conflict) return true;
    }
    return false;
  }
  if (left.size() != right.size()) return true;
  if (!maps) {
    left = SortScalars(DeduplicateScalars(std::move(left)));
    right = SortScalars(DeduplicateScalars(std::move(right)));
    return left != right;
  }
  for (std::size_t i = 0; i < left.size(); ++i) {
    ASSIGN_OR_RETURN(const bool conflict, FieldsConflict(left[i], right[i], type, kPlain));
    if (conflict) return true;
  }
  return false;
}

absl::StatusOr<bool> FieldsConflict(const Value& left, const Value& right, const PatchSchema* type,
                                    const PatchField& field) {
  if (left.type() != right.type()) return true;
  if (left.is_array()) return ListsConflict(ItemsOfList(left), ItemsOfList(right), type, field);
  if (!left.is_object()) return left != right;
  // A directive is about the whole object.
  if (left.Has(kDirective) != right.Has(kDirective)) return true;
  if (left.Get(kDirective) != right.Get(kDirective)) return true;
  if (field.replace) return false;
  return MapsConflict(left, right, type);
}

}  // namespace

absl::StatusOr<bool> HaveConflicts(const Value& left, const Value& right, const PatchSchema* type) {
  static constexpr PatchField kPlain{};
  return FieldsConflict(left, right, type, kPlain);
}

}  // namespace ksim::value
