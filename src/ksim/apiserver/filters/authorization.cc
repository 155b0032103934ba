#include "ksim/apiserver/filters/authorization.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace ksim::apiserver {
namespace {

bool MatchesUser(std::string_view rule, const User& user) {
  return rule.empty() || rule == user.name ||
         std::find(user.groups.begin(), user.groups.end(), rule) != user.groups.end();
}

// Matches a resource as RBAC names it: pods is not pods/status, pods/* is every subresource.
bool MatchesResource(std::string_view rule, const Access& a) {
  if (rule.empty() || rule == "*") return true;
  const std::size_t slash = rule.find('/');
  const std::string_view resource = rule.substr(0, slash);
  const std::string_view sub = slash == std::string_view::npos ? "" : rule.substr(slash + 1);
  if (resource != "*" && resource != a.resource &&
      resource != api::GroupResource(a.group, a.resource).ToString())
    return false;
  return sub == "*" ? !a.subresource.empty() : sub == a.subresource;
}

bool Matches(const DenyRule& rule, const User& user, const Access& a) {
  return MatchesUser(rule.user, user) &&
         (rule.verb.empty() || rule.verb == "*" || rule.verb == a.verb) &&
         MatchesResource(rule.resource, a) && (rule.ns.empty() || rule.ns == a.ns) &&
         (rule.name.empty() || rule.name == a.name);
}

bool Denies(const std::vector<DenyRule>& rules, const User& user, const Access& a) {
  return std::any_of(rules.begin(), rules.end(),
                     [&](const DenyRule& rule) { return Matches(rule, user, a); });
}

Decision Denied() {
  Decision decision;
  decision.denied = true;
  return decision;
}

// A rule of a scenario may name an object that is created, which upstream's authorizers do not
// know yet, and means the namespace of objects alone.
Access AccessAsDenied(const api::Request& request) {
  Access access = AccessOf(request);
  access.name = request.name.view();
  access.ns = request.ns.view();
  return access;
}

}  // namespace

Authorizer::Authorizer(const RequestPolicy& policy, const api::Kinds& kinds, Resources& resources,
                       const Profile& profile)
    : deny_(policy.deny), groups_(policy, profile) {
  if (policy.rbac) roles_.emplace(kinds, resources, profile);
}

// Most clusters deny nothing and have no roles: then nothing needs to be read of the request.
Decision Authorizer::Authorize(const User& user, const api::Request& request) const {
  if (!deny_.empty() && Denies(deny_, user, AccessAsDenied(request))) return Denied();
  return has_roles() ? AuthorizeByRoles(user, AccessOf(request)) : Decision(true, "");
}

Decision Authorizer::Authorize(const User& user, const Access& access) const {
  if (access.of_resource() && Denies(deny_, user, access)) return Denied();
  return AuthorizeByRoles(user, access);
}

Decision Authorizer::AuthorizeByRoles(const User& user, const Access& access) const {
  return has_roles() ? roles_->Authorize(user, access) : Decision(true, "");
}

// Rules that allow cannot say what is denied: then they are incomplete, as those of an authorizer
// that cannot list its rules.
KnownRules Authorizer::RulesFor(const User& user, std::string_view ns) const {
  KnownRules known;
  if (has_roles()) {
    known = roles_->RulesFor(user, ns);
  } else {
    PolicyRule resources, paths;
    resources.verbs = resources.groups = resources.resources = {"*"};
    paths.verbs = paths.urls = {"*"};
    known.rules = {resources, paths};
  }
  known.incomplete = known.incomplete || !deny_.empty();
  return known;
}

User Authorizer::UserOf(const api::Request& request) const { return groups_.Authenticate(request); }

api::Status NotAuthorized(const User& user, const api::Request& request, std::string_view reason) {
  return NotAuthorized(user, AccessOf(request), reason);
}

}  // namespace ksim::apiserver
