// User: the client that a request comes from, as the authenticator has established it.
//
// Source: apiserver pkg/authentication/user/user.go.
#pragma once
#include <string>
#include <vector>

namespace ksim::apiserver {

struct User {
  User() = default;
  std::string name;
  std::vector<std::string> groups;
};

}  // namespace ksim::apiserver
