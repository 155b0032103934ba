// Implements the functions of patch.h that compute strategic merge patches: diffMaps and its kin of
// apimachinery pkg/util/strategicpatch/patch.go. Objects are walked in the order of their names.
#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "ksim/base/status.h"
#include "ksim/value/go_format.h"
#include "ksim/value/node.h"
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

absl::StatusOr<Value> DiffMaps(const Value& original, const Value& modified,
                               const PatchSchema* type, const DiffOptions& options);

absl::Status RequireMergeKey(const Value& item, Atom merge_key) {
  if (!item.is_object()) return ErrBadArgType(kMapType, item);
  return HasField(item, merge_key) ? absl::OkStatus() : ErrNoMergeKey(item, merge_key);
}

// The parts of the patch that come from a pair of lists with merge semantics.
struct ListDiff {
  List patch;
  List deletions;
  List order;
};

class ListDiffer {
 public:
  ListDiffer(const Value& original, const Value& modified, const PatchField& field,
             const DiffOptions& options)
      : original_(ItemsOf(original)),
        modified_(ItemsOf(modified)),
        field_(field),
        merge_key_(field.merge_key),
        options_(options) {}

  // Upstream: diffLists.
  absl::StatusOr<ListDiff> Diff() {
    if (original_.empty()) {
      if (!options_.ignore_changes_and_additions) out_.patch = ListOf(modified_);
      return std::move(out_);
    }
    ASSIGN_OR_RETURN(const bool maps, HoldsMaps(original_, modified_));
    RETURN_IF_ERROR(maps ? DiffMapElements() : DiffScalars());
    return std::move(out_);
  }

