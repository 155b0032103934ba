#include "ksim/value/strategic_merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "ksim/base/status.h"
#include "ksim/value/go_format.h"
#include "ksim/value/patch.h"
#include "ksim/value/strategic_lists.h"

namespace ksim::value {
namespace {

constexpr std::string_view kListType = "[]interface {}";

// One object and the patch for it; members of the patch that are dealt with are taken out of it.
class MapMerger {
 public:
  MapMerger(Value original, Value patch, const PatchType* type, const MergeOptions& options)
      : original_(original.is_null() ? Value::EmptyObject() : std::move(original)),
        patch_(std::move(patch)),
        type_(type),
        options_(options) {}

  absl::StatusOr<Value> Merge() {
    if (patch_.Has(kDirective)) return WholeDirective();
    RETURN_IF_ERROR(ApplyRetainKeys());
    RETURN_IF_ERROR(ApplyElementOrders());
    const Value rest = patch_;
    for (const Value::Member& m : rest.members()) RETURN_IF_ERROR(MergeMember(m));
    return original_;
  }

 private:
  void SetOriginal(std::string_view key, Value v) {
    original_ = std::move(original_).Set(key, std::move(v));
  }
  void EraseOriginal(std::string_view key) { original_ = original_.Erase(key); }

  // Upstream: handleDirectiveInMergeMap.
  absl::StatusOr<Value> WholeDirective() {
    const Value directive = patch_.Get(kDirective);
    if (directive.AsString() == "replace") return patch_.Erase(kDirective);
    if (directive.AsString() == "delete") return Value::EmptyObject();
    return ErrBadPatchType(directive, patch_);
  }

  absl::Status ApplyRetainKeys() {
    const Value keys = patch_.Get(kRetainKeys);
    if (!patch_.Has(kRetainKeys)) return absl::OkStatus();
    patch_ = patch_.Erase(kRetainKeys);
    if (!options_.merge_parallel_list) return KeepRetainKeys(keys);
    if (!keys.is_array()) return ErrBadRetainKeys();
    const auto retained = [&keys](std::string_view name) {
      return std::any_of(keys.items().begin(), keys.items().end(),
                         [name](const Value& k) { return k.is_string() && k.AsString() == name; });
    };
    for (const Value::Member& m : patch_.members()) {
      const std::string_view name = m.name.text();
      if (m.value.is_null() || name.starts_with(kDeleteFromList) ||
          name.starts_with(kSetElementOrder)) {
        continue;
      }
      if (!retained(name)) return ErrBadRetainKeys();
    }
    const Value before = original_;
    for (const Value::Member& m : before.members()) {
      if (!retained(m.name.text())) EraseOriginal(m.name.text());
    }
    return absl::OkStatus();
  }

  // Of two patches merged into one: both must agree.
  absl::Status KeepRetainKeys(const Value& keys) {
    if (!original_.Has(kRetainKeys)) {
      SetOriginal(kRetainKeys, keys);
    } else if (original_.Get(kRetainKeys) != keys) {
      return BadPatch(fmt::format(
          "{} and {} are not deep equal: this may happen when calculating the 3-way diff patch",
          GoFormat(original_.Get(kRetainKeys)), GoFormat(keys)));
    }
    return absl::OkStatus();
  }

  // Upstream: mergePatchIntoOriginal.
  absl::Status ApplyElementOrders() {
    const Value patch = patch_;
    for (const Value::Member& m : patch.members()) {
      if (!m.name.text().starts_with(kSetElementOrder)) continue;
      patch_ = patch_.Erase(m.name.text());
      RETURN_IF_ERROR(ApplyElementOrder(m.name.text(), m.value));
    }
    return absl::OkStatus();
  }

