// Expression: what an invariant says, in CEL: compiled once, evaluated at a moment.
//
//   object     the object as the write leaves it          objects    all that are selected, by name
//   oldObject  as it was before; null when it is new      count      how many these are
//   owner      its controller as it is in the store       now        the virtual time
//   age        since the object was made                  unchanged  since it was written before
//   actor      who writes                                 operation  CREATE, UPDATE or DELETE
//
// An expression that names one of the left column but `actor` is about one object, any other about
// the set. The libraries are those of Kubernetes 1.36, whatever version the cluster has.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/cel/environment.h"
#include "ksim/check/invariant.h"
#include "ksim/check/invariants/moment.h"

namespace ksim::check {

// A mistake in an expression, and its place.
struct ExpressionProblem {
  ExpressionProblem() = default;
  int line = 0, column = 0;  // from 1; column in code points; 0: it has no place
  std::string message, hint;
};

struct Answer {
  enum class Is : std::uint8_t { kTrue, kFalse, kError };
  Is is = Is::kFalse;
  std::string error;  // CEL's words
  bool holds() const { return is == Is::kTrue; }
};

class Expression {
 public:
  // `at_end`: it is evaluated when nobody writes. Nothing if there are problems.
  static std::optional<Expression> Compile(std::string_view text, bool at_end,
                                           std::vector<ExpressionProblem>* problems);

  const std::string& text() const { return text_; }
  bool Uses(std::string_view variable) const { return program_.Uses(variable); }
  bool IsAboutOneObject() const;
  // Whether it asks who writes what: it has an answer at a write only.
  bool IsAboutTheWrite() const;
  Answer Evaluate(const Moment& moment) const;
  // "object.spec.copies = 3, count = 2": the parts that it is made of, with their values. "" if
  // there are none.
  std::string Observed(const Moment& moment) const;

 private:
  Expression(std::string_view text, cel::Program program)
      : text_(text), program_(std::move(program)) {}

  std::string text_;
  cel::Program program_;
};

// The problems of an invariant's expressions; `field` is always, leadsTo.when, ...
struct FieldProblem {
  FieldProblem() = default;
  std::string field;
  ExpressionProblem problem;
};
std::vector<FieldProblem> ProblemsOf(const Invariant& invariant);

}  // namespace ksim::check
