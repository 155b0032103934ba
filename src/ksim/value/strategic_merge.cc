#include "ksim/value/strategic_merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "ksim/base/status.h"
#include "ksim/value/go_format.h"
#include "ksim/value/node.h"
#include "ksim/value/patch.h"
#include "ksim/value/strategic_lists.h"

namespace ksim::value {
namespace {

constexpr std::string_view kListType = "[]interface {}";

// The members of an object while they are edited: one new object is made of them at the end.
class EditedFields {
 public:
  explicit EditedFields(Value object) : object_(std::move(object)) {}

  const Value* Find(Atom name) const {
    const Value::Member* m = FindMember(now(), name);
    return m == nullptr ? nullptr : &m->value;
  }
  std::span<const Value::Member> now() const {
    return edited_ ? std::span<const Value::Member>(members_) : MembersOf(object_);
  }
  void Set(Atom name, Value v) {
    const Value::Member* old = FindMember(now(), name);
    if (old != nullptr && old->value.SameTree(v)) return;
    const auto at = old == nullptr ? now().size() : static_cast<std::size_t>(old - now().data());
    Edit();
    if (at == members_.size()) members_.emplace_back(name, Value());
    members_[at].value = std::move(v);
  }
  void Erase(Atom name) {
    const Value::Member* old = FindMember(now(), name);
    if (old == nullptr) return;
    const auto at = old - now().data();
    Edit();
    members_.erase(members_.begin() + at);
  }
  Value Build() { return edited_ ? MakeObject(std::span(members_)) : object_; }

 private:
  static const Value::Member* FindMember(std::span<const Value::Member> members, Atom name) {
    const auto it = std::find_if(members.begin(), members.end(),
                                 [name](const Value::Member& m) { return m.name == name; });
    return it == members.end() ? nullptr : &*it;
  }
  void Edit() {
    if (edited_) return;
    edited_ = true;
    members_.assign(MembersOf(object_).begin(), MembersOf(object_).end());
  }

  Value object_;
  bool edited_ = false;
  absl::InlinedVector<Value::Member, 24> members_;  // not sorted
};

// One object and the patch for it. A member of the patch that has been applied leaves the patch.
class MapMerger {
 public:
  MapMerger(const Value& original, Value patch, const PatchSchema* type,
            const MergeOptions& options)
      : original_(original.is_null() ? Value::EmptyObject() : original),
        patch_(std::move(patch)),
        type_(type),
        options_(options) {}

  absl::StatusOr<Value> Merge() {
    if (HasField(patch_, Directives().patch)) return WholeDirective();
    RETURN_IF_ERROR(ApplyRetainKeys());
    RETURN_IF_ERROR(ApplyElementOrders());
    const Value rest = patch_;
    for (const Value::Member& m : rest.members()) RETURN_IF_ERROR(MergeMember(m));
    return original_.Build();
  }

 private:
  // Upstream: handleDirectiveInMergeMap.
  absl::StatusOr<Value> WholeDirective() {
    const Value directive = patch_.Get(Directives().patch);
    if (directive.AsString() == "replace") return EraseField(patch_, Directives().patch);
    if (directive.AsString() == "delete") return Value::EmptyObject();
    return ErrBadPatchType(directive, patch_);
  }

  absl::Status ApplyRetainKeys() {
    const Atom name_of_keys = Directives().retain_keys;
    if (!HasField(patch_, name_of_keys)) return absl::OkStatus();
    const Value keys = patch_.Get(name_of_keys);
    patch_ = EraseField(patch_, name_of_keys);
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
    const Value before = original_.Build();
    for (const Value::Member& m : before.members()) {
      if (!retained(m.name.text())) original_.Erase(m.name);
    }
    return absl::OkStatus();
  }

  // Two patches that are merged into one must agree.
  absl::Status KeepRetainKeys(const Value& keys) {
    const Value* own = original_.Find(Directives().retain_keys);
    if (own == nullptr) {
      original_.Set(Directives().retain_keys, keys);
    } else if (*own != keys) {
      return BadPatch(fmt::format(
          "{} and {} are not deep equal: this may happen when calculating the 3-way diff patch",
          GoFormat(*own), GoFormat(keys)));
    }
    return absl::OkStatus();
  }

