// The authorizers that kubeadm switches on (--authorization-mode=Node,RBAC), behind the one that
// lets system:masters do everything.
//
// Sources: apiserver pkg/server/config.go (superuserAuthorizer), pkg/authorization/union/union.go;
// plugin/pkg/auth/authorizer/{node/node_authorizer,rbac/rbac}.go.
#pragma once
#include <string>
#include <vector>

#include "ksim/apiserver/cacher/resources.h"
#include "ksim/apiserver/core/access.h"
#include "ksim/apiserver/core/profile.h"
#include "ksim/apiserver/rbac/rule_resolver.h"

namespace ksim::apiserver::rbac {

class NodeAndRbacAuthorizer {
 public:
  NodeAndRbacAuthorizer(const api::Kinds& kinds, Resources& resources, const Profile& profile);

  Decision Authorize(const User& user, const Access& access) const;
  KnownRules RulesFor(const User& user, std::string_view ns) const;

 private:
  Decision AuthorizeNode(const User& user, const Access& access) const;
  Decision AuthorizeByRoles(const User& user, const Access& access) const;

  CachedRoles roles_;
  std::vector<PolicyRule> node_rules_;
};

// In the group system:masters.
bool IsMaster(const User& user);

}  // namespace ksim::apiserver::rbac
