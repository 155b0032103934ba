#include "ksim/apiserver/rbac/rule_resolver.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "ksim/api/core/go_text.h"
#include "ksim/apiserver/rbac/policy_rule.h"

namespace ksim::apiserver::rbac {
namespace {

using value::Value;

constexpr std::string_view kRolesGroup = "rbac.authorization.k8s.io";

CacheDelegator& StorageOf(const api::Kinds& kinds, Resources& resources, std::string_view name) {
  return resources.StorageFor(*kinds.ByResource(kRolesGroup, name));
}

// A lister says the resource in the singular (client-go listers/rbac/v1).
api::Result<api::Object> Found(api::Object object, const char* singular, std::string_view name) {
  if (object.empty())
    return api::NotFound(api::GroupResource(std::string(kRolesGroup), singular), name);
  return object;
}

// appliesToUser.
bool AppliesTo(const Value& subject, const User& user, std::string_view ns) {
  const std::string_view kind = subject.Get("kind").AsString();
  const std::string_view name = subject.Get("name").AsString();
  if (kind == "User") return user.name == name;
  if (kind == "Group")
    return std::find(user.groups.begin(), user.groups.end(), name) != user.groups.end();
  if (kind != "ServiceAccount") return false;
  std::string_view of = subject.Get("namespace").AsString();
  if (of.empty()) of = ns;
  return !of.empty() && user.name == fmt::format("system:serviceaccount:{}:{}", of, name);
}

const Value* FirstSubjectOf(const api::Object& binding, const User& user, std::string_view ns) {
  for (const Value& subject : binding.tree().Get("subjects").items())
    if (AppliesTo(subject, user, ns)) return &subject;
  return nullptr;
}

// False: the visitor has seen enough.
bool VisitBindings(const RoleSource& source, const std::vector<api::Object>& bindings,
                   const User& user, std::string_view ns, const RuleVisitor& visit,
                   std::vector<std::string>* errors) {
  for (const api::Object& binding : bindings) {
    const Value* const subject = FirstSubjectOf(binding, user, ns);
    if (subject == nullptr) continue;
    const auto rules = RulesOfReference(source, binding.tree().Get("roleRef"), ns);
    if (!rules.ok()) {
      errors->emplace_back(rules.status().message.view());
      continue;
    }
    for (const PolicyRule& rule : *rules)
      if (!visit(binding, *subject, rule)) return false;
  }
  return true;
}

}  // namespace

CachedRoles::CachedRoles(const api::Kinds& kinds, Resources& resources)
    : roles_(StorageOf(kinds, resources, "roles")),
      cluster_roles_(StorageOf(kinds, resources, "clusterroles")),
      role_bindings_(StorageOf(kinds, resources, "rolebindings")),
      cluster_role_bindings_(StorageOf(kinds, resources, "clusterrolebindings")) {}

api::Result<api::Object> CachedRoles::Role(std::string_view ns, std::string_view name) const {
  return Found(roles_.Suggestion(ns, name), "role", name);
}

api::Result<api::Object> CachedRoles::ClusterRole(std::string_view name) const {
  return Found(cluster_roles_.Suggestion("", name), "clusterrole", name);
}

std::vector<api::Object> CachedRoles::RoleBindings(std::string_view ns) const {
  return role_bindings_.cacher()->cache().List(fmt::format("{}/", ns), "");
}

std::vector<api::Object> CachedRoles::ClusterRoleBindings() const {
  return cluster_role_bindings_.cacher()->cache().List("", "");
}

void VisitRulesFor(const RoleSource& source, const User& user, std::string_view ns,
                   const RuleVisitor& visit, std::vector<std::string>* errors) {
  if (!VisitBindings(source, source.ClusterRoleBindings(), user, "", visit, errors)) return;
  if (!ns.empty()) VisitBindings(source, source.RoleBindings(ns), user, ns, visit, errors);
}

std::vector<PolicyRule> RulesFor(const RoleSource& source, const User& user, std::string_view ns,
                                 std::vector<std::string>* errors) {
  std::vector<PolicyRule> rules;
  const auto keep = [&rules](const api::Object&, const Value&, const PolicyRule& rule) {
    rules.push_back(rule);
    return true;
  };
  VisitRulesFor(source, user, ns, keep, errors);
  return rules;
}

api::Result<std::vector<PolicyRule>> RulesOfReference(const RoleSource& source,
                                                      const Value& role_ref, std::string_view ns) {
  const std::string_view kind = role_ref.Get("kind").AsString();
  const std::string_view name = role_ref.Get("name").AsString();
  if (kind != "Role" && kind != "ClusterRole")
    return api::InternalError(
        fmt::format("unsupported role reference kind: {}", api::GoQuote(kind)));
  const api::Result<api::Object> role =
      kind == "Role" ? source.Role(ns, name) : source.ClusterRole(name);
  if (!role.ok()) return role.status();
  return RulesIn(role->tree());
}

// clusterRoleBindingDescriber, roleBindingDescriber: the name stands before the namespace.
std::string DescribeBinding(const api::Object& binding, const Value& subject) {
  const std::string ns(binding.ns());
  const Value& ref = binding.tree().Get("roleRef");
  std::string name(binding.name());
  if (!ns.empty()) name += "/" + ns;
  std::string whom(subject.Get("name").AsString());
  if (subject.Get("kind").AsString() == "ServiceAccount") {
    const std::string_view of = subject.Get("namespace").AsString();
    whom += fmt::format("/{}", of.empty() ? std::string_view(ns) : of);
  }
  return fmt::format("{} {} of {} {} to {} {}", ns.empty() ? "ClusterRoleBinding" : "RoleBinding",
                     api::GoQuote(name), ref.Get("kind").AsString(),
                     api::GoQuote(ref.Get("name").AsString()), subject.Get("kind").AsString(),
                     api::GoQuote(whom));
}

std::string AggregateText(const std::vector<std::string>& errors) {
  std::vector<std::string> once;
  for (const std::string& error : errors)
    if (std::find(once.begin(), once.end(), error) == once.end()) once.push_back(error);
  if (once.size() == 1) return once.front();
  return once.empty() ? std::string() : fmt::format("[{}]", fmt::join(once, ", "));
}

}  // namespace ksim::apiserver::rbac
