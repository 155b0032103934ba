#include "ksim/cel/syntax/builder.h"

#include "ksim/cel/syntax/parser.h"

namespace ksim::cel {

ExprPtr TreeBuilder::Copy(const Expr& e) {
  ExprPtr copy = Make(e.kind, NewId(OffsetOf(e.id)));
  if (size() > kMaxNodes) return copy;  // the parser refuses the whole
  copy->literal = e.literal;
  copy->name = e.name;
  copy->test_only = e.test_only;
  copy->optional = e.optional;
  if (e.target != nullptr) copy->target = Copy(*e.target);
  for (const ExprPtr& item : e.items) copy->items.push_back(Copy(*item));
  for (const MapEntry& entry : e.entries) {
    MapEntry twin;
    twin.id = NewId(OffsetOf(entry.id));
    if (entry.key != nullptr) twin.key = Copy(*entry.key);
    twin.name = entry.name;
    twin.value = Copy(*entry.value);
    twin.optional = entry.optional;
    copy->entries.push_back(std::move(twin));
  }
  if (e.loop != nullptr) {
    Comprehension loop;
    loop.var = e.loop->var;
    loop.var2 = e.loop->var2;
    loop.accu = e.loop->accu;
    loop.range = Copy(*e.loop->range);
    loop.init = Copy(*e.loop->init);
    loop.condition = Copy(*e.loop->condition);
    loop.step = Copy(*e.loop->step);
    loop.result = Copy(*e.loop->result);
    copy->loop = std::make_unique<Comprehension>(std::move(loop));
  }
  return copy;
}

std::string QualifiedName(const Expr& e) {
  if (e.kind == ExprKind::kIdent) return e.name;
  if (e.kind != ExprKind::kSelect || e.test_only) return "";
  const std::string operand = QualifiedName(*e.target);
  return operand.empty() ? "" : operand + "." + e.name;
}

}  // namespace ksim::cel
