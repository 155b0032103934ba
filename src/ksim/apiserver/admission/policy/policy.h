// Policy: a ValidatingAdmissionPolicy compiled, with its bindings, and PolicySource: those that a
// server knows of, by name.
//
// Source: apiserver pkg/admission/plugin/policy/generic/policy_source.go,
// validating/{plugin,accessor}.go.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/apiserver/admission/plugin.h"
#include "ksim/apiserver/admission/policy/matching.h"
#include "ksim/cel/admission/expressions.h"
#include "ksim/value/value.h"

namespace ksim::apiserver {

struct PolicyValidation {
  PolicyValidation() = default;
  cel::AdmissionProgram expression;
  std::optional<cel::AdmissionProgram> message_expression;
  std::string message, reason;
};

struct PolicyAnnotation {
  PolicyAnnotation() = default;
  std::string key;
  cel::AdmissionProgram value;
};

struct ParamKind {
  ParamKind() = default;
  std::string api_version, kind;
};

struct Policy {
  // Compiles the expressions of a stored policy.
  Policy(const api::Object& stored, api::Compat compat);
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;

  std::string name;
  bool ignores_failures = false;
  std::optional<MatchResources> match;  // nullopt: it has none, which validation refuses
  std::optional<ParamKind> param_kind;
  cel::AdmissionExpressions expressions;
  std::vector<cel::AdmissionProgram> conditions;  // matchConditions
  std::vector<PolicyValidation> validations;
  std::vector<PolicyAnnotation> annotations;
};

struct PolicyBinding {
  explicit PolicyBinding(const api::Object& stored);
  std::string name;
  std::optional<MatchResources> match;  // nullopt: whatever the policy matches
  value::Value param_ref;               // null: none
  value::Value actions;                 // validationActions
};

struct BoundPolicy {
  BoundPolicy() = default;
  std::shared_ptr<const Policy> policy;
  std::vector<PolicyBinding> bindings;  // at least one
};

using BoundPolicies = std::shared_ptr<const std::vector<BoundPolicy>>;

class PolicySource {
 public:
  explicit PolicySource(const PluginContext& context);

  // False if there is certainly no policy: most servers never have one.
  bool MayHavePolicies() const;
  // The caches of policies, bindings and namespaces have been filled, now or within 10 s. They are
  // begun here.
  sim::Task<bool> WaitReady();
  bool ready() const;
  // The policies that have bindings, as the server knows them now.
  BoundPolicies Get();

 private:
  std::vector<api::Object> Known(const api::ResourceInfo& r) const;
  std::shared_ptr<const Policy> Compiled(const api::Object& stored);

  PluginContext context_;
  const api::ResourceInfo& policies_;
  const api::ResourceInfo& bindings_;
  const api::ResourceInfo& namespaces_;
  std::vector<std::pair<std::string, std::int64_t>> read_;  // names and versions behind `known_`
  BoundPolicies known_;
  mutable bool synced_ = false;
};

}  // namespace ksim::apiserver
