#include "ksim/value/strategic_lists.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "ksim/base/status.h"
#include "ksim/value/go_format.h"
#include "ksim/value/go_sort.h"
#include "ksim/value/text.h"

namespace ksim::value {
namespace {

Value ArrayOf(ItemSpan items) { return Value::Array(List(items.begin(), items.end())); }

const Value& KeyOf(const Value& item, Atom merge_key, bool maps) {
  return maps ? item.Get(merge_key) : item;
}

// Upstream: index.
int IndexOf(ItemSpan list, const Value& item, Atom merge_key, bool maps) {
  const Value& key = KeyOf(item, merge_key, maps);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (KeyOf(list[i], merge_key, maps) == key) return static_cast<int>(i);
  }
  return -1;
}

absl::Status ValidateMergeKey(ItemSpan list, Atom merge_key) {
  for (const Value& item : list) {
    if (!item.is_object()) return ErrBadArgType(kMapType, item);
    if (!HasField(item, merge_key)) return ErrNoMergeKey(item, merge_key);
  }
  return absl::OkStatus();
}

bool Deletes(const Value& item) { return item.Get(Directives().patch).AsString() == "delete"; }

// Upstream: mergeSortedSlice. Server-only items go before the first patch item that follows them
// in the live order.
List MergeSortedSlice(List left, List right, ItemSpan server_order, Atom merge_key, bool maps) {
  if (left.empty()) return right;
  if (right.empty()) return left;
  const auto comes_first = [&](const Value& l, const Value& r) {
    const int li = IndexOf(server_order, l, merge_key, maps);
    const int ri = IndexOf(server_order, r, merge_key, maps);
    return li >= 0 && ri >= 0 && li < ri;
  };
  List merged;
  std::size_t i = 0, j = 0;
  while (i < left.size() || j < right.size()) {
    const bool take_left = j >= right.size() || (i < left.size() && comes_first(left[i], right[j]));
    merged.push_back(std::move(take_left ? left[i++] : right[j++]));
  }
  return merged;
}

}  // namespace

const DirectiveNames& Directives() {
  static const DirectiveNames names;
  return names;
}

List ItemsOfList(const Value& array) { return {array.items().begin(), array.items().end()}; }

absl::Status BadPatch(const std::string& message) { return InvalidText(message); }

absl::Status ErrBadArgType(std::string_view expected, const Value& actual) {
  return BadPatch(fmt::format("expected a {}, but received a {}", expected, GoTypeName(actual)));
}

absl::Status ErrNoMergeKey(const Value& object, Atom merge_key) {
  return BadPatch(fmt::format("map: {} does not contain declared merge key: {}", GoFormat(object),
                              merge_key.text()));
}

absl::Status ErrBadPatchType(const Value& directive, const Value& patch) {
  return BadPatch(
      fmt::format("unknown patch type: {} in map: {}", GoFormat(directive), GoFormat(patch)));
}

absl::Status ErrBadSetElementOrder() {
  return BadPatch("invalid patch format of setElementOrder list");
}
absl::Status ErrBadPrimitiveList() { return BadPatch("invalid patch format of primitive list"); }
absl::Status ErrBadRetainKeys() { return BadPatch("invalid patch format of retainKeys"); }

absl::StatusOr<std::string> ExtractKey(std::string_view key, std::string_view prefix) {
  const std::size_t slash = key.find('/');
  if (slash == prefix.size() && key.starts_with(prefix)) return std::string(key.substr(slash + 1));
  return prefix == kDeleteFromList ? ErrBadPrimitiveList() : ErrBadSetElementOrder();
}

