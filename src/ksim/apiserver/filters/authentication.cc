#include "ksim/apiserver/filters/authentication.h"

#include <string_view>
#include <utility>

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

const User& Authenticator::Authenticate(const api::Request& request) {
  const auto known = users_.find(request.user.view());
  if (known != users_.end()) return *known->second;
  auto user = std::make_unique<const User>(apiserver::Authenticate(request));
  const std::string_view asked = request.user.empty() ? std::string_view() : user->name;
  return *users_.emplace(asked, std::move(user)).first->second;
}

}  // namespace ksim::apiserver
