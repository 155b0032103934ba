#include "ksim/cel/check/checker.h"

#include <utility>

#include "ksim/cel/check/unifier.h"

namespace ksim::cel {
namespace {

class Checker {
 public:
  Checker(CheckedAst* out, const Declarations& declarations, std::vector<SourceError>* errors)
      : out_(*out), declarations_(declarations), errors_(errors) {}

  void Run() {
    out_.types.resize(out_.ast.offsets.size(), nullptr);
    Visit(out_.ast.root.get());
    for (TypePtr& t : out_.types) {
      if (t != nullptr) t = unifier_.Substitute(t, true);
    }
  }

 private:
  struct Scope {
    std::map<std::string, TypePtr> names;
  };

  void Error(std::int64_t id, std::string message) {
    errors_->push_back({out_.ast.OffsetOf(id), std::move(message)});
  }
  void Undeclared(std::int64_t id, const std::string& name) {
    Error(id, "undeclared reference to '" + name + "' (in container '')");
  }
  void Mismatch(std::int64_t id, const TypePtr& expected, const TypePtr& actual) {
    Error(id,
          "expected type '" + expected->ToString() + "' but found '" + actual->ToString() + "'");
  }
  void SetType(const Expr& e, TypePtr t) {
    out_.types[static_cast<std::size_t>(e.id)] = std::move(t);
  }
  const TypePtr& TypeOfExpr(const Expr& e) const {
    return out_.types[static_cast<std::size_t>(e.id)];
  }

  void Visit(Expr* e) {
    switch (e->kind) {
      case ExprKind::kLiteral:
        return SetType(*e, e->literal.type());
      case ExprKind::kIdent:
        return VisitIdent(e);
      case ExprKind::kSelect:
        return VisitSelect(e);
      case ExprKind::kCall:
        return VisitCall(e);
      case ExprKind::kList:
        return VisitList(e);
      case ExprKind::kMap:
        return VisitMap(e);
      case ExprKind::kStruct:
        return VisitStruct(e);
      case ExprKind::kComprehension:
        return VisitLoop(e);
    }
  }

  // The type of a name: a variable of a loop, of the environment, or a type itself.
  TypePtr Lookup(std::string_view name, bool* is_type) const {
    *is_type = false;
    const bool global = name.starts_with('.');
    if (global) name.remove_prefix(1);
    if (!global) {
      for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
        const auto found = scope->names.find(std::string(name));
        if (found != scope->names.end()) return found->second;
      }
    }
    const auto variable = declarations_.variables.find(name);
    if (variable != declarations_.variables.end()) return variable->second;
    const auto type = declarations_.types.find(name);
    if (type == declarations_.types.end()) return nullptr;
    *is_type = true;
    return TypeOf(type->second);
  }

  bool Resolve(Expr* e, const std::string& name) {
    bool is_type = false;
    TypePtr t = Lookup(name, &is_type);
    if (t == nullptr) return false;
    if (is_type) out_.type_values[e->id] = t->params[0];
    SetType(*e, std::move(t));
    e->kind = ExprKind::kIdent;
    e->name = name;
    out_.idents[e->id] = name.starts_with('.') ? name.substr(1) : name;
    return true;
  }

  void VisitIdent(Expr* e) {
    if (Resolve(e, e->name)) return;
    SetType(*e, ErrorType());
    Undeclared(e->id, e->name);
  }

  void VisitSelect(Expr* e) {
    if (!e->test_only) {
      const std::string name = QualifiedName(*e);
      if (!name.empty() && Resolve(e, name)) {
        e->target.reset();
        return;
      }
    }
    TypePtr t = FieldType(*e, e->target.get(), e->name, false);
    if (e->test_only) t = BoolType();
    SetType(*e, unifier_.Substitute(t, false));
  }

  TypePtr FieldType(const Expr& e, Expr* operand, const std::string& field, bool optional) {
    Visit(operand);
    const TypePtr operand_type = unifier_.Substitute(TypeOfExpr(*operand), false);
    const bool was_optional = operand_type->IsOptional();
    const TypePtr target = was_optional ? operand_type->params[0] : operand_type;
    TypePtr result = ErrorType();
    switch (target->kind) {
      case TypeKind::kMap:
        result = target->params[1];
        break;
      case TypeKind::kStruct: {
        TypePtr t =
            declarations_.field_type ? declarations_.field_type(target->name, field) : nullptr;
        if (t == nullptr && target->name.starts_with("kubernetes.") &&
            !declarations_.types_with_fields.contains(target->name)) {
          Error(e.id, "unexpected failed resolution of '" + target->name + "'");
        } else if (t == nullptr) {
          Error(e.id, "undefined field '" + field + "'");
        } else {
          result = std::move(t);
        }
        break;
      }
      case TypeKind::kTypeParam:
        unifier_.IsAssignable(DynType(), target);
        result = DynType();
        break;
      default:
        if (target->kind != TypeKind::kDyn && target->kind != TypeKind::kError) {
          Error(e.id, "type '" + target->ToString() + "' does not support field selection");
        }
        result = DynType();
        break;
    }
    return was_optional || optional ? OptionalOf(result) : result;
  }

