// Who asks, and whether they may.
//
// Sources: apiserver pkg/authentication, pkg/authorization, endpoints/handlers/responsewriters
// errors.go ForbiddenStatusError.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/request.h"
#include "ksim/api/status.h"

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

class Authorizer {
 public:
  virtual ~Authorizer() = default;
  virtual bool Allows(const User& user, const api::Request& request) = 0;
};

// Everybody may do everything.
class AllowAll final : public Authorizer {
 public:
  bool Allows(const User&, const api::Request&) override { return true; }
};

// 403 with upstream's text (API-137).
api::Status NotAuthorized(const User& user, const api::Request& request);

}  // namespace ksim::apiserver
