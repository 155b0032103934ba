// Parameters of policies: the objects that a binding's paramRef names.
//
// Source: apiserver pkg/admission/plugin/policy/generic/policy_dispatcher.go CollectParams.
#pragma once
#include <string>
#include <vector>

#include "ksim/apiserver/admission/policy/policy.h"

namespace ksim::apiserver {

struct Params {
  Params() = default;
  std::vector<value::Value> objects;  // a null: the policy is judged once, without a parameter
  std::string problem;                // why there are none: a mistake of the binding
};

// Why the policy's paramKind cannot be used; "": it can, or there is none.
std::string ParamKindProblem(const PluginContext& context, const Policy& policy);

// The policy is one whose paramKind can be used.

sim::Task<Params> CollectParams(const PluginContext& context, const Policy& policy,
                                const PolicyBinding& binding, SharedText ns);

}  // namespace ksim::apiserver
