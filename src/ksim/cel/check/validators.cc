#include "ksim/cel/check/validators.h"

#include <algorithm>

#include "ksim/cel/functions/format.h"
#include "ksim/cel/functions/regex.h"
#include "ksim/cel/values/operations.h"

namespace ksim::cel {
namespace {

class Validator {
 public:
  explicit Validator(const CheckedAst& checked) : checked_(checked) {}

  std::vector<SourceError> Run() {
    Visit(*checked_.ast.root, false);
    return std::move(errors_);
  }

 private:
  void Error(std::int64_t id, std::string message) {
    errors_.push_back({checked_.ast.OffsetOf(id), std::move(message)});
  }

  void Visit(const Expr& e, bool exempt) {
    if (e.kind == ExprKind::kCall) {
      CheckLiterals(e);
      if (e.name == "format") CheckFormat(e);
      exempt = exempt || e.name == "format";
    }
    if (e.kind == ExprKind::kList && !exempt) CheckList(e);
    if (e.kind == ExprKind::kMap && !exempt) CheckMap(e);
    if (e.target != nullptr) Visit(*e.target, exempt);
    for (const ExprPtr& item : e.items) Visit(*item, exempt);
    for (const MapEntry& entry : e.entries) {
      if (entry.key != nullptr) Visit(*entry.key, exempt);
      Visit(*entry.value, exempt);
    }
    if (e.loop == nullptr) return;
    for (const ExprPtr* part :
         {&e.loop->range, &e.loop->init, &e.loop->condition, &e.loop->step, &e.loop->result}) {
      Visit(**part, exempt);
    }
  }

  void CheckLiterals(const Expr& e) {
    if (e.items.empty() || e.items[0]->kind != ExprKind::kLiteral) return;
    const Val& literal = e.items[0]->literal;
    bool valid = true;
    if (e.name == "duration" && literal.is_string()) {
      valid = !ConvertTo(literal, TypeKind::kDuration).is_error();
    } else if (e.name == "duration" && literal.is_int()) {
      valid = false;
    } else if (e.name == "timestamp") {
      valid = !ConvertTo(literal, TypeKind::kTimestamp).is_error();
    } else if (e.name == "matches" && literal.is_string() && e.target != nullptr) {
      std::string error;
      valid = Regex::Compile(literal.AsText(), &error) != nullptr;
    }
    if (!valid) Error(e.items[0]->id, "invalid " + e.name + " argument");
  }

  bool IsEquivalent(const Type& a, const Type& b) {
    if (a.kind == TypeKind::kDyn || b.kind == TypeKind::kDyn) return a.kind == b.kind;
    if (a.kind != b.kind || a.name != b.name || a.params.size() != b.params.size()) return false;
    for (std::size_t i = 0; i < a.params.size(); ++i) {
      if (!IsEquivalent(*a.params[i], *b.params[i])) return false;
    }
    return true;
  }

  void Mismatch(std::int64_t id, const Type& expected, const Type& actual) {
    Error(id, "expected type '" + expected.ToString() + "' but found '" + actual.ToString() + "'");
  }

  const Type& TypeOfItem(const Expr& e, bool optional) const {
    const Type& t = *checked_.TypeOfNode(e);
    return optional && !t.params.empty() ? *t.params[0] : t;
  }

  void CheckList(const Expr& e) {
    const Type* first = nullptr;
    for (std::size_t i = 0; i < e.items.size(); ++i) {
      const Type& t = TypeOfItem(*e.items[i], !e.optional.empty() && e.optional[i]);
      if (first == nullptr) {
        first = &t;
      } else if (!IsEquivalent(*first, t)) {
        return Mismatch(e.items[i]->id, *first, t);
      }
    }
  }

  void CheckMap(const Expr& e) {
    const Type* key = nullptr;
    const Type* value = nullptr;
    for (const MapEntry& entry : e.entries) {
      const Type& k = *checked_.TypeOfNode(*entry.key);
      const Type& v = TypeOfItem(*entry.value, entry.optional);
      if (key == nullptr) {
        key = &k;
        value = &v;
        continue;
      }
      if (!IsEquivalent(*key, k)) Mismatch(entry.key->id, *key, k);
      if (!IsEquivalent(*value, v)) Mismatch(entry.value->id, *value, v);
    }
  }

  // Whether a clause takes arguments of a type; dyn is seen at run time.
  static bool Takes(char verb, TypeKind kind) {
    const auto is_one_of = [kind](std::initializer_list<TypeKind> kinds) {
      return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
    };
    if (kind == TypeKind::kDyn) return true;
    switch (verb) {
      case 'd':
      case 'o':
        return is_one_of({TypeKind::kInt, TypeKind::kUint});
      case 'f':
      case 'e':
        return is_one_of({TypeKind::kDouble, TypeKind::kString});
      case 'b':
        return is_one_of({TypeKind::kInt, TypeKind::kUint, TypeKind::kBool});
      case 'x':
      case 'X':
        return is_one_of({TypeKind::kInt, TypeKind::kUint, TypeKind::kString, TypeKind::kBytes});
      default:
        return !is_one_of(
            {TypeKind::kStruct, TypeKind::kOpaque, TypeKind::kTypeParam, TypeKind::kError});
    }
  }

  // The first node within that a string clause does not take.
  const Expr* BadForText(const Expr& e) const {
    if (!Takes('s', checked_.TypeOfNode(e)->kind)) return &e;
    if (e.kind == ExprKind::kList) {
      for (const ExprPtr& item : e.items) {
        if (const Expr* bad = BadForText(*item)) return bad;
      }
    }
    if (e.kind == ExprKind::kMap) {
      for (const MapEntry& entry : e.entries) {
        if (const Expr* bad = BadForText(*entry.key)) return bad;
        if (const Expr* bad = BadForText(*entry.value)) return bad;
      }
    }
    return nullptr;
  }

  void CheckFormat(const Expr& e) {
    if (e.target == nullptr || e.target->kind != ExprKind::kLiteral ||
        !e.target->literal.is_string() || e.items.size() != 1 ||
        e.items[0]->kind != ExprKind::kList) {
      return;
    }
    const std::vector<ExprPtr>& args = e.items[0]->items;
    std::int64_t place = e.id;
    const FormatResult result =
        FormatString(e.target->literal.AsText(), args.size(),
                     [&](const FormatClause& clause, std::size_t i, std::string* problem) {
                       const Expr* bad = args[i].get();
                       if (clause.verb == 's') {
                         bad = BadForText(*args[i]);
                       } else if (Takes(clause.verb, checked_.TypeOfNode(*args[i])->kind)) {
                         bad = nullptr;
                       }
                       if (bad != nullptr) {
                         place = bad->id;
                         *problem = ClauseComplaint(clause, checked_.TypeOfNode(*bad)->name);
                       }
                       return std::string();
                     });
    if (!result.problem.empty()) return Error(place, result.problem);
    if (args.size() > result.used) {
      Error(e.id, "too many arguments supplied to string.format (expected " +
                      std::to_string(result.used) + ", got " + std::to_string(args.size()) + ")");
    }
  }

  const CheckedAst& checked_;
  std::vector<SourceError> errors_;
};

}  // namespace

std::vector<SourceError> Validate(const CheckedAst& checked) { return Validator(checked).Run(); }

}  // namespace ksim::cel