  // Upstream: mergePatchIntoOriginal.
  absl::Status ApplyElementOrders() {
    const Value patch = patch_;
    for (const Value::Member& m : patch.members()) {
      if (!m.name.text().starts_with(kSetElementOrder)) continue;
      patch_ = EraseField(patch_, m.name);
      RETURN_IF_ERROR(ApplyElementOrder(m.name, m.value));
    }
    return absl::OkStatus();
  }

  absl::Status ApplyElementOrder(Atom directive, const Value& order) {
    if (!options_.merge_parallel_list) {
      const Value* own = original_.Find(directive);
      if (own != nullptr && *own != order) return ErrBadSetElementOrder();
      original_.Set(directive, order);
    }
    if (!order.is_array()) return ErrBadArgType(kListType, order);
    ASSIGN_OR_RETURN(const std::string name, ExtractKey(directive.text(), kSetElementOrder));
    const Atom key(name);
    const Value* const own = original_.Find(key);
    const bool has_patch = HasField(patch_, key);
    const Value original = own == nullptr ? Value() : *own;
    const Value patch = patch_.Get(key);
    if (own != nullptr && !original.is_array()) return ErrBadArgType(kListType, original);
    if (has_patch && !patch.is_array()) return ErrBadArgType(kListType, patch);
    const PatchField& field = PatchSchema::Field(type_, name);
    const Atom merge_key(field.merge_key);
    RETURN_IF_ERROR(ValidatePatchWithSetOrderList(ItemsOf(patch), order, merge_key));
    if (own == nullptr && !has_patch) return absl::OkStatus();
    Value merged = original;
    if (own == nullptr) {
      merged = RemoveDirectives(patch).value;
    } else if (has_patch) {
      ASSIGN_OR_RETURN(merged, MergeLists(original, patch, field, /*delete_list=*/false));
    }
    ASSIGN_OR_RETURN(Partition parts, PartitionBy(ItemsOf(merged), ItemsOf(order), merge_key));
    ASSIGN_OR_RETURN(const bool maps, HoldsMaps(ItemsOf(original), ItemsOf(patch)));
    const List live = LiveOrder(ItemsOf(original), ItemsOf(patch), merge_key);
    ASSIGN_OR_RETURN(List ordered, NormalizeElementOrder(std::move(parts), ItemsOf(order), live,
                                                         merge_key, maps));
    original_.Set(key, Value::Array(std::move(ordered)));
    patch_ = EraseField(patch_, key);
    return absl::OkStatus();
  }

  // The live list as upstream sees it after merging. Its slices share storage: where elements were
  // deleted, those that the patch adds move up into the live list, at most to its old length.
  static List LiveOrder(ItemSpan live, ItemSpan patch, Atom merge_key) {
    List order(live.begin(), live.end());
    if (merge_key == Atom()) return order;
    const auto names = [merge_key](ItemSpan list, const Value& v) {
      return FindByKey(list, merge_key, v.Get(merge_key)).value_or(-1) >= 0;
    };
    List deleted;
    for (const Value& v : patch) {
      if (v.Get(Directives().patch).AsString() == "delete") deleted.push_back(v);
    }
    if (deleted.empty()) return order;
    std::erase_if(order, [&](const Value& v) { return names(deleted, v); });
    for (const Value& v : patch) {
      const bool adds = !HasField(v, Directives().patch) && !names(live, v);
      if (order.size() < live.size() && adds) order.push_back(v);
    }
    return order;
  }

