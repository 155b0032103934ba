// The roles and bindings that a server with RBAC makes at its start. bootstrap_policy.txt has those
// of all versions; tools/rbac-policy makes it from upstream's sources.
//
// Source: plugin/pkg/auth/authorizer/rbac/bootstrappolicy.
#pragma once
#include <string_view>
#include <vector>

#include "ksim/apiserver/core/access.h"
#include "ksim/apiserver/core/profile.h"
#include "ksim/value/value.h"

namespace ksim::apiserver::rbac {

extern const std::string_view kBootstrapPolicy;

// In the order in which they are made. With those that kubeadm adds for its administrators.
std::vector<value::Value> BootstrapPolicy(const Profile& profile);

// The rules that the Node authorizer judges kubelets by: those of the ClusterRole system:node.
std::vector<PolicyRule> NodeRules(const Profile& profile);

// The group of kubernetes-admin.
std::string_view AdminGroup(const Profile& profile);

}  // namespace ksim::apiserver::rbac
