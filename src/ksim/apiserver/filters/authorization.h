// Authorization: decides whether the user may do what the request asks for.
//
// Sources: apiserver pkg/authorization/authorizer/interfaces.go,
// endpoints/handlers/responsewriters errors.go ForbiddenStatusError.
#pragma once
#include <optional>
#include <vector>

#include "ksim/api/kinds.h"
#include "ksim/api/request.h"
#include "ksim/api/status.h"
#include "ksim/apiserver/cacher/resources.h"
#include "ksim/apiserver/core/access.h"
#include "ksim/apiserver/core/user.h"
#include "ksim/apiserver/filters/authentication.h"
#include "ksim/apiserver/policy.h"
#include "ksim/apiserver/rbac/authorizer.h"

namespace ksim::apiserver {

// Forbids what a rule denies. Without RBAC it allows every user everything else.
class Authorizer final : public AccessJudge {
 public:
  Authorizer(const RequestPolicy& policy, const api::Kinds& kinds, Resources& resources,
             const Profile& profile);

  Decision Authorize(const User& user, const api::Request& request) const;
  Decision Authorize(const User& user, const Access& access) const override;
  KnownRules RulesFor(const User& user, std::string_view ns) const override;
  User UserOf(const api::Request& request) const override;
  bool JudgesPaths() const override { return has_roles(); }
  bool has_roles() const { return roles_.has_value(); }

 private:
  Decision AuthorizeByRoles(const User& user, const Access& access) const;

  std::vector<DenyRule> deny_;
  CredentialGroups groups_;
  std::optional<rbac::NodeAndRbacAuthorizer> roles_;
};

// 403 to a request, with upstream's text (API-137).
api::Status NotAuthorized(const User& user, const api::Request& request,
                          std::string_view reason = {});

}  // namespace ksim::apiserver
