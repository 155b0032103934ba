// Who asks.
//
// Source: apiserver pkg/authentication.
#pragma once
#include <memory>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "ksim/api/request.h"
#include "ksim/apiserver/core/user.h"
#include "ksim/base/hash.h"

namespace ksim::apiserver {

// The user that the request's credentials stand for. Nobody is system:anonymous; service accounts
// are in their groups, all others in system:authenticated; system:apiserver and system:admin are in
// system:masters too (API-136).
User Authenticate(const api::Request& request);

// The same for who asks again and again: what a name stands for never changes.
class Authenticator {
 public:
  // Good for the life of the authenticator.
  const User& Authenticate(const api::Request& request);

 private:
  // By the names they go by in requests, which are views of their own. Look-ups only.
  absl::flat_hash_map<std::string_view, std::unique_ptr<const User>, TextHash> users_;
};

}  // namespace ksim::apiserver
