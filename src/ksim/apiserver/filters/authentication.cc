#include "ksim/apiserver/filters/authentication.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "ksim/apiserver/rbac/bootstrap_policy.h"

namespace ksim::apiserver {

User Authenticate(const api::Request& request) {
  User user;
  user.name = request.user;
  if (user.name.empty()) {
    user.name = "system:anonymous";
    user.groups = {"system:unauthenticated"};
    return user;
  }
  constexpr std::string_view kAuthenticated = "system:authenticated";
  if (!request.groups.empty()) {
    std::string_view rest = request.groups;
    for (std::size_t end = 0; end != rest.npos; rest.remove_prefix(end + 1)) {
      end = rest.find('\n');
      user.groups.emplace_back(rest.substr(0, end));
      if (end == rest.npos) break;
    }
    if (std::find(user.groups.begin(), user.groups.end(), kAuthenticated) == user.groups.end())
      user.groups.emplace_back(kAuthenticated);
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
  user.groups.emplace_back(kAuthenticated);
  return user;
}

CredentialGroups::CredentialGroups(const RequestPolicy& policy, const Profile& profile)
    : rbac_(policy.rbac), masters_(policy.masters), admins_(rbac::AdminGroup(profile)) {}

User CredentialGroups::Authenticate(const api::Request& request) const {
  User user = apiserver::Authenticate(request);
  if (!rbac_ || !request.groups.empty()) return user;
  const bool master = std::find(masters_.begin(), masters_.end(), user.name) != masters_.end();
  if (master)
    user.groups.insert(user.groups.begin(), "system:masters");
  else if (user.name == "kubernetes-admin")
    user.groups.insert(user.groups.begin(), admins_);
  return user;
}

const User& Authenticator::Authenticate(const api::Request& request) {
  if (!request.groups.empty()) return InGroups(request);
  const auto known = users_.find(request.user.view());
  if (known != users_.end()) return *known->second;
  auto user = std::make_unique<const User>(groups_.Authenticate(request));
  const std::string_view asked = request.user.empty() ? std::string_view() : user->name;
  return *users_.emplace(asked, std::move(user)).first->second;
}

const User& Authenticator::InGroups(const api::Request& request) {
  std::string key(request.user.view());
  key += '\n';
  key += request.groups.view();
  std::unique_ptr<const User>& user = in_groups_[key];
  if (user == nullptr) user = std::make_unique<const User>(groups_.Authenticate(request));
  return *user;
}

}  // namespace ksim::apiserver
