// Role escalation: nobody may write a role, or bind one, that allows more than he may do himself,
// unless he may `escalate` roles or `bind` this one. Upstream's registries of roles and bindings do
// this, behind all that changes an object and before its validation, as a plugin does here.
//
// Sources: pkg/registry/rbac/escalation_check.go,
// pkg/registry/rbac/{role,clusterrole,rolebinding,clusterrolebinding}/policybased/storage.go,
// pkg/registry/rbac/validation/rule.go ConfirmNoEscalation.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "ksim/api/core/go_text.h"
#include "ksim/apiserver/admission/plugin.h"
#include "ksim/apiserver/cacher/resources.h"
#include "ksim/apiserver/filters/authorization.h"
#include "ksim/apiserver/rbac/policy_rule.h"
#include "ksim/apiserver/rbac/rule_resolver.h"
#include "ksim/apiserver/server.h"

namespace ksim::apiserver {
namespace {

using value::Path;
using value::Value;

constexpr std::string_view kRoleGroup = "rbac.authorization.k8s.io";

// The roles and bindings as etcd has them: what a user holds must not depend on a cache.
class LiveRoles final : public rbac::RoleSource {
 public:
  std::vector<api::Object> cluster_roles, cluster_role_bindings, roles, role_bindings;

  api::Result<api::Object> Role(std::string_view ns, std::string_view name) const override {
    return Find(roles, "roles", ns, name);
  }
  api::Result<api::Object> ClusterRole(std::string_view name) const override {
    return Find(cluster_roles, "clusterroles", "", name);
  }
  std::vector<api::Object> RoleBindings(std::string_view) const override { return role_bindings; }
  std::vector<api::Object> ClusterRoleBindings() const override { return cluster_role_bindings; }

 private:
  static api::Result<api::Object> Find(const std::vector<api::Object>& all, const char* resource,
                                       std::string_view ns, std::string_view name) {
    for (const api::Object& object : all)
      if (object.ns() == ns && object.name() == name) return object;
    return api::NotFound(api::GroupResource(std::string(kRoleGroup), resource), name);
  }
};

bool IsBinding(const Attributes& a) { return a.resource.resource.ends_with("bindings"); }

// rbac.IsOnlyMutatingGCFields.
bool ChangesForCollectionAlone(const Attributes& a) {
  if (a.operation != Operation::kUpdate) return false;
  Value changed = a.object;
  for (const char* field : {"ownerReferences", "finalizers", "managedFields"}) {
    const Path path{"metadata", field};
    const Value* const old = a.old.Find(path);
    changed = old == nullptr ? changed.Erase(path) : changed.Set(path, *old);
  }
  return changed == a.old;
}

bool GathersRules(const Value& role) {
  return !role.Get("aggregationRule").Get("clusterRoleSelectors").empty();
}

std::vector<PolicyRule> FullAuthority() {
  PolicyRule resources, paths;
  resources.verbs = resources.groups = resources.resources = {"*"};
  paths.verbs = paths.urls = {"*"};
  return {resources, paths};
}

// ConfirmNoEscalation: empty if the user holds all of the rules.
std::string EscalationText(const rbac::RoleSource& source, const User& user, std::string_view ns,
                           const std::vector<PolicyRule>& rules) {
  std::vector<std::string> errors;
  const std::vector<PolicyRule> held = rbac::RulesFor(source, user, ns, &errors);
  const std::vector<PolicyRule> missing = rbac::NotCovered(held, rules);
  if (missing.empty()) return "";
  std::set<std::string> lines;
  for (const PolicyRule& rule : rbac::Compact(missing)) lines.insert(rbac::CompactString(rule));
  std::string text = fmt::format(
      "user {} (groups={}) is attempting to grant RBAC permissions not currently held:\n{}",
      api::GoQuote(user.name), rbac::QuotedList(user.groups), fmt::join(lines, "\n"));
  if (!errors.empty())
    text += fmt::format("; resolution errors: [{}]", rbac::AggregateText(errors));
  return text;
}

class RoleEscalation final : public Plugin {
 public:
  explicit RoleEscalation(const PluginContext& context) : context_(context) {}
  std::string_view name() const override { return "role escalation"; }
  bool Handles(const Attributes& a) const override {
    return a.operation != Operation::kDelete && a.resource.group == kRoleGroup &&
           a.subresource.empty() && a.user != nullptr && !rbac::IsMaster(*a.user);
  }

