// Expressions of admission: those of a ValidatingAdmissionPolicy and the matchConditions of
// webhooks, with what they may name: object, oldObject, request, namespaceObject, params,
// authorizer and variables.
//
//   AdmissionExpressions all(EnvironmentOptions::Kubernetes(30), {.params = true}, true);
//   all.AddVariable("replicas", "object.spec.replicas");
//   AdmissionProgram p = all.Compile("variables.replicas < 5", true, {BoolType()});
//   AdmissionRun run(all, input);
//   AdmissionValue v = run.Evaluate(p);
//
// Upstream: k8s.io/apiserver pkg/admission/plugin/cel/{compile,composition,activation}.go.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/cel/environment.h"
#include "ksim/cel/functions/authorization.h"

namespace ksim::cel {

struct AdmissionProgram {
  std::string expression;
  std::optional<Program> program;
  std::string error;      // why there is none; "": it was left out
  bool internal = false;  // the error is one of the server's
};

class AdmissionExpressions {
 public:
  // `composed`: there is a variable named variables.
  AdmissionExpressions(const EnvironmentOptions& options, bool params, bool composed);

  // `returns`: one of these types; without an authorizer, that has no name.
  AdmissionProgram Compile(std::string_view text, bool authorizer,
                           const std::vector<TypePtr>& returns) const;
  // Expressions compiled later may name it. Returns it as it was compiled.
  const AdmissionProgram& AddVariable(const std::string& name, std::string_view text);

 private:
  friend class LazyVariables;
  bool tells_type_found_;
  Environment base_;
  std::map<std::string, AdmissionProgram, std::less<>> variables_;
};

struct AdmissionInput {
  // Null where there is none.
  Val object, old_object, params, request, namespace_object;
  Val authorizer, resource_check;
};

struct AdmissionValue {
  Val value;
  std::string error;  // set: there is no value
};

// One round over expressions that share a budget and the values of variables.
class AdmissionRun {
 public:
  AdmissionRun(const AdmissionExpressions& expressions, const AdmissionInput& input,
               std::int64_t budget);
  ~AdmissionRun();
  AdmissionValue Evaluate(const AdmissionProgram& program);
  // Set when the budget is spent: nothing more may be evaluated.
  const std::string& problem() const { return problem_; }
  std::int64_t budget() const { return budget_; }

 private:
  Activation activation_;
  std::shared_ptr<class LazyVariables> variables_;
  std::int64_t budget_;
  std::string problem_;
};

}  // namespace ksim::cel
