#include "ksim/cel/syntax/macros.h"

#include <utility>

namespace ksim::cel {
namespace {

constexpr char kUnused[] = "#unused";

// One expansion: the call's parts, and the tree that it makes.
class Expansion {
 public:
  Expansion(const ParserOptions& options, ExprPtr* target, std::vector<ExprPtr>* args,
            TreeBuilder* builder, MacroError* error)
      : options_(options), target_(target), args_(*args), b_(*builder), error_(error) {}

  ExprPtr Global(const std::string& function) {
    if (function != "has" || args_.size() != 1) return nullptr;
    Expr& field = *args_[0];
    if (field.kind != ExprKind::kSelect) {
      return Fail(field.id, "invalid argument to has() macro");
    }
    ExprPtr test = b_.Make(ExprKind::kSelect, b_.NewMacroId());
    test->target = std::move(field.target);
    test->name = field.name;
    test->test_only = true;
    return test;
  }

  ExprPtr Member(const std::string& function) {
    const std::size_t n = args_.size();
    const bool exists_one =
        function == "exists_one" || (options_.exists_one_alias && function == "existsOne");
    if (n == 2) {
      if (function == "all") return Quantifier(kAll);
      if (function == "exists") return Quantifier(kExists);
      if (exists_one) return Quantifier(kExistsOne);
      if (function == "filter") return Filter();
      if (function == "map") return Map(std::move(*target_), args_[0].get(), nullptr, 1);
      if (options_.optional_syntax && function == "optMap") return OptMap(true);
      if (options_.optional_syntax && function == "optFlatMap") return OptMap(false);
      if (options_.sort_by_macro && function == "sortBy") return SortBy();
    }
    if (n == 3 && function == "map") return Map(std::move(*target_), args_[0].get(), &args_[1], 2);
    if (n == 3 && options_.bind_macro && function == "bind" &&
        (*target_)->kind == ExprKind::kIdent && (*target_)->name == "cel") {
      return Bind();
    }
    if (options_.two_variable_macros) return TwoVariables(function, exists_one);
    return nullptr;
  }

 private:
  enum Kind { kAll, kExists, kExistsOne };

  ExprPtr Fail(std::int64_t id, std::string message) {
    error_->id = id;
    error_->message = std::move(message);
    return nullptr;
  }

  bool IsAccumulator(const std::string& name) const {
    return name == kAccumulator || name == kOldAccumulator;
  }

  // The name of a loop variable, or empty and the error noted.
  std::string VariableName(const Expr& e, const char* complaint) {
    if (e.kind != ExprKind::kIdent) {
      Fail(e.id, complaint);
      return "";
    }
    if (IsAccumulator(e.name)) {
      Fail(e.id, "iteration variable overwrites accumulator variable");
      return "";
    }
    return e.name;
  }

  // The loop of a quantifier over `predicate`, without range and variables.
  Comprehension QuantifierLoop(Kind kind, ExprPtr predicate) {
    Comprehension loop;
    loop.accu = kAccumulator;
    switch (kind) {
      case kAll:
        loop.init = b_.Literal(Val::Bool(true));
        loop.condition = b_.Call(kNotStrictlyFalse, b_.Accu());
        loop.step = b_.Call(kLogicalAnd, b_.Accu(), std::move(predicate));
        loop.result = b_.Accu();
        break;
      case kExists:
        loop.init = b_.Literal(Val::Bool(false));
        loop.condition = b_.Call(kNotStrictlyFalse, b_.Call(kLogicalNot, b_.Accu()));
        loop.step = b_.Call(kLogicalOr, b_.Accu(), std::move(predicate));
        loop.result = b_.Accu();
        break;
      case kExistsOne:
        loop.init = b_.Literal(Val::Int(0));
        loop.condition = b_.Literal(Val::Bool(true));
        loop.step = b_.Call(kConditional, std::move(predicate),
                            b_.Call(kAdd, b_.Accu(), b_.Literal(Val::Int(1))), b_.Accu());
        loop.result = b_.Call(kEquals, b_.Accu(), b_.Literal(Val::Int(1)));
        break;
    }
    return loop;
  }

  ExprPtr Quantifier(Kind kind) {
    std::string var = VariableName(*args_[0], "argument must be a simple name");
    if (var.empty()) return nullptr;
    Comprehension loop = QuantifierLoop(kind, std::move(args_[1]));
    loop.var = std::move(var);
    loop.range = std::move(*target_);
    return b_.Loop(std::move(loop));
  }

  ExprPtr Map(ExprPtr range, const Expr* variable, ExprPtr* filter, std::size_t transform) {
    std::string var = VariableName(*variable, "argument is not an identifier");
    if (var.empty()) return nullptr;
    Comprehension loop;
    loop.accu = kAccumulator;
    loop.var = std::move(var);
    loop.init = b_.List();
    loop.condition = b_.Literal(Val::Bool(true));
    loop.step = b_.Call(kAdd, b_.Accu(), b_.List(std::move(args_[transform])));
    if (filter != nullptr) {
      loop.step = b_.Call(kConditional, std::move(*filter), std::move(loop.step), b_.Accu());
    }
    loop.result = b_.Accu();
    loop.range = std::move(range);
    return b_.Loop(std::move(loop));
  }