absl::StatusOr<bool> HoldsMaps(ItemSpan a, ItemSpan b) {
  std::optional<Value::Type> type;
  for (const ItemSpan* list : {&a, &b}) {
    for (const Value& item : *list) {
      if (item.is_array()) return BadPatch("lists of lists are not supported");
      if (type && *type != item.type()) {
        return BadPatch(fmt::format("list element types are not identical: [{} {}]",
                                    GoFormat(ArrayOf(a)), GoFormat(ArrayOf(b))));
      }
      type = item.type();
    }
  }
  if (!type) return BadPatch("no elements in any of the given slices");
  return *type == Value::Type::kObject;
}

absl::StatusOr<int> FindByKey(ItemSpan list, Atom merge_key, const Value& value) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list[i].is_object()) return BadPatch(fmt::format("value for key {} is not a map", i));
    const Value* key = list[i].Find(merge_key);
    if (key != nullptr && *key == value) return static_cast<int>(i);
  }
  return -1;
}

absl::StatusOr<bool> MergeKeyValueEqual(const Value& left, const Value& right, Atom merge_key) {
  if (merge_key == Atom()) return left == right;
  RETURN_IF_ERROR(ValidateMergeKey(ItemSpan(&left, 1), merge_key));
  RETURN_IF_ERROR(ValidateMergeKey(ItemSpan(&right, 1), merge_key));
  return left.Get(merge_key) == right.Get(merge_key);
}

absl::StatusOr<Partition> PartitionBy(ItemSpan merged, ItemSpan by, Atom merge_key) {
  Partition parts;
  for (const Value& item : merged) {
    bool found = false;
    if (merge_key == Atom()) {
      found = std::find(by.begin(), by.end(), item) != by.end();
    } else {
      RETURN_IF_ERROR(ValidateMergeKey(ItemSpan(&item, 1), merge_key));
      ASSIGN_OR_RETURN(const int at, FindByKey(by, merge_key, item.Get(merge_key)));
      found = at >= 0;
    }
    (found ? parts.in_patch : parts.server_only).push_back(item);
  }
  return parts;
}

absl::StatusOr<List> NormalizeSliceOrder(List to_sort, ItemSpan order, Atom merge_key, bool maps) {
  List deleted;
  if (maps) {
    RETURN_IF_ERROR(ValidateMergeKey(to_sort, merge_key));
    RETURN_IF_ERROR(ValidateMergeKey(order, merge_key));
    if (std::any_of(to_sort.begin(), to_sort.end(), Deletes)) {
      const auto kept = std::stable_partition(to_sort.begin(), to_sort.end(),
                                              [](const Value& v) { return !Deletes(v); });
      deleted.assign(kept, to_sort.end());
      to_sort.erase(kept, to_sort.end());
    }
  }
  // Upstream's order: by place in `order`; an element that is not in it counts as
  // smaller than all before it.
  absl::InlinedVector<int, 16> indices;  // of to_sort[0..i), which is in order already
  for (std::size_t i = 0; i < to_sort.size(); ++i) {
    const int index = IndexOf(order, to_sort[i], merge_key, maps);
    std::size_t at = i;
    while (at > 0 && !(index >= 0 && indices[at - 1] >= 0 && index >= indices[at - 1])) --at;
    indices.insert(indices.begin() + static_cast<std::ptrdiff_t>(at), index);
    const auto first = to_sort.begin() + static_cast<std::ptrdiff_t>(at);
    const auto moved = to_sort.begin() + static_cast<std::ptrdiff_t>(i);
    std::rotate(first, moved, std::next(moved));
  }
  to_sort.insert(to_sort.end(), deleted.begin(), deleted.end());
  return to_sort;
}

absl::StatusOr<List> NormalizeElementOrder(Partition items, ItemSpan patch_order,
                                           ItemSpan server_order, Atom merge_key, bool maps) {
  ASSIGN_OR_RETURN(List patch,
                   NormalizeSliceOrder(std::move(items.in_patch), patch_order, merge_key, maps));
  ASSIGN_OR_RETURN(List server_only, NormalizeSliceOrder(std::move(items.server_only), server_order,
                                                         merge_key, maps));
  return MergeSortedSlice(std::move(server_only), std::move(patch), server_order, merge_key, maps);
}