  absl::Status ApplyElementOrder(std::string_view directive, const Value& order) {
    if (!options_.merge_parallel_list) {
      if (original_.Has(directive) && original_.Get(directive) != order) {
        return ErrBadSetElementOrder();
      }
      SetOriginal(directive, order);
    }
    if (!order.is_array()) return ErrBadArgType(kListType, order);
    ASSIGN_OR_RETURN(const std::string key, ExtractKey(directive, kSetElementOrder));
    const Value original = original_.Get(key);
    const Value patch = patch_.Get(key);
    const bool has_original = original_.Has(key);
    const bool has_patch = patch_.Has(key);
    if (has_original && !original.is_array()) return ErrBadArgType(kListType, original);
    if (has_patch && !patch.is_array()) return ErrBadArgType(kListType, patch);
    const PatchField& field = PatchType::Field(type_, key);
    RETURN_IF_ERROR(ValidatePatchWithSetOrderList(ItemsOfList(patch), order, field.merge_key));
    if (!has_original && !has_patch) return absl::OkStatus();
    Value merged = original;
    if (!has_original) merged = RemoveDirectives(patch).value;
    if (has_original && has_patch) {
      ASSIGN_OR_RETURN(merged, MergeLists(original, patch, field, /*delete_list=*/false));
    }
    ASSIGN_OR_RETURN(const Partition parts,
                     PartitionBy(ItemsOfList(merged), ItemsOfList(order), field.merge_key));
    ASSIGN_OR_RETURN(const bool maps, HoldsMaps(ItemsOfList(original), ItemsOfList(patch)));
    const List live = LiveOrder(ItemsOfList(original), ItemsOfList(patch), field.merge_key);
    ASSIGN_OR_RETURN(List ordered,
                     NormalizeElementOrder(parts, ItemsOfList(order), live, field.merge_key, maps));
    SetOriginal(key, Value::Array(std::move(ordered)));
    patch_ = patch_.Erase(key);
    return absl::OkStatus();
  }

  // The live list as upstream sees it after merging. Its slices share storage: where elements were
  // deleted, those that the patch adds move up into the live list, at most to its old length.
  static List LiveOrder(const List& live, const List& patch, std::string_view merge_key) {
    if (merge_key.empty()) return live;
    const auto names = [merge_key](const List& list, const Value& v) {
      return std::any_of(list.begin(), list.end(), [&](const Value& item) {
        return item.Has(merge_key) && item.Get(merge_key) == v.Get(merge_key);
      });
    };
    List deleted;
    List order = live;
    for (const Value& v : patch) {
      if (v.Get(kDirective).AsString() == "delete") deleted.push_back(v);
    }
    std::erase_if(order, [&](const Value& v) { return names(deleted, v); });
    for (const Value& v : patch) {
      if (order.size() < live.size() && !v.Has(kDirective) && !names(live, v)) order.push_back(v);
    }
    return order;
  }

  absl::Status MergeMember(const Value::Member& m) {
    std::string key(m.name.text());
    const bool delete_list = key.starts_with(kDeleteFromList);
    if (delete_list) {
      if (!options_.merge_parallel_list) {
        SetOriginal(key, m.value);
        return absl::OkStatus();
      }
      ASSIGN_OR_RETURN(key, ExtractKey(m.name.text(), kDeleteFromList));
    }
    if (m.value.is_null()) {
      EraseOriginal(key);
      if (options_.ignore_unmatched_nulls) return absl::OkStatus();
    }
    const Value before = original_.Get(key);
    if (!original_.Has(key) || before.type() != m.value.type()) {
      if (!delete_list) Replace(key, m.value);
      return absl::OkStatus();
    }
    const PatchField& field = PatchType::Field(type_, key);
    if (before.is_array()) {
      ASSIGN_OR_RETURN(Value merged, MergeLists(before, m.value, field, delete_list));
      SetOriginal(key, std::move(merged));
    } else if (before.is_object()) {
      ASSIGN_OR_RETURN(Value merged, MergeObjects(before, m.value, field));
      SetOriginal(key, std::move(merged));
    } else {
      SetOriginal(key, m.value);
    }
    return absl::OkStatus();
  }

  void Replace(std::string_view key, const Value& v) {
    const WithoutDirectives plain =
        RemoveDirectives(options_.ignore_unmatched_nulls ? DiscardNulls(v) : v);
    plain.keep ? SetOriginal(key, plain.value) : EraseOriginal(key);
  }

  absl::StatusOr<Value> MergeObjects(const Value& original, const Value& patch,
                                     const PatchField& field) const {
    if (field.replace) return patch;
    return MergeMap(original, patch, field.type, options_);
  }