  void VisitOptSelect(Expr* e) {
    const Expr& field = *e->items[1];
    const std::string name(field.literal.AsText());
    SetType(field, StringType());
    const TypePtr t = FieldType(*e, e->items[0].get(), name, true);
    SetType(*e, unifier_.Substitute(t, false));
    out_.overloads[e->id] = {"select_optional_field"};
  }

  void VisitCall(Expr* e) {
    if (e->name == kOptSelect) return VisitOptSelect(e);
    for (const ExprPtr& arg : e->items) Visit(arg.get());
    if (e->target == nullptr) {
      if (e->name.starts_with('.')) e->name.erase(0, 1);
      return ResolveFunction(e, declarations_.functions->Find(e->name));
    }
    const std::string prefix = QualifiedName(*e->target);
    if (!prefix.empty()) {
      std::string name = prefix + "." + e->name;
      if (name.starts_with('.')) name.erase(0, 1);
      if (const Function* function = declarations_.functions->Find(name)) {
        e->name = name;
        e->target.reset();
        return ResolveFunction(e, function);
      }
    }
    Visit(e->target.get());
    ResolveFunction(e, declarations_.functions->Find(e->name));
  }

  void ResolveFunction(Expr* e, const Function* function) {
    if (function == nullptr) {
      SetType(*e, ErrorType());
      return Undeclared(e->id, e->name);
    }
    TypePtr result = ResolveOverload(e, *function);
    SetType(*e, result == nullptr ? ErrorType() : std::move(result));
  }

  TypePtr ResolveOverload(Expr* e, const Function& function) {
    std::vector<TypePtr> args;
    if (e->target != nullptr) args.push_back(TypeOfExpr(*e->target));
    for (const ExprPtr& arg : e->items) args.push_back(TypeOfExpr(*arg));
    if (e->name == kLogicalAnd || e->name == kLogicalOr) return ResolveLogic(e, function, args);
    std::vector<std::string> ids;
    TypePtr result;
    for (const Overload& overload : function.overloads) {
      if (overload.member != (e->target != nullptr)) continue;
      std::vector<TypePtr> types = overload.args;
      types.push_back(overload.result);
      types = unifier_.Instantiate(types);
      TypePtr own_result = std::move(types.back());
      types.pop_back();
      if (!unifier_.AreAssignable(args, types)) continue;
      ids.push_back(overload.id);
      own_result = unifier_.Substitute(own_result, false);
      if (result == nullptr) {
        result = std::move(own_result);
      } else if (result->kind != TypeKind::kDyn && !SameType(*own_result, *result)) {
        result = DynType();
      }
    }
    if (result == nullptr) {
      NoOverload(*e, args);
      return nullptr;
    }
    out_.overloads[e->id] = std::move(ids);
    return result;
  }

  TypePtr ResolveLogic(Expr* e, const Function& function, const std::vector<TypePtr>& args) {
    bool fits = true;
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (unifier_.IsAssignable(args[i], BoolType())) continue;
      Mismatch(e->items[i]->id, BoolType(), args[i]);
      fits = false;
    }
    if (!fits) return nullptr;
    out_.overloads[e->id] = {function.overloads[0].id};
    return BoolType();
  }

  void NoOverload(const Expr& e, const std::vector<TypePtr>& args) {
    std::string signature;
    std::size_t first = 0;
    if (e.target != nullptr) {
      signature = unifier_.Substitute(args[0], true)->ToString() + ".";
      first = 1;
    }
    signature += "(";
    for (std::size_t i = first; i < args.size(); ++i) {
      if (i > first) signature += ", ";
      signature += unifier_.Substitute(args[i], true)->ToString();
    }
    Error(e.id, "found no matching overload for '" + e.name + "' applied to '" + signature + ")'");
  }

