// User: the client that a request comes from, as the authenticator has established it.
//
// Sources: apiserver pkg/authentication/user/user.go; pkg/auth/nodeidentifier/default.go.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ksim::apiserver {

struct User {
  User() = default;
  std::string name;
  std::vector<std::string> groups;
};

// The node as whose kubelet the user asks; its name may be empty. nullopt: no kubelet.
std::optional<std::string_view> NodeIdentity(const User& user);

}  // namespace ksim::apiserver
