// RuleResolver: finds the rules that apply to a user, through the bindings that name it.
//
// Source: pkg/registry/rbac/validation/rule.go.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/api/status.h"
#include "ksim/apiserver/cacher/resources.h"
#include "ksim/apiserver/core/access.h"
#include "ksim/apiserver/core/user.h"

namespace ksim::apiserver::rbac {

// The roles and bindings of a cluster.
class RoleSource {
 public:
  virtual ~RoleSource() = default;
  // 404 if there is none; its text goes into refusals.
  virtual api::Result<api::Object> Role(std::string_view ns, std::string_view name) const = 0;
  virtual api::Result<api::Object> ClusterRole(std::string_view name) const = 0;
  // In the order of their names.
  virtual std::vector<api::Object> RoleBindings(std::string_view ns) const = 0;
  virtual std::vector<api::Object> ClusterRoleBindings() const = 0;
};

// Those of the watch caches, which may be behind.
class CachedRoles final : public RoleSource {
 public:
  CachedRoles(const api::Kinds& kinds, Resources& resources);
  api::Result<api::Object> Role(std::string_view ns, std::string_view name) const override;
  api::Result<api::Object> ClusterRole(std::string_view name) const override;
  std::vector<api::Object> RoleBindings(std::string_view ns) const override;
  std::vector<api::Object> ClusterRoleBindings() const override;

 private:
  CacheDelegator& roles_;
  CacheDelegator& cluster_roles_;
  CacheDelegator& role_bindings_;
  CacheDelegator& cluster_role_bindings_;
};

// Called with each rule that applies, and the binding and the subject that say so; false ends it.
using RuleVisitor =
    std::function<bool(const api::Object& binding, const value::Value& subject, const PolicyRule&)>;

// VisitRulesFor. With an empty `ns` only what is granted in the whole cluster. Roles that do not
// exist are told in `errors`.
void VisitRulesFor(const RoleSource& source, const User& user, std::string_view ns,
                   const RuleVisitor& visit, std::vector<std::string>* errors);
std::vector<PolicyRule> RulesFor(const RoleSource& source, const User& user, std::string_view ns,
                                 std::vector<std::string>* errors);
// GetRoleReferenceRules. `ns` is that of the binding, "" of one of the cluster.
api::Result<std::vector<PolicyRule>> RulesOfReference(const RoleSource& source,
                                                      const value::Value& role_ref,
                                                      std::string_view ns);

// ClusterRoleBinding "admins" of ClusterRole "admin" to Group "ops"
std::string DescribeBinding(const api::Object& binding, const value::Value& subject);

// The text of errors.NewAggregate: each once.
std::string AggregateText(const std::vector<std::string>& errors);

}  // namespace ksim::apiserver::rbac
