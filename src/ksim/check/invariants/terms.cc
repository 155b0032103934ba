#include "ksim/check/invariants/terms.h"

#include <algorithm>
#include <optional>

#include "ksim/cel/environment.h"
#include "ksim/check/invariants/variables.h"
#include "ksim/value/text.h"

namespace ksim::check {
namespace {

using cel::Expr;
using cel::ExprKind;

class Terms {
 public:
  void Walk(const Expr& e) {
    if (e.kind == ExprKind::kSelect && e.test_only) return;  // has(): there or not, no value
    if (std::optional<std::string> text = TextOf(e)) return Keep(*std::move(text));
    if (e.target) Walk(*e.target);
    for (const cel::ExprPtr& item : e.items) Walk(*item);
    for (const cel::MapEntry& entry : e.entries) {
      if (entry.key) Walk(*entry.key);
      Walk(*entry.value);
    }
    if (e.loop) WalkLoop(*e.loop);
  }

  std::vector<std::string> Take() { return std::move(terms_); }

 private:
  void WalkLoop(const cel::Comprehension& loop) {
    Walk(*loop.range);
    const std::size_t outer = hidden_.size();
    for (const std::string* name : {&loop.var, &loop.var2, &loop.accu}) hidden_.push_back(*name);
    for (const cel::ExprPtr* part : {&loop.init, &loop.condition, &loop.step, &loop.result})
      Walk(**part);
    hidden_.resize(outer);
  }

  // Nothing for what is no chain of fields that begins with a variable.
  std::optional<std::string> TextOf(const Expr& e) const {
    if (e.kind == ExprKind::kIdent) {
      const bool hidden = std::find(hidden_.begin(), hidden_.end(), e.name) != hidden_.end();
      return hidden || !IsInvariantVariable(e.name) ? std::nullopt : std::optional(e.name);
    }
    if (e.kind == ExprKind::kSelect && !e.test_only) {
      std::optional<std::string> target = TextOf(*e.target);
      if (target) *target += "." + e.name;
      return target;
    }
    if (e.IsCall(cel::kIndex) && e.items[1]->kind == ExprKind::kLiteral) return IndexText(e);
    if (e.IsCall("size")) {
      std::optional<std::string> of = TextOf(e.target ? *e.target : *e.items[0]);
      return of ? std::optional("size(" + *of + ")") : std::nullopt;
    }
    return std::nullopt;
  }

  std::optional<std::string> IndexText(const Expr& e) const {
    const cel::Val& index = e.items[1]->literal;
    std::optional<std::string> target = TextOf(*e.items[0]);
    if (!target) return std::nullopt;
    if (index.is_string()) return *target + "[" + value::GoQuote(index.AsText()) + "]";
    if (index.is_int()) return *target + "[" + std::to_string(index.AsInt()) + "]";
    return std::nullopt;
  }

  void Keep(std::string term) {
    if (std::find(terms_.begin(), terms_.end(), term) == terms_.end())
      terms_.push_back(std::move(term));
  }

  std::vector<std::string> hidden_;  // variables of the macros around
  std::vector<std::string> terms_;
};

}  // namespace

std::vector<std::string> TermsOf(std::string_view expression) {
  std::vector<cel::SourceError> errors;
  const cel::Source source(expression);
  const cel::Ast ast = cel::Parse(source, InvariantEnvironment().parser, &errors);
  if (!errors.empty() || !ast.root) return {};
  Terms terms;
  terms.Walk(*ast.root);
  return terms.Take();
}

}  // namespace ksim::check
