#include "ksim/apiserver/admission/policy/policy.h"

#include <map>

#include "ksim/api/core/profile.h"
#include "ksim/apiserver/cacher/resources.h"
#include "ksim/apiserver/server.h"

namespace ksim::apiserver {

using value::Value;

namespace {

constexpr Duration kPolicyReadyTimeout = Seconds(10);  // admission.Handler timeToWaitForReady
constexpr std::string_view kPolicyGroup = "admissionregistration.k8s.io";

const std::vector<cel::TypePtr>& BoolOnly() {
  static const std::vector<cel::TypePtr> types = {cel::BoolType()};
  return types;
}

}  // namespace

// compilePolicy
Policy::Policy(const api::Object& stored, api::Compat compat)
    : name(stored.name()),
      expressions(cel::EnvironmentOptions::Kubernetes(api::ProfileOf(compat).cel_minor),
                  !stored.spec().Get("paramKind").is_null(), true) {
  const Value& spec = stored.spec();
  ignores_failures = spec.Get("failurePolicy").AsString() == "Ignore";
  if (!spec.Get("matchConstraints").is_null()) match.emplace(spec.Get("matchConstraints"));
  if (const Value& kind = spec.Get("paramKind"); !kind.is_null()) {
    param_kind.emplace();
    param_kind->api_version = kind.Get("apiVersion").AsString();
    param_kind->kind = kind.Get("kind").AsString();
  }
  for (const Value& v : spec.Get("variables").items())
    expressions.AddVariable(std::string(v.Get("name").AsString()), v.Get("expression").AsString());
  for (const Value& v : spec.Get("matchConditions").items())
    conditions.push_back(expressions.Compile(v.Get("expression").AsString(), true, BoolOnly()));
  for (const Value& v : spec.Get("validations").items()) {
    PolicyValidation validation;
    validation.expression = expressions.Compile(v.Get("expression").AsString(), true, BoolOnly());
    const std::string_view text = v.Get("messageExpression").AsString();
    if (!text.empty())
      validation.message_expression = expressions.Compile(text, false, {cel::StringType()});
    validation.message = v.Get("message").AsString();
    validation.reason = v.Get("reason").AsString();
    validations.push_back(std::move(validation));
  }
  for (const Value& v : spec.Get("auditAnnotations").items()) {
    PolicyAnnotation annotation;
    annotation.key = v.Get("key").AsString();
    annotation.value = expressions.Compile(v.Get("valueExpression").AsString(), true,
                                           {cel::StringType(), cel::NullType()});
    annotations.push_back(std::move(annotation));
  }
}

PolicyBinding::PolicyBinding(const api::Object& stored)
    : name(stored.name()),
      param_ref(stored.spec().Get("paramRef")),
      actions(stored.spec().Get("validationActions")) {
  if (!stored.spec().Get("matchResources").is_null())
    match.emplace(stored.spec().Get("matchResources"));
}

PolicySource::PolicySource(const PluginContext& context)
    : context_(context),
      policies_(*context.kinds.ByResource(kPolicyGroup, "validatingadmissionpolicies")),
      bindings_(*context.kinds.ByResource(kPolicyGroup, "validatingadmissionpolicybindings")),
      namespaces_(*context.kinds.ByResource("", "namespaces")) {}

bool PolicySource::MayHavePolicies() const { return context_.shared.policies_stored; }

bool PolicySource::ready() const {
  if (synced_) return true;
  for (const api::ResourceInfo* r : {&policies_, &bindings_, &namespaces_}) {
    Cacher* const cacher = context_.resources.FindCacher(*r);
    if (cacher == nullptr || !cacher->ready().ready()) return false;
  }
  synced_ = true;
  return true;
}

sim::Task<bool> PolicySource::WaitReady() {
  const VirtualTime deadline = context_.process.SteadyNow() + kPolicyReadyTimeout;
  for (const api::ResourceInfo* r : {&policies_, &bindings_, &namespaces_}) {
    Cacher* const cacher = context_.resources.StorageFor(*r).cacher();
    if (cacher == nullptr) co_return false;
    const bool ready = co_await cacher->ready().WaitUntil(deadline);
    if (!ready) co_return false;
  }
  co_return true;
}

std::vector<api::Object> PolicySource::Known(const api::ResourceInfo& r) const {
  const Cacher* const cacher = context_.resources.FindCacher(r);
  return cacher == nullptr ? std::vector<api::Object>() : cacher->cache().List("", "");
}

// A policy that is as it was is not compiled again.
std::shared_ptr<const Policy> PolicySource::Compiled(const api::Object& stored) {
  if (known_ != nullptr) {
    const std::pair<std::string, std::int64_t> version(stored.name(), stored.resource_version());
    const bool same = std::find(read_.begin(), read_.end(), version) != read_.end();
    for (const BoundPolicy& bound : *known_)
      if (same && bound.policy->name == stored.name()) return bound.policy;
  }
  return std::make_shared<const Policy>(stored, context_.shared.compat);
}

BoundPolicies PolicySource::Get() {
  const std::vector<api::Object> policies = Known(policies_);
  const std::vector<api::Object> bindings = Known(bindings_);
  std::vector<std::pair<std::string, std::int64_t>> versions;
  for (const api::Object& p : policies) versions.emplace_back(p.name(), p.resource_version());
  for (const api::Object& b : bindings) versions.emplace_back(b.name(), b.resource_version());
  if (known_ != nullptr && versions == read_) return known_;
  auto known = std::make_shared<std::vector<BoundPolicy>>();
  for (const api::Object& p : policies) {
    BoundPolicy bound;
    for (const api::Object& b : bindings)
      if (b.spec().Get("policyName").AsString() == p.name()) bound.bindings.emplace_back(b);
    if (bound.bindings.empty()) continue;
    bound.policy = Compiled(p);
    known->push_back(std::move(bound));
  }
  known_ = std::move(known);
  read_ = std::move(versions);
  return known_;
}

}  // namespace ksim::apiserver