absl::Status ValidatePatchWithSetOrderList(ItemSpan patch, const Value& set_order, Atom merge_key) {
  if (set_order.empty() || patch.empty()) return absl::OkStatus();
  List wanted;
  for (const Value& v : patch) {
    if (merge_key != Atom() && !v.is_object()) return ErrBadArgType(kMapType, v);
    if (!HasField(v, Directives().patch)) wanted.push_back(v);
  }
  std::size_t at = 0;
  for (const Value& v : set_order.items()) {
    if (at == wanted.size()) break;
    ASSIGN_OR_RETURN(const bool equal, MergeKeyValueEqual(wanted[at], v, merge_key));
    if (equal) ++at;
  }
  if (at == wanted.size()) return absl::OkStatus();
  return BadPatch(fmt::format("The order in patch list:\n{}\n doesn't match {} list:\n{}\n",
                              GoFormat(ArrayOf(patch)), kSetElementOrder, GoFormat(set_order)));
}

// As upstream: the last element takes the place of a duplicate.
List DeduplicateScalars(List list) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (std::size_t j = i + 1; j < list.size();) {
      if (list[i] != list[j]) {
        ++j;
        continue;
      }
      if (j + 1 != list.size()) list[j] = std::move(list.back());
      list.pop_back();
    }
  }
  return list;
}

// The `less` of both is true of equals, as upstream's is (sort.StringsAreSorted), so that of up to
// 12 elements the last of equal ones comes first.
List SortScalars(List list) {
  GoSort(std::span(list), [](const Value& a, const Value& b) { return CompareGoText(a, b) <= 0; });
  return list;
}

List SortMapsByKey(List list, Atom merge_key) {
  GoSort(std::span(list), [merge_key](const Value& a, const Value& b) {
    return CompareGoText(a.Get(merge_key), b.Get(merge_key)) <= 0;
  });
  return list;
}

namespace {

// True if an object in `v` has a member for which `such` is true.
template <class Such>
bool HasMember(const Value& v, const Such& such) {
  for (const Value::Member& m : v.members()) {
    if (such(m) || HasMember(m.value, such)) return true;
  }
  for (const Value& item : v.items()) {
    if (HasMember(item, such)) return true;
  }
  return false;
}

bool IsDirective(const Value::Member& m) { return m.name == Directives().patch; }
bool IsNull(const Value::Member& m) { return m.value.is_null(); }

}  // namespace

WithoutDirectives RemoveDirectives(const Value& v) {
  if (!HasMember(v, IsDirective)) return {true, v};
  if (HasField(v, Directives().patch)) return {false, Value()};
  if (v.is_object()) {
    Value out = v;
    for (const Value::Member& m : v.members()) {
      const WithoutDirectives inner = RemoveDirectives(m.value);
      out = inner.keep ? std::move(out).Set(m.name, inner.value) : EraseField(out, m.name);
    }
    return {true, std::move(out)};
  }
  if (!v.is_array()) return {true, v};
  List items;
  for (const Value& item : v.items()) {
    WithoutDirectives inner = RemoveDirectives(item);
    if (inner.keep) items.push_back(std::move(inner.value));
  }
  return {true, Value::Array(std::move(items))};
}

Value DiscardNulls(const Value& v) {
  if (!HasMember(v, IsNull)) return v;
  if (v.is_object()) {
    Value out = v;
    for (const Value::Member& m : v.members()) {
      out = m.value.is_null() ? EraseField(out, m.name)
                              : std::move(out).Set(m.name, DiscardNulls(m.value));
    }
    return out;
  }
  if (!v.is_array()) return v;
  List items;
  for (const Value& item : v.items()) items.push_back(DiscardNulls(item));
  return Value::Array(std::move(items));
}

}  // namespace ksim::value
