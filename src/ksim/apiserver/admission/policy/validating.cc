// Part of plugin.h: ValidatingAdmissionPolicy judges objects by the policies that are bound.
//
// Source: apiserver pkg/admission/plugin/policy/validating/dispatcher.go Dispatch.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "ksim/api/schema/go_form.h"
#include "ksim/apiserver/admission/policy/evaluate.h"
#include "ksim/apiserver/admission/policy/matching.h"
#include "ksim/apiserver/admission/policy/params.h"
#include "ksim/apiserver/admission/policy/policy.h"
#include "ksim/apiserver/admission/webhook/conditions.h"
#include "ksim/apiserver/admission/webhook/dispatcher.h"
#include "ksim/apiserver/admission/webhook/review.h"
#include "ksim/apiserver/filters/authorization.h"
#include "ksim/apiserver/server.h"
#include "ksim/value/go_format.h"

namespace ksim::apiserver {

using value::Value;

namespace {

constexpr std::size_t kMaxAnnotationValue = 10 * 1024;

struct Denial {
  const Policy* policy;
  const PolicyBinding* binding;  // null: of the policy alone
  std::string message, reason;
};

// The texts of audit annotations, by key, in the order in which they were made.
using Notes = std::map<std::string, std::vector<std::string>>;

class PolicyPlugin final : public Plugin {
 public:
  explicit PolicyPlugin(const PluginContext& context)
      : context_(context), source_(context), matcher_(context) {}
  std::string_view name() const override { return "ValidatingAdmissionPolicy"; }
  bool Handles(const Attributes&) const override { return false; }
  // Deletes are judged as where webhooks are asked.
  bool AsksWebhooks() const override { return source_.MayHavePolicies(); }
  bool Validates(const Attributes& a) const override {
    if (a.operation == Operation::kDelete && a.old.is_null()) return false;
    return source_.MayHavePolicies() && !IsExempt(a.resource);
  }

  sim::Task<api::Status> Validate(Attributes& a) override {
    bool ready = source_.ready();
    if (!ready) ready = co_await source_.WaitReady();
    if (!ready) co_return AdmissionForbidden(a, "not yet ready to handle request");
    const BoundPolicies known = source_.Get();
    std::vector<Denial> denials;
    for (const BoundPolicy& bound : *known) {
      const api::Status error = co_await JudgeBound(bound, a, &denials);
      if (!error.ok()) co_return error;
    }
    if (denials.empty()) co_return api::Status();
    co_return Refusal(denials.front(), a);
  }

 private:
  static void AddConfigError(const std::string& problem, const Policy& policy,
                             const PolicyBinding* binding, std::vector<Denial>* denials) {
    if (policy.ignores_failures) return;
    denials->push_back({&policy, binding,
                        fmt::format("failed to configure {}: {}",
                                    binding == nullptr ? "policy" : "binding", problem),
                        ""});
  }

  // An error of the server itself ends the request; what policies say is added to `denials`.
  sim::Task<api::Status> JudgeBound(const BoundPolicy& bound, Attributes& a,
                                    std::vector<Denial>* denials) {
    const Policy& policy = *bound.policy;
    if (!policy.match.has_value()) {
      AddConfigError("policy contained no match constraints, a required field", policy, nullptr,
                     denials);
      co_return api::Status();
    }
    const api::Result<const api::ResourceInfo*> matched = co_await matcher_.Match(*policy.match, a);
    if (!matched.ok()) {
      AddConfigError(matched.status().message.str(), policy, nullptr, denials);
      co_return api::Status();
    }
    if (*matched == nullptr) co_return api::Status();
    const std::string problem = ParamKindProblem(context_, policy);
    if (!problem.empty()) {
      AddConfigError(problem, policy, nullptr, denials);
      co_return api::Status();
    }
    Notes notes;
    for (const PolicyBinding& binding : bound.bindings) {
      if (binding.match.has_value()) {
        const api::Result<const api::ResourceInfo*> bound_to =
            co_await matcher_.Match(*binding.match, a);
        if (!bound_to.ok())
          AddConfigError(bound_to.status().message.str(), policy, &binding, denials);
        if (!bound_to.ok() || *bound_to == nullptr) continue;
      }
      const SharedText ns(ReviewedNamespace(a));
      const Params params = co_await CollectParams(context_, policy, binding, ns);
      if (!params.problem.empty()) {
        AddConfigError(params.problem, policy, &binding, denials);
        continue;
      }
      const api::Result<Value> space = co_await NamespaceObject(a);
      if (!space.ok()) co_return space.status();
      if (NeedsConversionToShow(a, **matched)) {
        const api::Status shown = co_await ConvertToShow(context_, a, **matched);
        if (!shown.ok()) co_return shown;
      }
      cel::AdmissionInput input = InputOf(a, **matched);
      for (const Value& param : params.objects) {
        input.params = cel::FromTree(param);
        const PolicyVerdict verdict = JudgeByPolicy(policy, input, *space);
        Take(verdict, policy, binding, a, &notes, denials);
      }
    }
    if (a.request != nullptr) {
      for (const auto& [key, values] : notes)
        a.request->Annotate(policy.name + "/" + key, fmt::format("{}", fmt::join(values, ", ")));
    }
    co_return api::Status();
  }