  sim::Task<api::Status> Admit(Attributes& a) override {
    if (!IsBinding(a) && MayEscalate(a)) co_return api::Status();
    if (ChangesForCollectionAlone(a)) co_return api::Status();
    if (IsBinding(a) && MayBind(a)) co_return api::Status();
    LiveRoles source;
    const api::Status loaded = co_await Load(a.ns.str(), &source);
    if (!loaded.ok()) co_return loaded;
    co_return Judge(source, a);
  }

 private:
  // RoleEscalationAuthorized.
  bool MayEscalate(const Attributes& a) const {
    Access access = AccessTo("escalate", a.resource.resource, a.ns);
    if (a.request != nullptr) access.name = AccessOf(a.request->request()).name;
    return context_.authorizer.Authorize(*a.user, access).allowed;
  }

  // BindingAuthorized.
  bool MayBind(const Attributes& a) const {
    const Value& ref = a.object.Get("roleRef");
    const std::string_view kind = ref.Get("kind").AsString();
    if (kind != "ClusterRole" && kind != "Role") return false;
    Access access = AccessTo("bind", kind == "Role" ? "roles" : "clusterroles", a.ns);
    access.group = ref.Get("apiGroup").AsString();
    access.name = ref.Get("name").AsString();
    return context_.authorizer.Authorize(*a.user, access).allowed;
  }

  static Access AccessTo(const char* verb, std::string_view resource, const SharedText& ns) {
    Access access;
    access.verb = verb;
    access.group = kRoleGroup;
    access.resource = resource;
    access.ns = ns.view();
    return access;
  }

  sim::Task<api::Status> Load(std::string ns, LiveRoles* source) {
    const std::pair<std::string_view, std::vector<api::Object>*> lists[] = {
        {"clusterroles", &source->cluster_roles},
        {"clusterrolebindings", &source->cluster_role_bindings},
        {"roles", &source->roles},
        {"rolebindings", &source->role_bindings}};
    for (const auto& [resource, objects] : lists) {
      const bool namespaced = !resource.starts_with("cluster");
      if (namespaced && ns.empty()) continue;
      CacheDelegator& storage =
          context_.resources.StorageFor(*context_.kinds.ByResource(kRoleGroup, resource));
      const api::Result<ListQuery> query =
          ListQuery::Make(storage.storage().resource(), namespaced ? ns : "", "",
                          api::ListOptions(), apiserver::ProfileOf(context_.shared.compat));
      if (!query.ok()) co_return query.status();
      api::Result<ListResult> live = co_await storage.storage().List(*query);
      if (!live.ok()) co_return live.status();
      *objects = std::move(live->items);
    }
    co_return api::Status();
  }

  static api::Status Judge(const LiveRoles& source, const Attributes& a) {
    std::vector<PolicyRule> rules = rbac::RulesIn(a.object);
    if (IsBinding(a)) {
      const auto bound = rbac::RulesOfReference(source, a.object.Get("roleRef"), a.ns);
      if (!bound.ok()) return bound.status();
      rules = *bound;
    }
    std::string refusal = EscalationText(source, *a.user, a.ns, rules);
    const bool gathers = GathersRules(a.object) || GathersRules(a.old);
    if (refusal.empty() && gathers &&
        !EscalationText(source, *a.user, a.ns, FullAuthority()).empty())
      refusal = "must have cluster-admin privileges to use the aggregationRule";
    if (refusal.empty()) return api::Status();
    return api::Forbidden(api::GroupResource(a.resource.group, a.resource.resource),
                          a.object.Get("metadata").Get("name").AsString(), refusal);
  }

  PluginContext context_;
};

}  // namespace

std::unique_ptr<Plugin> MakeRoleEscalation(const PluginContext& context) {
  return std::make_unique<RoleEscalation>(context);
}

}  // namespace ksim::apiserver
