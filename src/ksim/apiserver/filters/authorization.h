// Authorization: decides whether the user may do what the request asks for.
//
// Sources: apiserver pkg/authorization/authorizer/interfaces.go,
// endpoints/handlers/responsewriters errors.go ForbiddenStatusError.
#pragma once
#include <utility>
#include <vector>

#include "ksim/api/request.h"
#include "ksim/api/status.h"
#include "ksim/apiserver/core/user.h"
#include "ksim/apiserver/policy.h"

namespace ksim::apiserver {

// Allows every user everything but what a rule denies.
class Authorizer {
 public:
  explicit Authorizer(std::vector<DenyRule> deny) : deny_(std::move(deny)) {}
  bool Allows(const User& user, const api::Request& request) const;
  bool HasRules() const { return !deny_.empty(); }

 private:
  std::vector<DenyRule> deny_;
};

// 403, with upstream's text (API-137).
api::Status NotAuthorized(const User& user, const api::Request& request);

}  // namespace ksim::apiserver