  TypePtr Join(const Expr& e, const TypePtr& previous, const TypePtr& current) {
    if (previous == nullptr) return current;
    if (unifier_.IsAssignable(previous, current)) return Unifier::MostGeneral(previous, current);
    if (!declarations_.homogeneous_literals) return DynType();
    Mismatch(e.id, previous, current);
    return ErrorType();
  }

  // The type in the optional that an element marked with ? must be.
  TypePtr Unwrapped(const Expr& e, TypePtr t) {
    if (t->IsOptional()) return t->params[0];
    if (t->kind != TypeKind::kDyn) Mismatch(e.id, OptionalOf(t), t);
    return t;
  }

  void VisitList(Expr* e) {
    TypePtr element;
    for (std::size_t i = 0; i < e->items.size(); ++i) {
      Expr* item = e->items[i].get();
      Visit(item);
      TypePtr t = TypeOfExpr(*item);
      if (!e->optional.empty() && e->optional[i]) t = Unwrapped(*item, t);
      element = Join(*item, element, t);
    }
    if (element == nullptr) element = unifier_.NewVariable();
    SetType(*e, ListOf(element));
  }

  void VisitMap(Expr* e) {
    TypePtr key_type;
    TypePtr value_type;
    for (MapEntry& entry : e->entries) {
      Visit(entry.key.get());
      key_type = Join(*entry.key, key_type, TypeOfExpr(*entry.key));
      Visit(entry.value.get());
      TypePtr t = TypeOfExpr(*entry.value);
      if (entry.optional) t = Unwrapped(*entry.value, t);
      value_type = Join(*entry.value, value_type, t);
    }
    if (key_type == nullptr) {
      key_type = unifier_.NewVariable();
      value_type = unifier_.NewVariable();
    }
    SetType(*e, MapOf(key_type, value_type));
  }

  // No environment of ours makes objects: types are looked up for the errors' sake.
  void VisitStruct(Expr* e) {
    bool is_type = false;
    const TypePtr t = Lookup(e->name, &is_type);
    SetType(*e, ErrorType());
    if (t == nullptr) {
      Undeclared(e->id, e->name);
    } else if (!is_type) {
      Error(e->id, "'" + t->name + "' is not a type");
    } else {
      Error(e->id, "'" + t->params[0]->name + "' is not a message type");
    }
  }

  void VisitLoop(Expr* e) {
    Comprehension& loop = *e->loop;
    Visit(loop.range.get());
    Visit(loop.init.get());
    const TypePtr range = unifier_.Substitute(TypeOfExpr(*loop.range), false);
    const TypePtr accu = TypeOfExpr(*loop.init);
    scopes_.push_back({{{loop.accu, accu}}});
    TypePtr first = DynType();
    TypePtr second = DynType();
    switch (range->kind) {
      case TypeKind::kList:
        first = range->params[0];
        if (!loop.var2.empty()) {
          second = first;
          first = IntType();
        }
        break;
      case TypeKind::kMap:
        first = range->params[0];
        second = range->params[1];
        break;
      case TypeKind::kDyn:
      case TypeKind::kError:
      case TypeKind::kTypeParam:
        unifier_.IsAssignable(DynType(), range);
        break;
      default:
        Error(loop.range->id, "expression of type '" + range->ToString() +
                                  "' cannot be range of a comprehension (must be list, map, or "
                                  "dynamic)");
        first = second = ErrorType();
        break;
    }
    scopes_.push_back({{{loop.var, first}}});
    if (!loop.var2.empty()) scopes_.back().names[loop.var2] = second;
    Visit(loop.condition.get());
    Assert(*loop.condition, BoolType());
    Visit(loop.step.get());
    Assert(*loop.step, accu);
    scopes_.pop_back();
    Visit(loop.result.get());
    scopes_.pop_back();
    SetType(*e, unifier_.Substitute(TypeOfExpr(*loop.result), false));
  }

  void Assert(const Expr& e, const TypePtr& t) {
    if (!unifier_.IsAssignable(t, TypeOfExpr(e))) Mismatch(e.id, t, TypeOfExpr(e));
  }

  CheckedAst& out_;
  const Declarations& declarations_;
  std::vector<SourceError>* errors_;
  Unifier unifier_;
  std::vector<Scope> scopes_;
};

}  // namespace

bool CheckedAst::Uses(std::string_view variable) const {
  for (const auto& [id, name] : idents) {
    if (name == variable) return true;
  }
  return false;
}

CheckedAst Check(Ast ast, const Declarations& declarations, std::vector<SourceError>* errors) {
  CheckedAst checked;
  checked.ast = std::move(ast);
  Checker(&checked, declarations, errors).Run();
  return checked;
}

}  // namespace ksim::cel
