// Computing strategic merge patches: diffMaps and its kin of apimachinery
// pkg/util/strategicpatch/patch.go. Objects are walked in the order of their names.
#include <algorithm>
#include <string>
#include <utility>

#include "ksim/base/status.h"
#include "ksim/value/go_format.h"
#include "ksim/value/patch.h"
#include "ksim/value/strategic_conflict.h"
#include "ksim/value/strategic_lists.h"
#include "ksim/value/strategic_merge.h"
#include "ksim/value/yaml.h"

namespace ksim::value {
namespace {

struct DiffOptions {
  bool set_element_order = false;
  bool ignore_changes_and_additions = false;
  bool ignore_deletions = false;
  bool build_retain_keys = false;
};

constexpr std::string_view kMapType = "map[string]interface {}";

absl::StatusOr<Value> DiffMaps(const Value& original, const Value& modified, const PatchType* type,
                               const DiffOptions& options);

absl::Status RequireMergeKey(const Value& item, std::string_view merge_key) {
  if (!item.is_object()) return ErrBadArgType(kMapType, item);
  return item.Has(merge_key) ? absl::OkStatus() : ErrNoMergeKey(item, merge_key);
}

// What a pair of lists with merge semantics puts into the patch.
struct ListDiff {
  List patch;
  List deletions;
  List order;
};

class ListDiffer {
 public:
  ListDiffer(const List& original, const List& modified, const PatchField& field,
             const DiffOptions& options)
      : original_(original), modified_(modified), field_(field), options_(options) {}

  // Upstream: diffLists.
  absl::StatusOr<ListDiff> Diff() {
    if (original_.empty()) {
      if (!options_.ignore_changes_and_additions) out_.patch = modified_;
      return out_;
    }
    ASSIGN_OR_RETURN(const bool maps, HoldsMaps(original_, modified_));
    RETURN_IF_ERROR(maps ? DiffMapElements() : DiffScalars());
    return out_;
  }

