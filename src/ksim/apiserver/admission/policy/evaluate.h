// JudgeByPolicy: a request judged by a policy's expressions.
//
// Source: apiserver pkg/admission/plugin/policy/validating/validator.go,
// pkg/admission/plugin/cel/condition.go CreateNamespaceObject.
#pragma once
#include <string>
#include <vector>

#include "ksim/apiserver/admission/policy/policy.h"
#include "ksim/cel/admission/expressions.h"

namespace ksim::apiserver {

struct PolicyDecision {
  PolicyDecision() = default;
  bool denies = false;
  std::string message, reason;
};

struct PolicyVerdict {
  PolicyVerdict() = default;
  std::vector<PolicyDecision> decisions;  // of each validation
  struct Note {
    std::string key, value, error;  // an error denies the request; without either it says nothing
  };
  std::vector<Note> notes;  // of each audit annotation
};

// `input` without the namespace, which conditions do not see.
PolicyVerdict JudgeByPolicy(const Policy& policy, const cel::AdmissionInput& input,
                            const value::Value& namespace_object);

// The Namespace as expressions see it.
value::Value NamespaceObjectOf(const value::Value& namespace_tree);

}  // namespace ksim::apiserver
