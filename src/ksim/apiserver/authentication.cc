#include "ksim/apiserver/authentication.h"

#include <fmt/format.h>

namespace ksim::apiserver {

User Authenticate(const api::Request& request) {
  User user;
  user.name = request.user;
  if (user.name.empty()) {
    user.name = "system:anonymous";
    user.groups = {"system:unauthenticated"};
    return user;
  }
  constexpr std::string_view kServiceAccount = "system:serviceaccount:";
  if (user.name.starts_with(kServiceAccount)) {
    const std::string rest = user.name.substr(kServiceAccount.size());
    user.groups = {"system:serviceaccounts",
                   "system:serviceaccounts:" + rest.substr(0, rest.find(':'))};
  } else if (user.name.starts_with("system:node:")) {
    user.groups = {"system:nodes"};
  } else if (user.name == "system:apiserver" || user.name == "system:admin") {
    user.groups = {"system:masters"};
  }
  user.groups.push_back("system:authenticated");
  return user;
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
