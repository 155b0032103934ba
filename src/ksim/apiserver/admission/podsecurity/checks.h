// The checks of the Pod Security Standards: what a pod has that a level forbids.
//
// Source: k8s.io/pod-security-admission policy/registry.go, policy/check_*.go.
#pragma once
#include <string>
#include <vector>

#include "ksim/apiserver/admission/podsecurity/policy.h"
#include "ksim/value/value.h"

namespace ksim::apiserver::podsecurity {

// The result of all checks of a level: the reasons why a pod is forbidden, and their details.
struct Verdict {
  Verdict() = default;
  std::vector<std::string> reasons, details;
  bool allowed() const { return reasons.empty(); }
  std::string Reason() const;  // "privileged, hostPort"
  std::string Detail() const;  // "privileged (container \"c\" must not ...), hostPort (...)"
};

// `newest`: the newest minor version that the server has checks of; a later one is taken for it.
Verdict Evaluate(const LevelVersion& level, int newest, const value::Value& metadata,
                 const value::Value& spec);

}  // namespace ksim::apiserver::podsecurity
