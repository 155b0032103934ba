// Functions of lists: Kubernetes' own, ext.Lists and ext.Sets: libraries.h.
#include <algorithm>
#include <string>

#include "ksim/cel/functions/libraries.h"
#include "ksim/cel/values/operations.h"

namespace ksim::cel {
namespace {

// Kubernetes' order of the types that compare, and ext.Lists'.
constexpr const char* kComparable[] = {"int",      "uint",      "double", "bool",
                                       "duration", "timestamp", "string", "bytes"};
constexpr const char* kSortable[] = {"int",      "uint",      "double", "bool",
                                     "duration", "timestamp", "string", "bytes"};

std::string LongName(const std::string& type) {
  if (type == "duration") return "google.protobuf.Duration";
  if (type == "timestamp") return "google.protobuf.Timestamp";
  return type;
}

std::string Signature(const std::string& id, const std::string& type, const std::string& result) {
  std::string text = ".";
  text += id;
  text += " (list(" + type;
  text += ")) -> " + result;
  return text;
}

Val IsSorted(Arguments a) {
  Val previous;
  for (std::size_t i = 0; i < a[0].list().size(); ++i) {
    const Val item = a[0].list().at(i);
    if (!HasTrait(item, Trait::kCompares)) return Val::NoSuchOverload();
    if (i > 0) {
      const Val order = Compare(previous, item);
      if (order.is_int() && order.AsInt() == 1) return Val::Bool(false);
    }
    previous = item;
  }
  return Val::Bool(true);
}

Val SumFrom(Val sum, const Val& list) {
  for (std::size_t i = 0; i < list.list().size(); ++i) {
    sum = Add(sum, list.list().at(i));
    if (sum.is_error()) return sum;
  }
  return sum;
}

// The first item such that none compares beyond it in the direction.
Val Extreme(const Val& list, std::int64_t replace_if, const char* name) {
  if (list.list().size() == 0) {
    return Val::Error(std::string(name) + " called on empty list");
  }
  Val best = list.list().at(0);
  for (std::size_t i = 1; i < list.list().size(); ++i) {
    const Val item = list.list().at(i);
    const Val order = Compare(best, item);
    if (order.is_int() && order.AsInt() == replace_if) best = item;
  }
  return best;
}

Val IndexOf(Arguments a) {
  for (std::size_t i = 0; i < a[0].list().size(); ++i) {
    if (IsEqual(a[0].list().at(i), a[1])) return Val::Int(static_cast<std::int64_t>(i));
  }
  return Val::Int(-1);
}

Val LastIndexOf(Arguments a) {
  for (std::size_t i = a[0].list().size(); i > 0; --i) {
    if (IsEqual(a[0].list().at(i - 1), a[1])) return Val::Int(static_cast<std::int64_t>(i) - 1);
  }
  return Val::Int(-1);
}

Val SetContains(const Val& list, const Val& items) {
  for (std::size_t i = 0; i < items.list().size(); ++i) {
    const Val found = list.list().Contains(items.list().at(i));
    if (!found.is_true()) return found;
  }
  return Val::Bool(true);
}

Val SetIntersects(Arguments a) {
  for (std::size_t i = 0; i < a[0].list().size(); ++i) {
    if (a[1].list().Contains(a[0].list().at(i)).is_true()) return Val::Bool(true);
  }
  return Val::Bool(false);
}

Val Slice(Arguments a) {
  const std::int64_t start = a[1].AsInt();
  const std::int64_t end = a[2].AsInt();
  const std::string call =
      "cannot slice(" + std::to_string(start) + ", " + std::to_string(end) + "), ";
  if (start < 0 || end < 0) return Val::Error(call + "negative indexes not supported");
  if (start > end) {
    return Val::Error(call + "start index must be less than or equal to end index");
  }
  const std::size_t size = a[0].list().size();
  if (static_cast<std::int64_t>(size) < end) {
    return Val::Error(call + "list is length " + std::to_string(size));
  }
  std::vector<Val> items;
  for (std::int64_t i = start; i < end; ++i) {
    items.push_back(a[0].list().at(static_cast<std::size_t>(i)));
  }
  return Val::List(std::move(items));
}

void FlattenInto(const Val& list, std::int64_t depth, std::vector<Val>* items) {
  for (std::size_t i = 0; i < list.list().size(); ++i) {
    Val item = list.list().at(i);
    if (item.is_list() && depth > 0) {
      FlattenInto(item, depth - 1, items);
    } else {
      items->push_back(std::move(item));
    }
  }
}

Val Flatten(const Val& list, std::int64_t depth) {
  if (depth < 0) return Val::Error("level must be non-negative");
  std::vector<Val> items;
  FlattenInto(list, depth, &items);
  return Val::List(std::move(items));
}

Val SortBy(const Val& list, const Val& keys) {
  const std::size_t size = list.list().size();
  if (size != keys.list().size()) {
    return Val::Error(
        "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, "
        "but got " +
        std::to_string(size) + " and " + std::to_string(keys.list().size()) +
        " elements respectively");
  }
  if (size == 0) return list;
  std::vector<std::pair<Val, std::size_t>> order;
  for (std::size_t i = 0; i < size; ++i) order.emplace_back(keys.list().at(i), i);
  if (!HasTrait(order[0].first, Trait::kCompares)) {
    return Val::Error("list elements must be comparable");
  }
  for (const auto& [key, i] : order) {
    if (key.kind() != order[0].first.kind() && size > 1) {
      return Val::Error("list elements must have the same type");
    }
  }
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    const Val result = Compare(a.first, b.first);
    return result.is_int() && result.AsInt() < 0;
  });
  std::vector<Val> items;
  for (const auto& [key, i] : order) items.push_back(list.list().at(i));
  return Val::List(std::move(items));
}

