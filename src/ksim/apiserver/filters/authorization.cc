#include "ksim/apiserver/filters/authorization.h"

#include <fmt/format.h>

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
bool MatchesResource(std::string_view rule, const api::Request& request) {
  if (rule.empty() || rule == "*") return true;
  const std::size_t slash = rule.find('/');
  const std::string_view resource = rule.substr(0, slash);
  const std::string_view sub = slash == std::string_view::npos ? "" : rule.substr(slash + 1);
  const api::ResourceInfo& r = *request.resource;
  if (resource != "*" && resource != r.resource && resource != r.group_resource()) return false;
  return sub == "*" ? !request.subresource.empty() : sub == request.subresource;
}

bool Matches(const DenyRule& rule, const User& user, const api::Request& request) {
  return MatchesUser(rule.user, user) &&
         (rule.verb.empty() || rule.verb == "*" || rule.verb == api::ToString(request.verb)) &&
         MatchesResource(rule.resource, request) && (rule.ns.empty() || rule.ns == request.ns) &&
         (rule.name.empty() || rule.name == request.name);
}

}  // namespace

bool Authorizer::Allows(const User& user, const api::Request& request) const {
  return std::none_of(deny_.begin(), deny_.end(),
                      [&](const DenyRule& rule) { return Matches(rule, user, request); });
}

api::Status NotAuthorized(const User& user, const api::Request& request) {
  std::string resource = request.resource->resource;
  if (!request.subresource.empty()) resource += "/" + request.subresource;
  const std::string scope = request.ns.empty() ? std::string("at the cluster scope")
                                               : fmt::format("in the namespace \"{}\"", request.ns);
  const api::GroupResource gr(request.resource->group, request.resource->resource);
  return api::Forbidden(
      gr, request.name,
      fmt::format("User \"{}\" cannot {} resource \"{}\" in API group \"{}\" {}", user.name,
                  api::ToString(request.verb), resource, request.resource->group, scope));
}

}  // namespace ksim::apiserver
