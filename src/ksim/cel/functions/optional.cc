// Optional values, and what transformMap inserts with: libraries.h.
#include "ksim/cel/functions/libraries.h"
#include "ksim/cel/syntax/ast.h"
#include "ksim/cel/values/operations.h"

namespace ksim::cel {
namespace {

Val Unwrap(Arguments args) {
  std::vector<Val> values;
  for (std::size_t i = 0; i < args[0].list().size(); ++i) {
    const Val item = args[0].list().at(i);
    if (!item.is_optional()) return Val::Error("value " + item.ToText() + " is not optional");
    if (item.optional_value() != nullptr) values.push_back(*item.optional_value());
  }
  return Val::List(std::move(values));
}

Val InsertAll(const Val& map, const Val& more) {
  std::vector<std::pair<Val, Val>> entries;
  for (std::size_t i = 0; i < map.map().size(); ++i) {
    entries.emplace_back(map.map().key(i), map.map().value(i));
  }
  for (std::size_t i = 0; i < more.map().size(); ++i) {
    if (map.map().Find(more.map().key(i)).has_value()) {
      return Val::Error("insert failed: key " + more.map().key(i).ToText() + " already exists");
    }
    entries.emplace_back(more.map().key(i), more.map().value(i));
  }
  return Val::Map(std::move(entries));
}

}  // namespace

void AddOptionalFunctions(FunctionTable* table, int version) {
  table->Add("optional.of", "optional_of (V) -> optional(V)",
             [](Arguments a) { return Val::Optional(a[0]); });
  table->Add("optional.ofNonZeroValue", "optional_ofNonZeroValue (V) -> optional(V)",
             [](Arguments a) { return a[0].IsZeroValue() ? Val::None() : Val::Optional(a[0]); });
  table->Add("optional.none", "optional_none () -> optional(V)",
             [](Arguments) { return Val::None(); });
  table->Add("value", ".optional_value (optional(V)) -> V", [](Arguments a) {
    const Val* v = a[0].optional_value();
    return v == nullptr ? Val::Error("optional.none() dereference") : *v;
  });
  table->Add("hasValue", ".optional_hasValue (optional(V)) -> bool",
             [](Arguments a) { return Val::Bool(a[0].optional_value() != nullptr); });
  // The evaluator does these two itself, since they may leave their argument alone.
  table->Declare("or", ".optional_or_optional (optional(V), optional(V)) -> optional(V)");
  table->Declare("orValue", ".optional_orValue_value (optional(V), V) -> V");
  table->Declare(kOptSelect, "select_optional_field (dyn, string) -> optional(V)");
  table->Declare(kOptIndex, "list_optindex_optional_int (list(V), int) -> optional(V)");
  table->Declare(kOptIndex,
                 "optional_list_optindex_optional_int (optional(list(V)), int) -> optional(V)");
  table->Declare(kOptIndex, "map_optindex_optional_value (map(K, V), K) -> optional(V)");
  table->Declare(kOptIndex,
                 "optional_map_optindex_optional_value (optional(map(K, V)), K) -> optional(V)");
  table->Declare(kIndex, "optional_list_index_int (optional(list(V)), int) -> optional(V)");
  table->Declare(kIndex, "optional_map_index_value (optional(map(K, V)), K) -> optional(V)");
  if (version < 2) return;
  table->Add("last", ".list_last (list(V)) -> optional(V)", [](Arguments a) {
    const std::size_t n = a[0].list().size();
    return n == 0 ? Val::None() : Val::Optional(a[0].list().at(n - 1));
  });
  table->Add("first", ".list_first (list(V)) -> optional(V)", [](Arguments a) {
    return a[0].list().size() == 0 ? Val::None() : Val::Optional(a[0].list().at(0));
  });
  table->Add("optional.unwrap", "optional_unwrap (list(optional(V))) -> list(V)", Unwrap);
  table->Add("unwrapOpt", ".optional_unwrapOpt (list(optional(V))) -> list(V)", Unwrap);
}

void AddTwoVariableFunctions(FunctionTable* table) {
  table->Add("cel.@mapInsert", "@mapInsert_map_key_value (map(K, V), K, V) -> map(K, V)",
             [](Arguments a) {
               std::vector<std::pair<Val, Val>> entry;
               entry.emplace_back(a[1], a[2]);
               return InsertAll(a[0], Val::Map(std::move(entry)));
             });
  table->Add("cel.@mapInsert", "@mapInsert_map_map (map(K, V), map(K, V)) -> map(K, V)",
             [](Arguments a) { return InsertAll(a[0], a[1]); });
}

}  // namespace ksim::cel
