// CEL, the Common Expression Language, as Kubernetes has it: an Environment says which names,
// functions and macros there are, Compile makes a Program of a text, Evaluate runs it on values.
//
//   cel::Environment env(cel::EnvironmentOptions::Kubernetes(30));
//   env.DeclareVariable("self", cel::DynType());
//   ASSIGN_OR_RETURN(cel::Program program, env.Compile("self.replicas > 0"));
//   cel::Evaluation e = program.Evaluate(activation);
//
// google/cel-cpp is not to be had in reason: README.md.
#pragma once
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "ksim/cel/check/checker.h"
#include "ksim/cel/eval/cost_estimate.h"
#include "ksim/cel/eval/plan.h"
#include "ksim/cel/syntax/parser.h"

namespace ksim::cel {

// k8s.io/apiserver pkg/apis/cel/config.go
inline constexpr std::uint64_t kPerCallLimit = 1'000'000;
inline constexpr std::int64_t kRuntimeCostBudget = 10'000'000;

// Versions of libraries; -1: without.
struct EnvironmentOptions {
  ParserOptions parser;
  int strings = 2;
  int optionals = 2;
  int lists = -1;  // ext.Lists
  bool sets = true;
  bool cross_type_order = true;  // 1 < 2.0
  bool two_variables = true;
  bool kubernetes_lists = true;  // with regex and urls
  bool quantity = true;
  bool networks = true;  // ip and cidr
  bool formats = true;   // format.dns1123Label() ...
  bool semver = true;
  bool authorization = true;            // what asks an authorizer
  bool authorization_selectors = true;  // by fields and labels, too
  bool validators = true;
  bool homogeneous_literals = true;
  bool tells_type_found = true;  // "must evaluate to bool but got int", after 1.30
  CostPolicy costs;

  // pkg/cel/environment/base.go for the environment of version 1.`minor`. An API server compiles
  // new expressions with that of its compatibility version, one below its own, and those that are
  // stored with its own.
  static EnvironmentOptions Kubernetes(int minor);
};

struct Evaluation {
  Val value;  // may be an error
  std::uint64_t cost = 0;
};

class Program {
 public:
  // The value and its cost; an error value if the cost goes beyond the limit.
  Evaluation Evaluate(const Activation& activation, std::uint64_t limit = kPerCallLimit) const;
  const TypePtr& type() const { return type_; }
  bool Uses(std::string_view variable) const { return checked_->Uses(variable); }
  CostRange EstimateCost(const SizeEstimator& estimator) const;

 private:
  friend class Environment;
  std::shared_ptr<const CheckedAst> checked_;
  std::shared_ptr<const FunctionTable> functions_;
  std::shared_ptr<const CostPolicy> costs_;
  std::shared_ptr<const Plan> plan_;
  TypePtr type_;
};

class Environment {
 public:
  explicit Environment(const EnvironmentOptions& options);
  void DeclareVariable(std::string_view name, TypePtr type);
  // Gives the types of the fields of object types, and which of Kubernetes' own have some.
  void SetFieldTypes(std::function<TypePtr(std::string_view, std::string_view)> field_type,
                     std::set<std::string, std::less<>> types_with_fields = {});

  // An error has cel-go's text: one "ERROR: <input>:1:5: ..." with its caret for each. One of the
  // constants that a program starts with is FailedPrecondition.
  absl::StatusOr<Program> Compile(std::string_view text) const;

 private:
  EnvironmentOptions options_;
  std::shared_ptr<FunctionTable> functions_;
  std::shared_ptr<const CostPolicy> costs_;
  Declarations declarations_;
};

}  // namespace ksim::cel
