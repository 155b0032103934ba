#include "ksim/apiserver/admission/webhook/matching.h"

#include <algorithm>
#include <utility>

#include "ksim/api/core/kind_service.h"
#include "ksim/apiserver/admission/webhook/conditions.h"
#include "ksim/apiserver/admission/webhook/dispatcher.h"
#include "ksim/apiserver/admission/webhook/review.h"
#include "ksim/apiserver/cacher/resources.h"
#include "ksim/apiserver/filters/authorization.h"
#include "ksim/apiserver/server.h"

namespace ksim::apiserver {
namespace {

using value::Path;
using value::Value;

bool IsNamespaces(const api::ResourceInfo& r) {
  return r.group.empty() && r.resource == "namespaces";
}

bool HasOrAny(const std::vector<std::string>& items, std::string_view wanted) {
  return std::any_of(items.begin(), items.end(),
                     [&](const std::string& item) { return item == "*" || item == wanted; });
}

std::string_view Word(Operation operation) {
  switch (operation) {
    case Operation::kCreate:
      return "CREATE";
    case Operation::kUpdate:
      return "UPDATE";
    case Operation::kDelete:
      return "DELETE";
  }
  return "";
}

bool MatchesScope(const HookRule& rule, const Attributes& a, const api::ResourceInfo& r) {
  if (rule.scope.empty() || rule.scope == "*") return true;
  const bool of_cluster = IsNamespaces(r) || a.ns.empty();
  if (rule.scope == "Cluster") return of_cluster;
  return rule.scope == "Namespaced" && !of_cluster;
}

bool MatchesResource(const HookRule& rule, const Attributes& a, const api::ResourceInfo& r) {
  return std::any_of(rule.resources.begin(), rule.resources.end(), [&](std::string_view text) {
    const std::size_t slash = std::min(text.find('/'), text.size());
    const std::string_view resource = text.substr(0, slash);
    const std::string_view sub = slash == text.size() ? "" : text.substr(slash + 1);
    return (resource == "*" || resource == r.resource) && (sub == "*" || a.subresource == sub);
  });
}

const Value& LabelsOf(const Value& object) {
  static const Path kLabels{"metadata", "labels"};
  return object.Get(kLabels);
}

bool MatchesObject(const value::LabelSelector& selector, const Value& object) {
  return object.is_object() && selector.Matches(LabelsOf(object));
}

}  // namespace

bool Matches(const HookRule& rule, const Attributes& a, const api::ResourceInfo& r) {
  return MatchesScope(rule, a, r) && HasOrAny(rule.operations, Word(a.operation)) &&
         HasOrAny(rule.groups, r.group) && HasOrAny(rule.versions, r.version) &&
         MatchesResource(rule, a, r);
}

bool IsExempt(const api::ResourceInfo& r) {
  if (r.group != "admissionregistration.k8s.io") return false;
  return r.kind.ends_with("WebhookConfiguration") || r.kind.ends_with("AdmissionPolicy") ||
         r.kind.ends_with("AdmissionPolicyBinding");
}

std::vector<const api::ResourceInfo*> EquivalentsOf(const api::ResourceInfo& r,
                                                    const api::Kinds& kinds, api::Compat compat) {
  std::vector<const api::ResourceInfo*> equivalents;
  const std::string root = api::StorageKey(r, "", "");
  for (const api::ResourceInfo* other : kinds.all()) {
    if (other != &r && api::IsServed(*other, compat) && api::StorageKey(*other, "", "") == root)
      equivalents.push_back(other);
  }
  return equivalents;
}

Invocation HookMatcher::MatchRules(const Hook& hook, const Attributes& a) const {
  Invocation invocation;
  invocation.resource = &a.resource;
  for (const HookRule& rule : hook.rules) {
    if (!Matches(rule, a, a.resource)) continue;
    invocation.hook = &hook;
    return invocation;
  }
  if (!hook.equivalent) return invocation;
  const auto equivalents = EquivalentsOf(a.resource, context_.kinds, context_.shared.compat);
  // Earlier rules count first.
  for (const HookRule& rule : hook.rules) {
    for (const api::ResourceInfo* other : equivalents) {
      if (!Matches(rule, a, *other)) continue;
      invocation.hook = &hook;
      invocation.resource = other;
      return invocation;
    }
  }
  return invocation;
}

// GetNamespaceLabels
sim::Task<api::Result<Value>> HookMatcher::NamespaceLabels(const Attributes& a) {
  const bool is_namespace = IsNamespaces(a.resource);
  if (is_namespace && a.subresource.empty() && a.operation != Operation::kDelete)
    co_return LabelsOf(a.object);
  const SharedText name = is_namespace ? a.name : a.ns;
  const api::Result<Value> space = co_await NamespaceOf(name);
  if (!space.ok()) co_return space.status();
  co_return LabelsOf(*space);
}

sim::Task<api::Result<Value>> HookMatcher::NamespaceOf(SharedText name) {
  CacheDelegator& namespaces =
      context_.resources.StorageFor(*context_.kinds.ByResource("", "namespaces"));
  const api::Object found = namespaces.Suggestion("", name);
  if (!found.empty()) co_return found.tree();
  // The cache may be late.
  api::Result<api::Object> live = co_await namespaces.storage().Get("", name, 0);
  if (live.ok()) co_return live->tree();
  if (api::IsNotFound(live.status())) co_return live.status();
  co_return api::InternalError(live.status().message);
}

sim::Task<api::Result<bool>> HookMatcher::MatchSelectors(const value::LabelSelector& namespaces,
                                                         const value::LabelSelector& objects,
                                                         const Attributes& a) {
  const bool by_object =
      objects.empty() || MatchesObject(objects, a.object) || MatchesObject(objects, a.old);
  if (!by_object) co_return false;
  const bool any_namespace = namespaces.empty() || (a.ns.empty() && !IsNamespaces(a.resource));
  if (any_namespace) co_return true;
  const api::Result<Value> labels = co_await NamespaceLabels(a);
  if (!labels.ok()) co_return labels.status();
  co_return namespaces.Matches(*labels);
}

ConditionsResult HookMatcher::JudgeHook(const Hook& hook, const Attributes& a,
                                        const api::ResourceInfo& at) const {
  cel::AdmissionInput input;
  input.object = cel::FromTree(ShownToHook(context_, a.object, a.object_version, false, a, at));
  input.old_object = cel::FromTree(ShownToHook(context_, a.old, a.old_version, true, a, at));
  input.request = cel::FromTree(ReviewedRequest(a, at));
  AddAuthorizer(context_.authorizer, a, &input);
  return JudgeConditions(hook.conditions->expressions, hook.conditions->programs,
                         hook.ignores_failures, input);
}

sim::Task<api::Result<Invocation>> HookMatcher::Match(const Hook& hook, const Attributes& a) {
  // Whatever else is wrong, a webhook that no rule sends the request to is not asked.
  Invocation invocation = MatchRules(hook, a);
  if (invocation.hook == nullptr) co_return invocation;
  if (!hook.bad_selector.empty()) co_return api::InternalError(hook.bad_selector);
  const api::Result<bool> selected = co_await MatchSelectors(hook.namespaces, hook.objects, a);
  if (!selected.ok()) co_return selected.status();
  if (!*selected) invocation.hook = nullptr;
  if (!*selected) co_return invocation;
  if (NeedsConversionToShow(a, *invocation.resource)) {
    const api::Status shown = co_await ConvertToShow(context_, a, *invocation.resource);
    if (!shown.ok()) co_return shown;
  }
  if (hook.conditions == nullptr) co_return invocation;
  const ConditionsResult conditions = JudgeHook(hook, a, *invocation.resource);
  if (!conditions.error.empty()) co_return AdmissionForbidden(a, conditions.error);
  if (!conditions.match) invocation.hook = nullptr;
  co_return invocation;
}

}  // namespace ksim::apiserver
