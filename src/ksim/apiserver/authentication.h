// Who asks.
//
// Source: apiserver pkg/authentication.
#pragma once
#include <string>
#include <vector>

#include "ksim/api/request.h"

namespace ksim::apiserver {

struct User {
  User() = default;
  std::string name;
  std::vector<std::string> groups;
};

// The user that the request's credentials stand for. Nobody is system:anonymous; service accounts
// are in their groups, all others in system:authenticated; system:apiserver and system:admin are in
// system:masters too (API-136).
User Authenticate(const api::Request& request);

}  // namespace ksim::apiserver
