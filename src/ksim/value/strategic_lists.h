// Lists in strategic merge patches: directives, merge keys, and the order of merged elements.
// Upstream: apimachinery pkg/util/strategicpatch/patch.go, function by function, with
// its names.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ksim/value/edit.h"
#include "ksim/value/patch_schema.h"
#include "ksim/value/value.h"

namespace ksim::value {

inline constexpr std::string_view kDirective = "$patch";
inline constexpr std::string_view kRetainKeys = "$retainKeys";
inline constexpr std::string_view kDeleteFromList = "$deleteFromPrimitiveList";
inline constexpr std::string_view kSetElementOrder = "$setElementOrder";
inline constexpr std::string_view kMapType = "map[string]interface {}";  // as Go prints it

// The names of a patch's members that are directives about their object.
struct DirectiveNames {
  Atom patch{kDirective}, retain_keys{kRetainKeys};
};
const DirectiveNames& Directives();

using List = std::vector<Value>;
using ItemSpan = std::span<const Value>;

List ItemsOfList(const Value& array);
inline bool HasField(const Value& v, Atom name) { return v.Find(name) != nullptr; }

// Errors of pkg/util/mergepatch.
absl::Status BadPatch(const std::string& message);
absl::Status ErrBadArgType(std::string_view expected, const Value& actual);
absl::Status ErrNoMergeKey(const Value& object, Atom merge_key);
absl::Status ErrBadPatchType(const Value& directive, const Value& patch);
absl::Status ErrBadSetElementOrder();
absl::Status ErrBadPrimitiveList();
absl::Status ErrBadRetainKeys();

// "$setElementOrder/containers" -> "containers".
absl::StatusOr<std::string> ExtractKey(std::string_view key, std::string_view prefix);

// True if the elements of the lists, which must be of one type, are objects.
absl::StatusOr<bool> HoldsMaps(ItemSpan a, ItemSpan b);

// The first element whose merge key has the value; -1 if none. Elements must be objects.
absl::StatusOr<int> FindByKey(ItemSpan list, Atom merge_key, const Value& value);

// True if the merge keys (or, without one, the elements) are equal.
absl::StatusOr<bool> MergeKeyValueEqual(const Value& left, const Value& right, Atom merge_key);

// The elements of `merged` that `by` has, and the others.
struct Partition {
  List in_patch;
  List server_only;
};
absl::StatusOr<Partition> PartitionBy(ItemSpan merged, ItemSpan by, Atom merge_key);

absl::StatusOr<List> NormalizeSliceOrder(List to_sort, ItemSpan order, Atom merge_key, bool maps);
// patch items in patch_order and server-only items in server_order, interleaved by server_order.
absl::StatusOr<List> NormalizeElementOrder(Partition items, ItemSpan patch_order,
                                           ItemSpan server_order, Atom merge_key, bool maps);

// The patch list must be a sub-sequence of the $setElementOrder list.
absl::Status ValidatePatchWithSetOrderList(ItemSpan patch, const Value& set_order, Atom merge_key);

List DeduplicateScalars(List list);
// In the order of Go's %v of the elements, or of their merge keys, as GoSort leaves equal ones.
List SortScalars(List list);
List SortMapsByKey(List list, Atom merge_key);

// Values without anything that carries a $patch; nothing if the value itself does.
struct WithoutDirectives {
  bool keep = true;
  Value value;
};
WithoutDirectives RemoveDirectives(const Value& v);
Value DiscardNulls(const Value& v);  // members that are null, at any depth

}  // namespace ksim::value
