// TreeBuilder: makes nodes of a tree with ids of their own; the parser and the macros use it.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/cel/syntax/ast.h"

namespace ksim::cel {

class TreeBuilder {
 public:
  std::int64_t NewId(std::int32_t offset) {
    offsets_.push_back(offset);
    return static_cast<std::int64_t>(offsets_.size()) - 1;
  }
  std::int32_t OffsetOf(std::int64_t id) const { return offsets_[static_cast<std::size_t>(id)]; }
  std::int64_t size() const { return static_cast<std::int64_t>(offsets_.size()); }
  std::int64_t NewMacroId() { return NewId(macro_offset_); }
  // New nodes of macros stand where the macro is called.
  void SetMacroOffset(std::int32_t offset) { macro_offset_ = offset; }

  ExprPtr Make(ExprKind kind, std::int64_t id) const {
    auto e = std::make_unique<Expr>();
    e->kind = kind;
    e->id = id;
    return e;
  }
  ExprPtr Literal(std::int64_t id, Val v) const {
    ExprPtr e = Make(ExprKind::kLiteral, id);
    e->literal = std::move(v);
    return e;
  }
  ExprPtr Call(std::int64_t id, std::string_view function, std::vector<ExprPtr> args) const {
    ExprPtr e = Make(ExprKind::kCall, id);
    e->name = function;
    e->items = std::move(args);
    return e;
  }

  static std::vector<ExprPtr> Two(ExprPtr a, ExprPtr b) {
    return ListOfArgs(std::move(a), std::move(b));
  }
  static std::vector<ExprPtr> Three(ExprPtr a, ExprPtr b, ExprPtr c) {
    return ListOfArgs(std::move(a), std::move(b), std::move(c));
  }

  // The same at the place of the macro.
  ExprPtr Literal(Val v) { return Literal(NewId(macro_offset_), std::move(v)); }
  ExprPtr Ident(std::string_view name) {
    ExprPtr e = Make(ExprKind::kIdent, NewId(macro_offset_));
    e->name = name;
    return e;
  }
  ExprPtr Accu() { return Ident(kAccumulator); }
  template <class... Args>
  ExprPtr Call(std::string_view function, Args... args) {
    return Call(NewId(macro_offset_), function, ListOfArgs(std::move(args)...));
  }
  template <class... Args>
  ExprPtr MemberCall(std::string_view function, ExprPtr target, Args... args) {
    ExprPtr e = Call(NewId(macro_offset_), function, ListOfArgs(std::move(args)...));
    e->target = std::move(target);
    return e;
  }
  template <class... Args>
  ExprPtr List(Args... items) {
    ExprPtr e = Make(ExprKind::kList, NewId(macro_offset_));
    e->items = ListOfArgs(std::move(items)...);
    return e;
  }
  ExprPtr Map() { return Make(ExprKind::kMap, NewId(macro_offset_)); }
  ExprPtr Loop(Comprehension loop) {
    ExprPtr e = Make(ExprKind::kComprehension, NewId(macro_offset_));
    e->loop = std::make_unique<Comprehension>(std::move(loop));
    return e;
  }
  // A copy with ids of its own at the same places.
  ExprPtr Copy(const Expr& e);

  std::vector<std::int32_t> TakeOffsets() { return std::move(offsets_); }

 private:
  template <class... Args>
  static std::vector<ExprPtr> ListOfArgs(Args... args) {
    std::vector<ExprPtr> list;
    (list.push_back(std::move(args)), ...);
    return list;
  }

  std::vector<std::int32_t> offsets_{-1};  // id 0 is nobody's
  std::int32_t macro_offset_ = -1;
};

}  // namespace ksim::cel