  cel::AdmissionInput InputOf(const Attributes& a, const api::ResourceInfo& at) const {
    cel::AdmissionInput input;
    input.object = cel::FromTree(ShownToHook(context_, a.object, a.object_version, false, a, at));
    input.old_object = cel::FromTree(ShownToHook(context_, a.old, a.old_version, true, a, at));
    input.request = cel::FromTree(ReviewedRequest(a, at));
    AddAuthorizer(context_.authorizer, a, &input);
    return input;
  }

  // Null for what is in no namespace, and for namespaces themselves.
  sim::Task<api::Result<Value>> NamespaceObject(const Attributes& a) {
    if (a.ns.empty() || (a.resource.group.empty() && a.resource.kind == "Namespace"))
      co_return Value();
    const api::Result<Value> tree = co_await matcher_.selectors().NamespaceOf(a.ns);
    if (!tree.ok()) co_return tree.status();
    const api::ResourceInfo& kind = *context_.kinds.ByResource("", "namespaces");
    co_return NamespaceObjectOf(
        api::GoForm(kind, *tree, context_.shared.compat, api::Stored::kYes));
  }

  static void Take(const PolicyVerdict& verdict, const Policy& policy, const PolicyBinding& binding,
                   const Attributes& a, Notes* notes, std::vector<Denial>* denials) {
    for (std::size_t i = 0; i < verdict.decisions.size(); ++i) {
      const PolicyDecision& decision = verdict.decisions[i];
      if (!decision.denies) continue;
      for (const Value& action : binding.actions.items())
        Act(action.AsString(), i, decision, policy, binding, a, denials);
    }
    for (const PolicyVerdict::Note& note : verdict.notes) {
      if (!note.error.empty()) {
        denials->push_back({&policy, &binding, note.error, ""});
      } else if (!note.value.empty()) {
        std::vector<std::string>& values = (*notes)[note.key];
        const std::string text = note.value.substr(0, kMaxAnnotationValue);
        if (std::find(values.begin(), values.end(), text) == values.end()) values.push_back(text);
      }
    }
  }

  static void Act(std::string_view action, std::size_t i, const PolicyDecision& decision,
                  const Policy& policy, const PolicyBinding& binding, const Attributes& a,
                  std::vector<Denial>* denials) {
    if (action == "Deny") {
      denials->push_back({&policy, &binding, decision.message, decision.reason});
    } else if (a.request == nullptr) {
      return;
    } else if (action == "Warn") {
      a.request->Warn(
          fmt::format("Validation failed for ValidatingAdmissionPolicy '{}' with binding '{}': {}",
                      policy.name, binding.name, decision.message));
    } else if (action == "Audit") {
      const auto text = [](std::string_view s) { return value::GoJson(Value::Of(s)); };
      a.request->Annotate("validation.policy.admission.k8s.io/validation_failure",
                          fmt::format(R"([{{"message":{},"policy":{},"binding":{},)"
                                      R"("expressionIndex":{},"validationActions":{}}}])",
                                      text(decision.message), text(policy.name), text(binding.name),
                                      i, value::GoJson(binding.actions)));
    }
  }

  static api::Status Refusal(const Denial& denial, const Attributes& a) {
    const std::string message =
        denial.binding == nullptr
            ? fmt::format("ValidatingAdmissionPolicy '{}' denied request: {}", denial.policy->name,
                          denial.message)
            : fmt::format("ValidatingAdmissionPolicy '{}' with binding '{}' denied request: {}",
                          denial.policy->name, denial.binding->name, denial.message);
    api::Status status = AdmissionForbidden(a, message);
    const std::string reason = denial.reason.empty() ? "Invalid" : denial.reason;
    status.code = reason == "Forbidden"               ? 403
                  : reason == "Unauthorized"          ? 401
                  : reason == "RequestEntityTooLarge" ? 413
                                                      : 422;
    status.reason = reason;
    status.details->causes.emplace_back("", message, "");
    return status;
  }

  PluginContext context_;
  PolicySource source_;
  PolicyMatcher matcher_;
};

}  // namespace

std::unique_ptr<Plugin> MakeValidatingPolicies(const PluginContext& context) {
  return std::make_unique<PolicyPlugin>(context);
}

}  // namespace ksim::apiserver
