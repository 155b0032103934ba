// Claims of a StatefulSet's pods have owners: by the retention policy nobody (Retain), the set, or
// the pod once it is scaled away, so that the garbage collector deletes the claim with its owner.
//
// Source: pkg/controller/statefulset/stateful_set_utils.go isClaimOwnerUpToDate,
// updateClaimOwnerRefForSetAndPod, hasUnexpectedController, hasStaleOwnerRef.
#pragma once
#include "ksim/api/object.h"
#include "ksim/controllers/common/profile.h"

namespace ksim::controllers {

// A claim with the set and the pod that it is of.
struct OwnedClaim {
  OwnedClaim(api::Object c, api::Object s, api::Object p)
      : claim(std::move(c)), set(std::move(s)), pod(std::move(p)) {}
  api::Object claim, set, pod;
};

bool DeletesClaimsWhenScaled(const api::Object& set);
// A reference names the pod, and another uid: the claim belongs to a pod that was there before.
bool HasStalePodReference(const OwnedClaim& of);
// Somebody else controls the claim, and the policy is not Retain throughout.
bool HasUnexpectedController(const OwnedClaim& of);
// The owners are as the policy says, or such that nobody should touch them.
bool ClaimOwnersUpToDate(const OwnedClaim& of, const Profile& profile);
// The claim with the owners that the policy says.
api::Object WithClaimOwners(const OwnedClaim& of, const Profile& profile);

}  // namespace ksim::controllers
