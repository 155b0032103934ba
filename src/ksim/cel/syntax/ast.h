// Expr: the syntax tree of an expression, macros expanded. Ids are in order of parsing; of each the
// source keeps the place.
//
// Upstream: cel-go common/ast.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ksim/cel/values/val.h"

namespace ksim::cel {

enum class ExprKind : std::uint8_t {
  kLiteral,
  kIdent,
  kSelect,
  kCall,
  kList,
  kMap,
  kStruct,
  kComprehension,
};

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

// The operators' names as functions.
inline constexpr char kConditional[] = "_?_:_";
inline constexpr char kLogicalAnd[] = "_&&_";
inline constexpr char kLogicalOr[] = "_||_";
inline constexpr char kLogicalNot[] = "!_";
inline constexpr char kEquals[] = "_==_";
inline constexpr char kNotEquals[] = "_!=_";
inline constexpr char kLess[] = "_<_";
inline constexpr char kLessEquals[] = "_<=_";
inline constexpr char kGreater[] = "_>_";
inline constexpr char kGreaterEquals[] = "_>=_";
inline constexpr char kAdd[] = "_+_";
inline constexpr char kSubtract[] = "_-_";
inline constexpr char kMultiply[] = "_*_";
inline constexpr char kDivide[] = "_/_";
inline constexpr char kModulo[] = "_%_";
inline constexpr char kNegate[] = "-_";
inline constexpr char kIndex[] = "_[_]";
inline constexpr char kOptIndex[] = "_[?_]";
inline constexpr char kOptSelect[] = "_?._";
inline constexpr char kIn[] = "@in";
inline constexpr char kNotStrictlyFalse[] = "@not_strictly_false";
// The variable that a macro's loop builds its result in.
inline constexpr char kAccumulator[] = "@result";
inline constexpr char kOldAccumulator[] = "__result__";

struct MapEntry {
  std::int64_t id = 0;
  ExprPtr key;       // null in a struct
  std::string name;  // of a struct's field
  ExprPtr value;
  bool optional = false;
};

struct Comprehension {
  ExprPtr range;
  std::string var, var2, accu;
  ExprPtr init, condition, step, result;
};

struct Expr {
  std::int64_t id = 0;
  ExprKind kind = ExprKind::kLiteral;
  Val literal;
  std::string name;            // identifier, field, function or type
  bool test_only = false;      // has(a.b)
  ExprPtr target;              // operand of a selection, target of a member call
  std::vector<ExprPtr> items;  // arguments or elements
  std::vector<bool> optional;  // of a list: which elements are marked; empty: none
  std::vector<MapEntry> entries;
  std::unique_ptr<Comprehension> loop;

  bool IsCall(const char* function) const { return kind == ExprKind::kCall && name == function; }
};

struct Ast {
  ExprPtr root;
  std::vector<std::int32_t> offsets;  // by id; -1: no place

  std::int32_t OffsetOf(std::int64_t id) const {
    return id > 0 && static_cast<std::size_t>(id) < offsets.size()
               ? offsets[static_cast<std::size_t>(id)]
               : -1;
  }
};

// "a.b.c" of identifiers and selections; empty for anything else.
std::string QualifiedName(const Expr& e);

}  // namespace ksim::cel
