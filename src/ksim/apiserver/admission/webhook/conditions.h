// Conditions in CEL under which a webhook is called or a policy judges (matchConditions).
//
// Source: apiserver pkg/admission/plugin/webhook/matchconditions/matcher.go,
// pkg/admission/plugin/cel/activation.go.
#pragma once
#include <span>
#include <string>

#include "ksim/apiserver/admission/plugin.h"
#include "ksim/apiserver/core/access.h"
#include "ksim/cel/admission/expressions.h"

namespace ksim::apiserver {

// The variables authorizer and authorizer.requestResource, of the request's user.
void AddAuthorizer(const AccessJudge& judge, const Attributes& a, cel::AdmissionInput* input);

struct ConditionsResult {
  ConditionsResult() = default;
  bool match = true;
  std::string error;  // the conditions could not be told: a failure under failurePolicy Fail
};
// Whether all conditions hold: one that does not decides, whatever errors others have.
ConditionsResult JudgeConditions(const cel::AdmissionExpressions& expressions,
                                 std::span<const cel::AdmissionProgram> conditions,
                                 bool ignores_failures, const cel::AdmissionInput& input);

}  // namespace ksim::apiserver
