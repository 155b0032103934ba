#include "ksim/kubectl/printing/sort_by.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "ksim/base/status.h"
#include "ksim/kubectl/printing/custom_columns.h"
#include "ksim/value/go_format.h"
#include "ksim/value/jsonpath.h"
#include "ksim/value/quantity.h"
#include "ksim/value/text.h"

namespace ksim::kubectl {
namespace {

using value::InvalidText;
using value::Value;
using Key = std::optional<Value>;

bool LessText(std::string_view a, std::string_view b) {
  const auto x = value::Quantity::Parse(a);
  const auto y = value::Quantity::Parse(b);
  return x.ok() && y.ok() ? *x < *y : a < b;
}

// Both are of one type, and that one has an order.
bool Less(const Key& a, const Key& b) {
  if (!a || !b) return !a && b;
  if (a->is_null() || b->is_null()) return a->is_null() && !b->is_null();
  if (a->is_int()) return a->AsInt() < b->AsInt();
  if (a->is_double()) return a->AsDouble() < b->AsDouble();
  return LessText(a->AsString(), b->AsString());
}

// Whether any two of them can be compared.
absl::Status CheckOrder(const std::vector<Key>& keys, const std::string& path) {
  const auto unsortable = [&path](std::string_view why) {
    return InvalidText(
        fmt::format("Field {} is an unsortable type: interface, err: {}", path, why));
  };
  const Value* first = nullptr;
  std::size_t comparable = 0;
  for (const Key& k : keys) comparable += k && !k->is_null() ? 1 : 0;
  if (comparable < 2) return absl::OkStatus();
  for (const Key& k : keys) {
    if (!k || k->is_null()) continue;
    if (!k->is_number() && !k->is_string())
      return unsortable(fmt::format("unsortable type: {}", value::GoTypeName(*k)));
    if (first != nullptr && first->type() != k->type())
      return unsortable("unsortable interface: interface");
    first = &*k;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<std::size_t>> OrderBy(std::string_view path,
                                                 const std::vector<Value>& objects) {
  std::vector<std::size_t> order(objects.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  ASSIGN_OR_RETURN(const std::string relaxed, RelaxedPath(path));
  const auto parsed = value::JsonPath::Parse(relaxed);
  if (!parsed.ok()) return InvalidText(fmt::format("sorting error: {}", Message(parsed.status())));
  if (objects.empty()) return order;
  std::vector<Key> keys;
  for (const Value& object : objects) {
    ASSIGN_OR_RETURN(const value::JsonPath::Results found, parsed->Find(object));
    const bool has = !found.empty() && !found.front().empty();
    keys.push_back(has ? Key(found.front().front()) : std::nullopt);
  }
  if (std::none_of(keys.begin(), keys.end(), [](const Key& k) { return k.has_value(); }))
    return InvalidText(fmt::format("couldn't find any field with path {} in the list of objects",
                                   value::GoQuote(relaxed)));
  RETURN_IF_ERROR(CheckOrder(keys, relaxed));
  // Those without the field come first, and before those of them that were looked at earlier:
  // sorter.go Less says of them that they are less than anything.
  const auto missing = std::stable_partition(order.begin(), order.end(),
                                             [&keys](std::size_t i) { return !keys[i]; });
  std::reverse(order.begin(), missing);
  std::stable_sort(missing, order.end(),
                   [&keys](std::size_t a, std::size_t b) { return Less(keys[a], keys[b]); });
  return order;
}

}  // namespace ksim::kubectl
