#include "ksim/apiserver/rbac/authorizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "ksim/apiserver/rbac/bootstrap_policy.h"
#include "ksim/apiserver/rbac/policy_rule.h"

namespace ksim::apiserver::rbac {
namespace {

bool IsIn(const User& user, std::string_view group) {
  return std::find(user.groups.begin(), user.groups.end(), group) != user.groups.end();
}

// authorizeLease.
Decision AuthorizeLease(std::string_view node, const Access& a) {
  constexpr std::string_view kVerbs[] = {"get", "create", "update", "patch", "delete"};
  if (std::find(std::begin(kVerbs), std::end(kVerbs), a.verb) == std::end(kVerbs))
    return {false, "can only get, create, update, patch, or delete a node lease"};
  if (a.ns != "kube-node-lease")
    return {false, "can only access leases in the \"kube-node-lease\" system namespace"};
  if (a.verb != "create" && a.name != node)
    return {false, "can only access node lease with the same name as the requesting node"};
  return {true, ""};
}

}  // namespace

bool IsMaster(const User& user) { return IsIn(user, "system:masters"); }

NodeAndRbacAuthorizer::NodeAndRbacAuthorizer(const api::Kinds& kinds, Resources& resources,
                                             const Profile& profile)
    : roles_(kinds, resources), node_rules_(NodeRules(profile)) {}

Decision NodeAndRbacAuthorizer::Authorize(const User& user, const Access& access) const {
  if (IsMaster(user)) return {true, ""};
  const Decision node = AuthorizeNode(user, access);
  if (node.allowed) return node;
  Decision roles = AuthorizeByRoles(user, access);
  if (roles.allowed || node.reason.empty()) return roles;
  return {false,
          roles.reason.empty() ? node.reason : fmt::format("{}\n{}", node.reason, roles.reason)};
}

// Which objects belong to the pods of a node is not asked (docs/fidelity.md).
Decision NodeAndRbacAuthorizer::AuthorizeNode(const User& user, const Access& access) const {
  const std::optional<std::string_view> node = NodeIdentity(user);
  if (!node) return {};
  if (access.group == "coordination.k8s.io" && access.resource == "leases")
    return AuthorizeLease(*node, access);
  return {RulesAllow(node_rules_, access), ""};
}

Decision NodeAndRbacAuthorizer::AuthorizeByRoles(const User& user, const Access& access) const {
  Decision decision;
  std::vector<std::string> errors;
  const auto visit = [&](const api::Object& binding, const value::Value& subject,
                         const PolicyRule& rule) {
    decision.allowed = RuleAllows(rule, access);
    if (decision.allowed)
      decision.reason = fmt::format("RBAC: allowed by {}", DescribeBinding(binding, subject));
    return !decision.allowed;
  };
  VisitRulesFor(roles_, user, access.ns, visit, &errors);
  if (!decision.allowed && !errors.empty())
    decision.reason = fmt::format("RBAC: {}", AggregateText(errors));
  return decision;
}

KnownRules NodeAndRbacAuthorizer::RulesFor(const User& user, std::string_view ns) const {
  KnownRules known;
  std::vector<std::string> errors;
  if (NodeIdentity(user)) {
    known.incomplete = true;
    errors.emplace_back("node authorizer does not support user rule resolution");
  }
  known.rules = rbac::RulesFor(roles_, user, ns, &errors);
  known.error = AggregateText(errors);
  return known;
}

}  // namespace ksim::apiserver::rbac