 private:
  absl::Status DiffMapElements() {
    List deletions;
    RETURN_IF_ERROR(WalkMaps(&deletions));
    ASSIGN_OR_RETURN(out_.patch,
                     NormalizeSliceOrder(out_.patch, modified_, field_.merge_key, true));
    ASSIGN_OR_RETURN(const bool order_same, IsOrderSame());
    out_.patch.insert(out_.patch.end(), deletions.begin(), deletions.end());
    const bool changed = !out_.patch.empty();
    const bool wanted = (!options_.ignore_changes_and_additions && (changed || !order_same)) ||
                        (!options_.ignore_deletions && changed);
    if (!options_.set_element_order || !wanted) return absl::OkStatus();
    for (const Value& v : modified_) {
      out_.order.push_back(Obj({{field_.merge_key, v.Get(field_.merge_key)}}));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<bool> IsOrderSame() const {
    if (original_.size() != modified_.size()) return false;
    for (std::size_t i = 0; i < modified_.size(); ++i) {
      ASSIGN_OR_RETURN(const bool equal,
                       MergeKeyValueEqual(original_[i], modified_[i], field_.merge_key));
      if (!equal) return false;
    }
    return true;
  }

  // Upstream: diffListsOfMaps. Both lists sorted by the text of the merge key, walked side by side.
  absl::Status WalkMaps(List* deletions) {
    const List before = SortMapsByKey(original_, field_.merge_key);
    const List after = SortMapsByKey(modified_, field_.merge_key);
    std::size_t i = 0, j = 0;
    while (i < before.size() || j < after.size()) {
      if (i < before.size()) RETURN_IF_ERROR(RequireMergeKey(before[i], field_.merge_key));
      if (j < after.size()) RETURN_IF_ERROR(RequireMergeKey(after[j], field_.merge_key));
      const int order = i == before.size()  ? 1
                        : j == after.size() ? -1
                                            : KeyText(before[i]).compare(KeyText(after[j]));
      if (order == 0) {
        RETURN_IF_ERROR(ChangedElement(before[i++], after[j++]));
      } else if (order > 0) {
        if (!options_.ignore_changes_and_additions) out_.patch.push_back(after[j]);
        ++j;
      } else {
        if (!options_.ignore_deletions) deletions->push_back(DeleteElement(before[i]));
        ++i;
      }
    }
    return absl::OkStatus();
  }

  std::string KeyText(const Value& v) const { return GoFormat(v.Get(field_.merge_key)); }

  Value DeleteElement(const Value& v) const {
    return Obj({{field_.merge_key, v.Get(field_.merge_key)}, {kDirective, Value::Of("delete")}});
  }

  absl::Status ChangedElement(const Value& before, const Value& after) {
    ASSIGN_OR_RETURN(Value patch, DiffMaps(before, after, field_.type, options_));
    if (patch.empty()) return absl::OkStatus();
    out_.patch.push_back(
        std::move(patch).Set(field_.merge_key, Value(after.Get(field_.merge_key))));
    return absl::OkStatus();
  }

  absl::Status DiffScalars() {
    WalkScalars();
    ASSIGN_OR_RETURN(out_.patch, NormalizeSliceOrder(out_.patch, modified_, "", false));
    const bool deleted = !options_.ignore_deletions && !out_.deletions.empty();
    const bool changed = !options_.ignore_changes_and_additions && original_ != modified_;
    if (options_.set_element_order && (deleted || changed)) out_.order = modified_;
    return absl::OkStatus();
  }

  // Upstream: diffListsOfScalars.
  void WalkScalars() {
    const List before = SortScalars(original_);
    const List after = SortScalars(modified_);
    List deletions;
    std::size_t i = 0, j = 0;
    while (i < before.size() || j < after.size()) {
      const int order = i == before.size()  ? 1
                        : j == after.size() ? -1
                                            : GoFormat(before[i]).compare(GoFormat(after[j]));
      if (order > 0 && !options_.ignore_changes_and_additions) out_.patch.push_back(after[j]);
      if (order < 0 && !options_.ignore_deletions) deletions.push_back(before[i]);
      i += order <= 0 ? 1 : 0;
      j += order >= 0 ? 1 : 0;
    }
    out_.deletions = DeduplicateScalars(std::move(deletions));
  }

  const List& original_;
  const List& modified_;
  const PatchField& field_;
  const DiffOptions& options_;
  ListDiff out_;
};

class MapDiffer {
 public:
  MapDiffer(const PatchType* type, const DiffOptions& options) : type_(type), options_(options) {}

  absl::StatusOr<Value> Diff(const Value& original, const Value& modified) {
    List retained;
    for (const Value::Member& m : modified.members()) {
      if (options_.build_retain_keys && !m.value.is_null()) {
        retained.push_back(Value::String(m.name.text()));
      }
      RETURN_IF_ERROR(DiffMember(m, original.Find(m.name)));
    }
    bool lost = false;
    for (const Value::Member& m : original.members()) {
      if (modified.Find(m.name) != nullptr) continue;
      lost = lost || !m.value.is_null();
      if (!options_.ignore_deletions) Put(m.name.text(), Value());
    }
    if (!retained.empty() && (!patch_.empty() || lost)) {
      Put(kRetainKeys, Value::Array(SortScalars(std::move(retained))));
    }
    return patch_;
  }

 private:
  void Put(std::string_view key, Value v) { patch_ = std::move(patch_).Set(key, std::move(v)); }
  void PutList(const std::string& key, List list) {
    if (!list.empty()) Put(key, Value::Array(std::move(list)));
  }

  absl::Status DiffMember(const Value::Member& m, const Value* before) {
    const std::string name(m.name.text());
    if (before != nullptr && name == kDirective) return DiffDirective(*before, m.value);
    if (before != nullptr && before->type() == m.value.type()) {
      const PatchField& field = PatchType::Field(type_, name);
      if (m.value.is_object()) return DiffObject(name, *before, m.value, field);
      if (m.value.is_array() && field.merge) return DiffList(name, *before, m.value, field);
      if (*before == m.value) return absl::OkStatus();
    }
    if (!options_.ignore_changes_and_additions) Put(name, m.value);
    return absl::OkStatus();
  }

  absl::Status DiffDirective(const Value& before, const Value& after) {
    if (!before.is_string() || !after.is_string()) {
      return BadPatch("invalid value for special key: $patch");
    }
    if (before != after) Put(kDirective, after);
    return absl::OkStatus();
  }

  absl::Status DiffObject(const std::string& name, const Value& before, const Value& after,
                          const PatchField& field) {
    if (field.replace) {
      if (!options_.ignore_changes_and_additions) Put(name, after);
      return absl::OkStatus();
    }
    DiffOptions inner = options_;
    inner.build_retain_keys = field.retain_keys;
    ASSIGN_OR_RETURN(Value patch, DiffMaps(before, after, field.type, inner));
    if (!patch.empty()) Put(name, std::move(patch));
    return absl::OkStatus();
  }

  absl::Status DiffList(const std::string& name, const Value& before, const Value& after,
                        const PatchField& field) {
    DiffOptions inner = options_;
    inner.build_retain_keys = field.retain_keys;
    const List original = ItemsOfList(before);
    const List modified = ItemsOfList(after);
    ASSIGN_OR_RETURN(ListDiff diff, ListDiffer(original, modified, field, inner).Diff());
    PutList(name, std::move(diff.patch));
    PutList(std::string(kDeleteFromList) + "/" + name, std::move(diff.deletions));
    PutList(std::string(kSetElementOrder) + "/" + name, std::move(diff.order));
    return absl::OkStatus();
  }

  const PatchType* type_;
  const DiffOptions& options_;
  Value patch_ = Value::EmptyObject();
};

absl::StatusOr<Value> DiffMaps(const Value& original, const Value& modified, const PatchType* type,
                               const DiffOptions& options) {
  return MapDiffer(type, options).Diff(original, modified);
}

absl::Status Unsupported() {
  return absl::UnimplementedError("strategic merge patch format is not supported");
}

}  // namespace

absl::StatusOr<Value> CreateTwoWayMergePatch(const Value& original, const Value& modified,
                                             std::string_view api_version, std::string_view kind) {
  const PatchType* type = FindPatchSchema(api_version, kind);
  if (type == nullptr) return Unsupported();
  DiffOptions options;
  options.set_element_order = true;
  return DiffMaps(original, modified, type, options);
}

absl::StatusOr<Value> CreateThreeWayMergePatch(const Value& original, const Value& modified,
                                               const Value& current, std::string_view api_version,
                                               std::string_view kind, bool overwrite) {
  const PatchType* type = FindPatchSchema(api_version, kind);
  if (type == nullptr) return Unsupported();
  DiffOptions delta_options;
  delta_options.set_element_order = true;
  delta_options.ignore_deletions = true;
  ASSIGN_OR_RETURN(const Value delta, DiffMaps(current, modified, type, delta_options));
  DiffOptions deletion_options;
  deletion_options.set_element_order = true;
  deletion_options.ignore_changes_and_additions = true;
  ASSIGN_OR_RETURN(const Value deletions, DiffMaps(original, modified, type, deletion_options));
  MergeOptions merge_options;
  merge_options.merge_parallel_list = false;
  merge_options.ignore_unmatched_nulls = false;
  ASSIGN_OR_RETURN(Value patch, MergeMap(deletions, delta, type, merge_options));
  if (overwrite) return patch;
  ASSIGN_OR_RETURN(const Value changed, DiffMaps(original, current, type, DiffOptions()));
  ASSIGN_OR_RETURN(const bool conflict, HaveConflicts(patch, changed, type));
  if (!conflict) return patch;
  const std::string message = "patch:\n" + ToYaml(patch) +
                              "\nconflicts with changes made from original to current:\n" +
                              ToYaml(changed) + "\n";
  return absl::FailedPreconditionError(AbslView(message));
}

}  // namespace ksim::value
