// Operators and functions of cel-go common/stdlib: libraries.h.
#include <array>

#include "ksim/cel/functions/libraries.h"
#include "ksim/cel/functions/regex.h"
#include "ksim/cel/syntax/ast.h"
#include "ksim/cel/values/operations.h"

namespace ksim::cel {
namespace {

void AddArithmetic(FunctionTable* table) {
  table->AddAll(kAdd,
                {"add_bytes (bytes, bytes) -> bytes", "add_double (double, double) -> double",
                 "add_duration_duration (duration, duration) -> duration",
                 "add_duration_timestamp (duration, timestamp) -> timestamp",
                 "add_timestamp_duration (timestamp, duration) -> timestamp",
                 "add_int64 (int, int) -> int", "add_list (list(A), list(A)) -> list(A)",
                 "add_string (string, string) -> string", "add_uint64 (uint, uint) -> uint"},
                Trait::kAdds, [](Arguments a) { return Add(a[0], a[1]); });
  table->AddAll(kDivide,
                {"divide_double (double, double) -> double", "divide_int64 (int, int) -> int",
                 "divide_uint64 (uint, uint) -> uint"},
                Trait::kDivides, [](Arguments a) { return Divide(a[0], a[1]); });
  table->AddAll(kModulo, {"modulo_int64 (int, int) -> int", "modulo_uint64 (uint, uint) -> uint"},
                Trait::kTakesModulo, [](Arguments a) { return Modulo(a[0], a[1]); });
  table->AddAll(kMultiply,
                {"multiply_double (double, double) -> double", "multiply_int64 (int, int) -> int",
                 "multiply_uint64 (uint, uint) -> uint"},
                Trait::kMultiplies, [](Arguments a) { return Multiply(a[0], a[1]); });
  table->AddAll(kNegate, {"negate_double (double) -> double", "negate_int64 (int) -> int"},
                Trait::kNegates,
                [](Arguments a) { return a[0].is_bool() ? Val::NoSuchOverload() : Negate(a[0]); });
  table->AddAll(kSubtract,
                {"subtract_double (double, double) -> double",
                 "subtract_duration_duration (duration, duration) -> duration",
                 "subtract_int64 (int, int) -> int",
                 "subtract_timestamp_duration (timestamp, duration) -> timestamp",
                 "subtract_timestamp_timestamp (timestamp, timestamp) -> duration",
                 "subtract_uint64 (uint, uint) -> uint"},
                Trait::kSubtracts, [](Arguments a) { return Subtract(a[0], a[1]); });
}

// One of < <= > >=: an overload for each pair of types that compare.
void AddOrder(FunctionTable* table, const char* function, const std::string& name,
              bool (*holds)(std::int64_t), bool mixed) {
  std::vector<std::string> signatures;
  const auto add = [&](const std::string& suffix, const std::string& a, const std::string& b) {
    std::string signature = name;
    signature += "_" + suffix;
    signature += " (" + a;
    signature += ", " + b;
    signature += ") -> bool";
    signatures.push_back(std::move(signature));
  };
  add("bool", "bool", "bool");
  add("int64", "int", "int");
  if (mixed) add("int64_double", "int", "double");
  if (mixed) add("int64_uint64", "int", "uint");
  add("uint64", "uint", "uint");
  if (mixed) add("uint64_double", "uint", "double");
  if (mixed) add("uint64_int64", "uint", "int");
  add("double", "double", "double");
  if (mixed) add("double_int64", "double", "int");
  if (mixed) add("double_uint64", "double", "uint");
  add("string", "string", "string");
  add("bytes", "bytes", "bytes");
  add("timestamp", "timestamp", "timestamp");
  add("duration", "duration", "duration");
  table->AddAll(function, std::move(signatures), Trait::kCompares, [holds](Arguments a) {
    const Val order = Compare(a[0], a[1]);
    return order.is_error() ? order : Val::Bool(holds(order.AsInt()));
  });
}

Val SizeFunction(Arguments args) { return Val::Int(static_cast<std::int64_t>(args[0].Size())); }

Val IsIn(Arguments args) {
  if (args[1].is_list()) return args[1].list().Contains(args[0]);
  if (!args[1].is_map()) return Val::NoSuchOverload();
  const std::optional<Val> found = args[1].map().Find(args[0]);
  if (found.has_value() && found->is_error()) return *found;
  return Val::Bool(found.has_value());
}

void AddContainers(FunctionTable* table) {
  table->Declare(kIndex, "index_list (list(A), int) -> A");
  table->Declare(kIndex, "index_map (map(A, B), A) -> B");
  table->AddAll(kIn, {"in_list (A, list(A)) -> bool", "in_map (A, map(A, B)) -> bool"},
                Trait::kNone, IsIn);
  table->AddAll(
      "size",
      {"size_bytes (bytes) -> int", ".bytes_size (bytes) -> int", "size_list (list(A)) -> int",
       ".list_size (list(A)) -> int", "size_map (map(A, B)) -> int", ".map_size (map(A, B)) -> int",
       "size_string (string) -> int", ".string_size (string) -> int"},
      Trait::kSizes, SizeFunction);
}

void AddTextTests(FunctionTable* table) {
  table->Add("contains", ".contains_string (string, string) -> bool", [](Arguments a) {
    return Val::Bool(a[0].AsText().find(a[1].AsText()) != std::string_view::npos);
  });
  table->Add("endsWith", ".ends_with_string (string, string) -> bool",
             [](Arguments a) { return Val::Bool(a[0].AsText().ends_with(a[1].AsText())); });
  table->Add("startsWith", ".starts_with_string (string, string) -> bool",
             [](Arguments a) { return Val::Bool(a[0].AsText().starts_with(a[1].AsText())); });
  const Implementation matches = [](Arguments a) {
    if (!a[0].is_string() || !a[1].is_string()) return Val::NoSuchOverload();
    std::string error;
    const auto regex = Regex::Compile(a[1].AsText(), &error);
    if (regex == nullptr) return Val::Error(error);
    return Val::Bool(regex->Matches(a[0].AsText()));
  };
  table->AddAll("matches",
                {"matches (string, string) -> bool", ".matches_string (string, string) -> bool"},
                Trait::kNone, matches);
}

}  // namespace

void AddStandardFunctions(FunctionTable* table, bool mixed) {
  table->Declare(kConditional, "conditional (bool, A, A) -> A");
  table->Declare(kLogicalAnd, "logical_and (bool, bool) -> bool");
  table->Declare(kLogicalOr, "logical_or (bool, bool) -> bool");
  table->AddAll(kLogicalNot, {"logical_not (bool) -> bool"}, Trait::kNegates,
                [](Arguments a) { return a[0].is_bool() ? Negate(a[0]) : Val::NoSuchOverload(); });
  table->Declare(kNotStrictlyFalse, "not_strictly_false (bool) -> bool");
  table->Declare(kEquals, "equals (A, A) -> bool");
  table->Declare(kNotEquals, "not_equals (A, A) -> bool");
  AddArithmetic(table);
  AddOrder(table, kLess, "less", [](std::int64_t o) { return o < 0; }, mixed);
  AddOrder(table, kLessEquals, "less_equals", [](std::int64_t o) { return o <= 0; }, mixed);
  AddOrder(table, kGreater, "greater", [](std::int64_t o) { return o > 0; }, mixed);
  AddOrder(table, kGreaterEquals, "greater_equals", [](std::int64_t o) { return o >= 0; }, mixed);
  AddContainers(table);
  table->Add("type", "type (A) -> type(A)", [](Arguments a) { return Val::OfType(a[0].type()); });
  AddConversions(table);
  AddTextTests(table);
  AddTimeFunctions(table);
}

void AddConversions(FunctionTable* table) {
  const auto to = [table](const char* function, const char* signature, TypeKind kind) {
    table->Add(function, signature, [kind](Arguments a) { return ConvertTo(a[0], kind); });
  };
  to("bool", "bool_to_bool (bool) -> bool", TypeKind::kBool);
  to("bool", "string_to_bool (string) -> bool", TypeKind::kBool);
  to("bytes", "bytes_to_bytes (bytes) -> bytes", TypeKind::kBytes);
  to("bytes", "string_to_bytes (string) -> bytes", TypeKind::kBytes);
  to("double", "double_to_double (double) -> double", TypeKind::kDouble);
  to("double", "int64_to_double (int) -> double", TypeKind::kDouble);
  to("double", "string_to_double (string) -> double", TypeKind::kDouble);
  to("double", "uint64_to_double (uint) -> double", TypeKind::kDouble);
  to("duration", "duration_to_duration (duration) -> duration", TypeKind::kDuration);
  to("duration", "int64_to_duration (int) -> duration", TypeKind::kDuration);
  to("duration", "string_to_duration (string) -> duration", TypeKind::kDuration);
  table->Add("dyn", "to_dyn (A) -> dyn", [](Arguments a) { return a[0]; });
  to("int", "int64_to_int64 (int) -> int", TypeKind::kInt);
  to("int", "double_to_int64 (double) -> int", TypeKind::kInt);
  to("int", "duration_to_int64 (duration) -> int", TypeKind::kInt);
  to("int", "string_to_int64 (string) -> int", TypeKind::kInt);
  to("int", "timestamp_to_int64 (timestamp) -> int", TypeKind::kInt);
  to("int", "uint64_to_int64 (uint) -> int", TypeKind::kInt);
  to("string", "string_to_string (string) -> string", TypeKind::kString);
  to("string", "bool_to_string (bool) -> string", TypeKind::kString);
  to("string", "bytes_to_string (bytes) -> string", TypeKind::kString);
  to("string", "double_to_string (double) -> string", TypeKind::kString);
  to("string", "duration_to_string (duration) -> string", TypeKind::kString);
  to("string", "int64_to_string (int) -> string", TypeKind::kString);
  to("string", "timestamp_to_string (timestamp) -> string", TypeKind::kString);
  to("string", "uint64_to_string (uint) -> string", TypeKind::kString);
  to("timestamp", "timestamp_to_timestamp (timestamp) -> timestamp", TypeKind::kTimestamp);
  to("timestamp", "int64_to_timestamp (int) -> timestamp", TypeKind::kTimestamp);
  to("timestamp", "string_to_timestamp (string) -> timestamp", TypeKind::kTimestamp);
  to("uint", "uint64_to_uint64 (uint) -> uint", TypeKind::kUint);
  to("uint", "double_to_uint64 (double) -> uint", TypeKind::kUint);
  to("uint", "int64_to_uint64 (int) -> uint", TypeKind::kUint);
  to("uint", "string_to_uint64 (string) -> uint", TypeKind::kUint);
}

}  // namespace ksim::cel