  ExprPtr Filter() {
    std::string var = VariableName(*args_[0], "argument is not an identifier");
    if (var.empty()) return nullptr;
    Comprehension loop;
    loop.accu = kAccumulator;
    loop.var = std::move(var);
    loop.init = b_.List();
    loop.condition = b_.Literal(Val::Bool(true));
    loop.step = b_.Call(kAdd, b_.Accu(), b_.List(std::move(args_[0])));
    loop.step = b_.Call(kConditional, std::move(args_[1]), std::move(loop.step), b_.Accu());
    loop.result = b_.Accu();
    loop.range = std::move(*target_);
    return b_.Loop(std::move(loop));
  }

  // A loop over nothing that gives `result` with `name` bound to `init`.
  ExprPtr BindTo(std::string name, ExprPtr init, ExprPtr result) {
    Comprehension loop;
    loop.range = b_.List();
    loop.var = kUnused;
    loop.accu = name;
    loop.init = std::move(init);
    loop.condition = b_.Literal(Val::Bool(false));
    loop.step = b_.Ident(name);
    loop.result = std::move(result);
    return b_.Loop(std::move(loop));
  }

  ExprPtr Bind() {
    if (args_[0]->kind != ExprKind::kIdent) {
      return Fail(args_[0]->id, "cel.bind() variable names must be simple identifiers");
    }
    return BindTo(args_[0]->name, std::move(args_[1]), std::move(args_[2]));
  }

  ExprPtr OptMap(bool wrap) {
    if (args_[0]->kind != ExprKind::kIdent) {
      return Fail(args_[0]->id, wrap ? "optMap() variable name must be a simple identifier"
                                     : "optFlatMap() variable name must be a simple identifier");
    }
    ExprPtr value = b_.MemberCall("value", b_.Copy(**target_));
    ExprPtr mapped = BindTo(args_[0]->name, std::move(value), std::move(args_[1]));
    if (wrap) mapped = b_.Call("optional.of", std::move(mapped));
    return b_.Call(kConditional, b_.MemberCall("hasValue", std::move(*target_)), std::move(mapped),
                   b_.Call("optional.none"));
  }

  ExprPtr SortBy() {
    const ExprKind kind = (*target_)->kind;
    if (kind != ExprKind::kList && kind != ExprKind::kSelect && kind != ExprKind::kIdent &&
        kind != ExprKind::kComprehension && kind != ExprKind::kCall) {
      return Fail((*target_)->id,
                  "sortBy can only be applied to a list, identifier, comprehension, call or "
                  "select expression");
    }
    constexpr char kInput[] = "@__sortBy_input__";
    ExprPtr keys = Map(b_.Ident(kInput), args_[0].get(), nullptr, 1);
    if (keys == nullptr) return nullptr;
    ExprPtr sorted = b_.MemberCall("@sortByAssociatedKeys", b_.Ident(kInput), std::move(keys));
    return BindTo(kInput, std::move(*target_), std::move(sorted));
  }

  ExprPtr TwoVariables(const std::string& function, bool exists_one) {
    const std::size_t n = args_.size();
    const bool list = function == "transformList";
    const bool map = function == "transformMap";
    const bool entry = function == "transformMapEntry";
    const bool transforms = list || map || entry;
    const bool quantifies = function == "all" || function == "exists" || exists_one;
    if (!(transforms && (n == 3 || n == 4)) && !(quantifies && n == 3)) return nullptr;
    if (args_[0]->kind != ExprKind::kIdent) {
      return Fail(args_[0]->id, "argument must be a simple name");
    }
    if (args_[1]->kind != ExprKind::kIdent) {
      return Fail(args_[1]->id, "argument must be a simple name");
    }
    const std::string var = args_[0]->name;
    const std::string var2 = args_[1]->name;
    if (var == var2) return Fail(args_[1]->id, "duplicate variable name: " + var);
    for (std::size_t i = 0; i < 2; ++i) {
      if (IsAccumulator(args_[i]->name)) {
        return Fail(args_[i]->id, "iteration variable overwrites accumulator variable");
      }
    }
    Comprehension loop;
    if (quantifies) {
      const Kind kind = function == "all" ? kAll : function == "exists" ? kExists : kExistsOne;
      loop = QuantifierLoop(kind, std::move(args_[2]));
    } else {
      ExprPtr transform = std::move(args_[n - 1]);
      loop.accu = kAccumulator;
      loop.init = list ? b_.List() : b_.Map();
      loop.condition = b_.Literal(Val::Bool(true));
      if (list) {
        loop.step = b_.Call(kAdd, b_.Accu(), b_.List(std::move(transform)));
      } else if (map) {
        loop.step = b_.Call("cel.@mapInsert", b_.Accu(), b_.Ident(var), std::move(transform));
      } else {
        loop.step = b_.Call("cel.@mapInsert", b_.Accu(), std::move(transform));
      }
      if (n == 4) {
        loop.step = b_.Call(kConditional, std::move(args_[2]), std::move(loop.step), b_.Accu());
      }
      loop.result = b_.Accu();
    }
    loop.var = var;
    loop.var2 = var2;
    loop.range = std::move(*target_);
    return b_.Loop(std::move(loop));
  }

  const ParserOptions& options_;
  ExprPtr* target_;
  std::vector<ExprPtr>& args_;
  TreeBuilder& b_;
  MacroError* error_;
};

}  // namespace

ExprPtr ExpandMacro(const ParserOptions& options, const std::string& function, ExprPtr* target,
                    std::vector<ExprPtr>* args, TreeBuilder* builder, MacroError* error) {
  Expansion expansion(options, target, args, builder, error);
  return *target == nullptr ? expansion.Global(function) : expansion.Member(function);
}

}  // namespace ksim::cel