Val Range(Arguments a) {
  std::vector<Val> items;
  if (a[0].AsInt() > 10'000'000) return Val::Error("range is too large");  // Go's dies of memory
  for (std::int64_t i = 0; i < a[0].AsInt(); ++i) items.push_back(Val::Int(i));
  return Val::List(std::move(items));
}

Val ReverseList(Arguments a) {
  std::vector<Val> items;
  for (std::size_t i = a[0].list().size(); i > 0; --i) items.push_back(a[0].list().at(i - 1));
  return Val::List(std::move(items));
}

Val Distinct(Arguments a) {
  std::vector<Val> items;
  for (std::size_t i = 0; i < a[0].list().size(); ++i) {
    Val item = a[0].list().at(i);
    const bool seen = std::any_of(items.begin(), items.end(),
                                  [&item](const Val& other) { return IsEqual(item, other); });
    if (!seen) items.push_back(std::move(item));
  }
  return Val::List(std::move(items));
}

}  // namespace

void AddListFunctions(FunctionTable* table) {
  for (const std::string type : kComparable) {
    table->Add("isSorted", Signature("list_" + type + "_is_sorted_bool", type, "bool"), IsSorted);
  }
  const auto sum = [table](const std::string& type, const Val& zero) {
    std::string id = "list_" + type;
    id += "_sum_" + type;
    table->Add("sum", Signature(id, type, type),
               [zero](Arguments a) { return SumFrom(zero, a[0]); });
  };
  sum("int", Val::Int(0));
  sum("uint", Val::Uint(0));
  sum("double", Val::Double(0));
  sum("duration", Val::Duration(0));
  for (const std::string type : kComparable) {
    std::string max = "list_" + type;
    max += "_max_" + type;
    table->Add("max", Signature(max, type, type),
               [](Arguments a) { return Extreme(a[0], -1, "max"); });
    std::string min = "list_" + type;
    min += "_min_" + type;
    table->Add("min", Signature(min, type, type),
               [](Arguments a) { return Extreme(a[0], 1, "min"); });
  }
  table->Add("indexOf", ".list_a_index_of_int (list(A), A) -> int", IndexOf);
  table->Add("lastIndexOf", ".list_a_last_index_of_int (list(A), A) -> int", LastIndexOf);
}

void AddSetFunctions(FunctionTable* table) {
  table->Add("sets.contains", "list_sets_contains_list (list(T), list(T)) -> bool",
             [](Arguments a) { return SetContains(a[0], a[1]); });
  table->Add("sets.equivalent", "list_sets_equivalent_list (list(T), list(T)) -> bool",
             [](Arguments a) {
               const Val contains = SetContains(a[0], a[1]);
               return contains.is_true() ? SetContains(a[1], a[0]) : contains;
             });
  table->Add("sets.intersects", "list_sets_intersects_list (list(T), list(T)) -> bool",
             SetIntersects);
}

void AddExtListFunctions(FunctionTable* table, int version) {
  table->Add("slice", ".list_slice (list(T), int, int) -> list(T)", Slice);
  if (version < 1) return;
  table->Add("flatten", ".list_flatten (list(list(T))) -> list(T)",
             [](Arguments a) { return Flatten(a[0], 1); });
  table->Add("flatten", ".list_flatten_int (list(dyn), int) -> list(dyn)",
             [](Arguments a) { return Flatten(a[0], a[1].AsInt()); });
  if (version < 2) return;
  std::vector<std::string> sorts;
  std::vector<std::string> keyed;
  for (const std::string type : kSortable) {
    const std::string name = LongName(type);
    std::string list = "list(" + type;
    list += ")";
    sorts.push_back(Signature("list_" + name + "_sort", type, list));
    std::string by = ".list_" + name;
    by += "_sortByAssociatedKeys (list(T), " + list;
    by += ") -> list(T)";
    keyed.push_back(std::move(by));
  }
  table->AddAll("sort", std::move(sorts), Trait::kNone, [](Arguments a) {
    return a[0].is_list() ? SortBy(a[0], a[0]) : Val::NoSuchOverload();
  });
  table->AddAll("@sortByAssociatedKeys", std::move(keyed), Trait::kNone,
                [](Arguments a) { return SortBy(a[0], a[1]); });
  table->Add("lists.range", "lists_range (int) -> list(int)", Range);
  table->Add("reverse", ".list_reverse (list(T)) -> list(T)", ReverseList);
  table->Add("distinct", ".list_distinct (list(T)) -> list(T)", Distinct);
}

}  // namespace ksim::cel