 private:
  absl::Status DiffMapElements() {
    List deletions;
    RETURN_IF_ERROR(WalkMaps(&deletions));
    ASSIGN_OR_RETURN(out_.patch,
                     NormalizeSliceOrder(std::move(out_.patch), modified_, merge_key_, true));
    ASSIGN_OR_RETURN(const bool order_same, IsOrderSame());
    out_.patch.insert(out_.patch.end(), deletions.begin(), deletions.end());
    const bool changed = !out_.patch.empty();
    const bool wanted = (!options_.ignore_changes_and_additions && (changed || !order_same)) ||
                        (!options_.ignore_deletions && changed);
    if (!options_.set_element_order || !wanted) return absl::OkStatus();
    for (const Value& v : modified_) {
      Value::Member key(merge_key_, v.Get(merge_key_));
      out_.order.push_back(MakeObject(std::span(&key, 1)));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<bool> IsOrderSame() const {
    if (original_.size() != modified_.size()) return false;
    for (std::size_t i = 0; i < modified_.size(); ++i) {
      ASSIGN_OR_RETURN(const bool equal,
                       MergeKeyValueEqual(original_[i], modified_[i], merge_key_));
      if (!equal) return false;
    }
    return true;
  }

  // Upstream: diffListsOfMaps. Walks both lists side by side, sorted by the text of the merge key.
  absl::Status WalkMaps(List* deletions) {
    const List before = SortMapsByKey(ListOf(original_), merge_key_);
    const List after = SortMapsByKey(ListOf(modified_), merge_key_);
    std::size_t i = 0, j = 0;
    while (i < before.size() || j < after.size()) {
      if (i < before.size()) RETURN_IF_ERROR(RequireMergeKey(before[i], merge_key_));
      if (j < after.size()) RETURN_IF_ERROR(RequireMergeKey(after[j], merge_key_));
      const int order = i == before.size() ? 1
                        : j == after.size()
                            ? -1
                            : CompareGoText(before[i].Get(merge_key_), after[j].Get(merge_key_));
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

  Value DeleteElement(const Value& v) const {
    return SetAll(Value::EmptyObject(),
                  {{merge_key_, v.Get(merge_key_)}, {Directives().patch, Value::Of("delete")}});
  }

  absl::Status ChangedElement(const Value& before, const Value& after) {
    ASSIGN_OR_RETURN(Value patch, DiffMaps(before, after, field_.type, options_));
    if (patch.empty()) return absl::OkStatus();
    out_.patch.push_back(std::move(patch).Set(merge_key_, Value(after.Get(merge_key_))));
    return absl::OkStatus();
  }

  absl::Status DiffScalars() {
    WalkScalars();
    ASSIGN_OR_RETURN(out_.patch,
                     NormalizeSliceOrder(std::move(out_.patch), modified_, Atom(), false));
    const bool deleted = !options_.ignore_deletions && !out_.deletions.empty();
    // Upstream has sorted the original in place by now. It sends an order if the modified list
    // differs from that, whether the patch changes anything or not.
    const List sorted = SortScalars(ListOf(original_));
    const bool changed =
        !options_.ignore_changes_and_additions &&
        !std::equal(sorted.begin(), sorted.end(), modified_.begin(), modified_.end());
    if (options_.set_element_order && (deleted || changed)) out_.order = ListOf(modified_);
    return absl::OkStatus();
  }

  // Upstream: diffListsOfScalars.
  void WalkScalars() {
    const List before = SortScalars(ListOf(original_));
    const List after = SortScalars(ListOf(modified_));
    List deletions;
    std::size_t i = 0, j = 0;
    while (i < before.size() || j < after.size()) {
      const int order = i == before.size()  ? 1
                        : j == after.size() ? -1
                                            : CompareGoText(before[i], after[j]);
      if (order > 0 && !options_.ignore_changes_and_additions) out_.patch.push_back(after[j]);
      if (order < 0 && !options_.ignore_deletions) deletions.push_back(before[i]);
      i += order <= 0 ? 1 : 0;
      j += order >= 0 ? 1 : 0;
    }
    out_.deletions = DeduplicateScalars(std::move(deletions));
  }

  static List ListOf(ItemSpan items) { return {items.begin(), items.end()}; }

  ItemSpan original_;
  ItemSpan modified_;
  const PatchField& field_;
  Atom merge_key_;
  const DiffOptions& options_;
  ListDiff out_;
};

class MapDiffer {
 public:
  MapDiffer(const PatchSchema* type, const DiffOptions& options) : type_(type), options_(options) {}

  absl::StatusOr<Value> Diff(const Value& original, const Value& modified) {
    List retained;
    const auto before = MembersOf(original);
    const auto after = MembersOf(modified);
    std::size_t known = 0;  // members of `modified` that `original` has
    for (std::size_t i = 0; i < after.size(); ++i) {
      const Value::Member& m = after[i];
      if (options_.build_retain_keys && !m.value.is_null()) {
        retained.push_back(Value::String(m.name.text()));
      }
      const Value* old = OldOf(m.name, before, i);
      known += old != nullptr ? 1 : 0;
      RETURN_IF_ERROR(DiffMember(m, old));
    }
    bool lost = false;
    for (std::size_t i = 0; i < before.size() && known < before.size(); ++i) {
      const Value::Member& m = before[i];
      if (FindMember(after, m.name) != nullptr) continue;
      lost = lost || !m.value.is_null();
      if (!options_.ignore_deletions) Put(m.name, Value());
    }
    if (!retained.empty() && (!patch_.empty() || lost)) {
      Put(Directives().retain_keys, Value::Array(SortScalars(std::move(retained))));
    }
    return MakeObject(std::span(patch_));
  }

 private:
  // Most pairs of objects have the same names at the same places.
  static const Value* OldOf(Atom name, std::span<const Value::Member> before, std::size_t i) {
    if (i < before.size() && before[i].name == name) return &before[i].value;
    const Value::Member* found = FindMember(before, name);
    return found == nullptr ? nullptr : &found->value;
  }

  // The later of two members with one name counts (MakeObject).
  void Put(Atom key, Value v) { patch_.emplace_back(key, std::move(v)); }
  void PutList(Atom key, List list) {
    if (!list.empty()) Put(key, Value::Array(std::move(list)));
  }
  void PutList(std::string_view directive, Atom name, List list) {
    if (list.empty()) return;
    std::string key(directive);
    key.append("/").append(name.text());
    PutList(Atom(key), std::move(list));
  }

  absl::Status DiffMember(const Value::Member& m, const Value* before) {
    if (before != nullptr && m.name == Directives().patch) return DiffDirective(*before, m.value);
    if (before != nullptr && before->type() == m.value.type()) {
      if (m.value.is_object()) {
        return DiffObject(m.name, *before, m.value, PatchSchema::Field(type_, m.name.text()));
      }
      if (m.value.is_array()) {
        const PatchField& field = PatchSchema::Field(type_, m.name.text());
        if (field.merge) return DiffList(m.name, *before, m.value, field);
      }
      if (*before == m.value) return absl::OkStatus();
    }
    if (!options_.ignore_changes_and_additions) Put(m.name, m.value);
    return absl::OkStatus();
  }

  absl::Status DiffDirective(const Value& before, const Value& after) {
    if (!before.is_string() || !after.is_string()) {
      return BadPatch("invalid value for special key: $patch");
    }
    if (before != after) Put(Directives().patch, after);
    return absl::OkStatus();
  }

  absl::Status DiffObject(Atom name, const Value& before, const Value& after,
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

  absl::Status DiffList(Atom name, const Value& before, const Value& after,
                        const PatchField& field) {
    DiffOptions inner = options_;
    inner.build_retain_keys = field.retain_keys;
    ASSIGN_OR_RETURN(ListDiff diff, ListDiffer(before, after, field, inner).Diff());
    PutList(name, std::move(diff.patch));
    PutList(kDeleteFromList, name, std::move(diff.deletions));
    PutList(kSetElementOrder, name, std::move(diff.order));
    return absl::OkStatus();
  }

  const PatchSchema* type_;
  const DiffOptions& options_;
  absl::InlinedVector<Value::Member, 8> patch_;
};

absl::StatusOr<Value> DiffMaps(const Value& original, const Value& modified,
                               const PatchSchema* type, const DiffOptions& options) {
  return MapDiffer(type, options).Diff(original, modified);
}

absl::Status Unsupported() {
  return absl::UnimplementedError("strategic merge patch format is not supported");
}

}  // namespace

absl::StatusOr<Value> CreateTwoWayMergePatch(const Value& original, const Value& modified,
                                             const PatchSchema* schema) {
  if (schema == nullptr) return Unsupported();
  DiffOptions options;
  options.set_element_order = true;
  return DiffMaps(original, modified, schema, options);
}

absl::StatusOr<Value> CreateThreeWayMergePatch(const Value& original, const Value& modified,
                                               const Value& current, const PatchSchema* schema,
                                               bool overwrite) {
  if (schema == nullptr) return Unsupported();
  DiffOptions delta_options;
  delta_options.set_element_order = true;
  delta_options.ignore_deletions = true;
  ASSIGN_OR_RETURN(const Value delta, DiffMaps(current, modified, schema, delta_options));
  DiffOptions deletion_options;
  deletion_options.set_element_order = true;
  deletion_options.ignore_changes_and_additions = true;
  ASSIGN_OR_RETURN(const Value deletions, DiffMaps(original, modified, schema, deletion_options));
  MergeOptions merge_options;
  merge_options.merge_parallel_list = false;
  merge_options.ignore_unmatched_nulls = false;
  ASSIGN_OR_RETURN(Value patch, MergeMap(deletions, delta, schema, merge_options));
  if (overwrite) return patch;
  ASSIGN_OR_RETURN(const Value changed, DiffMaps(original, current, schema, DiffOptions()));
  ASSIGN_OR_RETURN(const bool conflict, HaveConflicts(patch, changed, schema));
  if (!conflict) return patch;
  const std::string message = "patch:\n" + ToYaml(patch) +
                              "\nconflicts with changes made from original to current:\n" +
                              ToYaml(changed) + "\n";
  return absl::FailedPreconditionError(AbslView(message));
}

}  // namespace ksim::value
