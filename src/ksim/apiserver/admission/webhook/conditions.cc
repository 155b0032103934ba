#include "ksim/apiserver/admission/webhook/conditions.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "ksim/apiserver/admission/webhook/review.h"

namespace ksim::apiserver {
namespace {

constexpr std::int64_t kConditionsBudget = cel::kRuntimeCostBudget / 4;

}  // namespace

void AddAuthorizer(const AccessJudge& judge, const Attributes& a, cel::AdmissionInput* input) {
  const User user = a.user == nullptr ? User() : *a.user;
  const cel::AccessOracle oracle = [&judge, user](const cel::AccessQuestion& question) {
    User asking = user;
    if (!question.account_name.empty()) {
      asking = User();
      asking.name = fmt::format("system:serviceaccount:{}:{}", question.account_namespace,
                                question.account_name);
      asking.groups = {"system:serviceaccounts",
                       "system:serviceaccounts:" + question.account_namespace};
    }
    Access access;
    access.verb = question.verb;
    access.group = question.group;
    access.resource = question.resource;
    access.subresource = question.subresource;
    access.ns = question.ns;
    access.name = question.name;
    access.path = question.path;
    const Decision decision = judge.Authorize(asking, access);
    return cel::AccessAnswer{decision.allowed, decision.reason};
  };
  input->authorizer = cel::AuthorizerValue(oracle);
  cel::AccessQuestion about;
  about.group = a.resource.group;
  about.resource = a.resource.resource;
  about.subresource = a.subresource.view();
  about.ns = ReviewedNamespace(a);
  about.name = ReviewedName(a, a.object);
  input->resource_check = cel::ResourceCheckValue(oracle, std::move(about));
}

ConditionsResult JudgeConditions(const cel::AdmissionExpressions& expressions,
                                 std::span<const cel::AdmissionProgram> conditions,
                                 bool ignores_failures, const cel::AdmissionInput& input) {
  ConditionsResult result;
  std::vector<std::string> errors;
  cel::AdmissionRun run(expressions, input, kConditionsBudget);
  for (const cel::AdmissionProgram& condition : conditions) {
    const cel::AdmissionValue value = run.Evaluate(condition);
    if (!run.problem().empty()) {
      errors = {run.problem()};
      break;
    }
    if (!value.error.empty()) {
      errors.push_back(value.error);
    } else if (value.value.is_false()) {
      result.match = false;
    }
  }
  if (!run.problem().empty()) result.match = true;
  if (errors.empty() || !result.match) return result;
  if (ignores_failures) {
    result.match = false;
    return result;
  }
  // utilerrors.NewAggregate
  for (const std::string& error : errors) {
    if (result.error.find(error) != std::string::npos) continue;
    result.error += (result.error.empty() ? "" : ", ") + error;
  }
  if (result.error.size() > errors[0].size()) result.error = "[" + result.error + "]";
  return result;
}

}  // namespace ksim::apiserver