  // Upstream: mergeSliceHandler, mergeSlice.
  absl::StatusOr<Value> MergeLists(const Value& original, const Value& patch,
                                   const PatchField& field, bool delete_list) const {
    if (!field.merge && !delete_list) return patch;
    if (original.empty() && patch.empty()) return original;
    List live = ItemsOfList(original);
    List changes = ItemsOfList(patch);
    ASSIGN_OR_RETURN(const bool maps, HoldsMaps(live, changes));
    if (!maps && options_.merge_parallel_list && delete_list) {
      std::erase_if(live, [&changes](const Value& v) {
        return std::find(changes.begin(), changes.end(), v) != changes.end();
      });
      return Value::Array(std::move(live));
    }
    List merged;
    if (maps) {
      if (field.merge_key.empty())
        return BadPatch("cannot merge lists without merge key for slice");
      RETURN_IF_ERROR(ApplySpecialElements(field.merge_key, &live, &changes));
      ASSIGN_OR_RETURN(merged, MergeElements(live, changes, field));
    } else {
      merged = live;
      merged.insert(merged.end(), changes.begin(), changes.end());
      merged = DeduplicateScalars(std::move(merged));
    }
    ASSIGN_OR_RETURN(const Partition parts, PartitionBy(merged, changes, field.merge_key));
    ASSIGN_OR_RETURN(List ordered,
                     NormalizeElementOrder(parts, changes, live, field.merge_key, maps));
    return Value::Array(std::move(ordered));
  }

  // Upstream: mergeSliceWithSpecialElements. Carries out the elements with a $patch and takes them
  // out of the patch.
  static absl::Status ApplySpecialElements(std::string_view merge_key, List* live, List* changes) {
    List plain;
    bool replace = false;
    for (const Value& v : *changes) {
      const Value directive = v.Get(kDirective);
      if (!v.Has(kDirective)) {
        plain.push_back(v);
      } else if (directive.AsString() == "delete") {
        if (!v.Has(merge_key)) return ErrNoMergeKey(v, merge_key);
        std::erase_if(*live, [&](const Value& l) {
          return l.Has(merge_key) && l.Get(merge_key) == v.Get(merge_key);
        });
      } else if (directive.AsString() == "replace") {
        replace = true;
      } else if (directive.AsString() == "merge") {
        return BadPatch("merging lists cannot yet be specified in the patch");
      } else {
        return ErrBadPatchType(directive, v);
      }
    }
    *changes = replace ? List() : plain;
    if (replace) *live = std::move(plain);
    return absl::OkStatus();
  }

  // Upstream: mergeSliceWithoutSpecialElements. What the server adds loses its nulls here, as it
  // does upstream when the result is decoded.
  absl::StatusOr<List> MergeElements(List live, const List& changes,
                                     const PatchField& field) const {
    for (const Value& v : changes) {
      if (!v.Has(field.merge_key)) return ErrNoMergeKey(v, field.merge_key);
      ASSIGN_OR_RETURN(const int at, FindByKey(live, field.merge_key, v.Get(field.merge_key)));
      if (at < 0) {
        live.push_back(options_.ignore_unmatched_nulls ? DiscardNulls(v) : v);
        continue;
      }
      Value& element = live[static_cast<std::size_t>(at)];
      ASSIGN_OR_RETURN(element, MergeMap(element, v, field.type, options_));
    }
    return live;
  }

  Value original_;
  Value patch_;
  const PatchType* type_;
  const MergeOptions& options_;
};

}  // namespace

absl::StatusOr<Value> MergeMap(const Value& original, const Value& patch, const PatchType* type,
                               const MergeOptions& options) {
  return MapMerger(original, patch, type, options).Merge();
}

bool HasStrategicSchema(std::string_view api_version, std::string_view kind) {
  return FindPatchSchema(api_version, kind) != nullptr;
}

absl::StatusOr<Value> ApplyStrategicMergePatch(const Value& original, const Value& patch,
                                               std::string_view api_version,
                                               std::string_view kind) {
  const PatchType* type = FindPatchSchema(api_version, kind);
  if (type == nullptr) {
    return absl::UnimplementedError("strategic merge patch format is not supported");
  }
  if (!patch.is_object()) return BadPatch("invalid JSON document");
  return MergeMap(original, patch, type, MergeOptions());
}

}  // namespace ksim::value
