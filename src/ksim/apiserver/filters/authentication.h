// Authentication: finds the user that a request comes from.
//
// Source: apiserver pkg/authentication.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ksim/api/request.h"
#include "ksim/apiserver/core/profile.h"
#include "ksim/apiserver/core/user.h"
#include "ksim/apiserver/policy.h"
#include "ksim/base/hash.h"

namespace ksim::apiserver {

// The user of the request's credentials; without any it is system:anonymous. Service accounts are
// in their groups, and all users with credentials in system:authenticated; system:apiserver and
// system:admin are in system:masters too (API-136). Groups that the credentials name stand in place
// of those (API-180).
User Authenticate(const api::Request& request);

// The groups that credentials of a cluster with RBAC name besides: those of kubernetes-admin, as
// kubeadm makes them, and system:masters of the policy's masters. Without RBAC nobody asks.
class CredentialGroups {
 public:
  CredentialGroups(const RequestPolicy& policy, const Profile& profile);
  User Authenticate(const api::Request& request) const;

 private:
  bool rbac_;
  std::vector<std::string> masters_;
  std::string admins_;
};

// Authenticates and remembers the result by name and groups, for their user never changes.
class Authenticator {
 public:
  explicit Authenticator(CredentialGroups groups = CredentialGroups(RequestPolicy(), Profile()))
      : groups_(std::move(groups)) {}
  // The result lives as long as the authenticator.
  const User& Authenticate(const api::Request& request);

 private:
  const User& InGroups(const api::Request& request);

  CredentialGroups groups_;
  // By the names in requests. The keys are views of the users' own names. Look-ups only.
  absl::flat_hash_map<std::string_view, std::unique_ptr<const User>, TextHash> users_;
  // Users whose credentials name their groups, by both.
  std::map<std::string, std::unique_ptr<const User>> in_groups_;
};

}  // namespace ksim::apiserver