  absl::Status MergeMember(const Value::Member& m) {
    Atom key = m.name;
    const bool delete_list = key.text().starts_with(kDeleteFromList);
    if (delete_list) {
      if (!options_.merge_parallel_list) {
        original_.Set(key, m.value);
        return absl::OkStatus();
      }
      ASSIGN_OR_RETURN(const std::string name, ExtractKey(m.name.text(), kDeleteFromList));
      key = Atom(name);
    }
    if (m.value.is_null()) {
      original_.Erase(key);
      if (options_.ignore_unmatched_nulls) return absl::OkStatus();
    }
    const Value* const found = original_.Find(key);
    if (found == nullptr || found->type() != m.value.type()) {
      if (!delete_list) Replace(key, m.value);
      return absl::OkStatus();
    }
    const Value before = *found;
    if (before.is_array()) {
      const PatchField& field = PatchSchema::Field(type_, key.text());
      ASSIGN_OR_RETURN(Value merged, MergeLists(before, m.value, field, delete_list));
      original_.Set(key, std::move(merged));
    } else if (before.is_object()) {
      const PatchField& field = PatchSchema::Field(type_, key.text());
      ASSIGN_OR_RETURN(Value merged, MergeObjects(before, m.value, field));
      original_.Set(key, std::move(merged));
    } else {
      original_.Set(key, m.value);
    }
    return absl::OkStatus();
  }

  void Replace(Atom key, const Value& v) {
    const WithoutDirectives plain =
        RemoveDirectives(options_.ignore_unmatched_nulls ? DiscardNulls(v) : v);
    plain.keep ? original_.Set(key, plain.value) : original_.Erase(key);
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
    const Atom merge_key(field.merge_key);
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
      RETURN_IF_ERROR(ApplySpecialElements(merge_key, &live, &changes));
      ASSIGN_OR_RETURN(merged, MergeElements(live, changes, field));
    } else {
      merged = live;
      merged.insert(merged.end(), changes.begin(), changes.end());
      merged = DeduplicateScalars(std::move(merged));
    }
    ASSIGN_OR_RETURN(Partition parts, PartitionBy(merged, changes, merge_key));
    ASSIGN_OR_RETURN(List ordered,
                     NormalizeElementOrder(std::move(parts), changes, live, merge_key, maps));
    return Value::Array(std::move(ordered));
  }

  // Upstream: mergeSliceWithSpecialElements. Carries out the elements with a $patch and takes them
  // out of the patch.
  static absl::Status ApplySpecialElements(Atom merge_key, List* live, List* changes) {
    const auto special = [](const Value& v) { return HasField(v, Directives().patch); };
    if (std::none_of(changes->begin(), changes->end(), special)) return absl::OkStatus();
    List plain;
    bool replace = false;
    for (const Value& v : *changes) {
      const Value& directive = v.Get(Directives().patch);
      if (!special(v)) {
        plain.push_back(v);
      } else if (directive.AsString() == "delete") {
        if (!HasField(v, merge_key)) return ErrNoMergeKey(v, merge_key);
        std::erase_if(*live, [&](const Value& l) {
          const Value* key = l.Find(merge_key);
          return key != nullptr && *key == v.Get(merge_key);
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
    const Atom merge_key(field.merge_key);
    for (const Value& v : changes) {
      const Value* key = v.Find(merge_key);
      if (key == nullptr) return ErrNoMergeKey(v, merge_key);
      ASSIGN_OR_RETURN(const int at, FindByKey(live, merge_key, *key));
      if (at < 0) {
        live.push_back(options_.ignore_unmatched_nulls ? DiscardNulls(v) : v);
        if (key->is_null()) live.back() = std::move(live.back()).Set(merge_key, Value());
        continue;
      }
      Value& element = live[static_cast<std::size_t>(at)];
      ASSIGN_OR_RETURN(element, MergeMap(element, v, field.type, options_));
    }
    return live;
  }

  EditedFields original_;
  Value patch_;
  const PatchSchema* type_;
  const MergeOptions& options_;
};

}  // namespace

absl::StatusOr<Value> MergeMap(const Value& original, const Value& patch, const PatchSchema* type,
                               const MergeOptions& options) {
  return MapMerger(original, patch, type, options).Merge();
}

absl::StatusOr<Value> ApplyStrategicMergePatch(const Value& original, const Value& patch,
                                               const PatchSchema* schema) {
  if (schema == nullptr) {
    return absl::UnimplementedError("strategic merge patch format is not supported");
  }
  if (!patch.is_object()) return BadPatch("invalid JSON document");
  return MergeMap(original, patch, schema, MergeOptions());
}

}  // namespace ksim::value
