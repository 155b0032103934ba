// Owners of a StatefulSet's claims, by upstream's table TestIsClaimOwnerUpToDate and its likes.
#include "ksim/controllers/statefulset/claim_ownership.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ksim/value/json.h"

namespace ksim::controllers {
namespace {

const Profile& kCurrent = ProfileOf(api::Compat::k1_36);

api::Object OwnershipObject(const std::string& json) {
  return api::Object::FromTree(*value::ParseJson(json));
}

api::Object SetWith(const std::string& scaled, const std::string& deleted) {
  return OwnershipObject(R"({"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"web",
    "uid":"u-set"},"spec":{"replicas":2,"persistentVolumeClaimRetentionPolicy":{"whenScaled":")" +
                         scaled + R"(","whenDeleted":")" + deleted + R"("}}})");
}
api::Object PodNumber(int ordinal) {
  return OwnershipObject(
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"uid":"u-pod","name":"web-)" +
      std::to_string(ordinal) + R"("}})");
}
std::string Reference(const std::string& api_version, const std::string& kind,
                      const std::string& name, const std::string& uid, bool controller = true) {
  return R"({"apiVersion":")" + api_version + R"(","kind":")" + kind + R"(","name":")" + name +
         R"(","uid":")" + uid + R"(","controller":)" + (controller ? "true" : "false") + "}";
}
const std::string kSetOwner = Reference("apps/v1", "StatefulSet", "web", "u-set");
api::Object ClaimWith(const std::string& references) {
  return OwnershipObject(R"({"metadata":{"name":"data-web-0","ownerReferences":[)" + references +
                         "]}}");
}
// "set", "pod", "set pod", "" of those that own it; others by their names.
std::string OwnersOf(const api::Object& claim) {
  std::string owners;
  for (const api::OwnerReference& owner : claim.owners()) {
    if (!owners.empty()) owners += " ";
    owners += owner.uid == "u-set" ? "set" : owner.uid == "u-pod" ? "pod" : owner.name;
  }
  return owners;
}

// CTRL-STS-17
TEST(ClaimOwnership, FollowsThePolicy) {
  struct Case {
    const char *scaled, *deleted;
    int ordinal;
    const char* owners;
  };
  for (const Case& c : std::vector<Case>{{"Retain", "Retain", 0, ""},
                                         {"Retain", "Retain", 5, ""},
                                         {"Retain", "Delete", 0, "set"},
                                         {"Retain", "Delete", 5, "set"},
                                         {"Delete", "Retain", 0, ""},
                                         {"Delete", "Retain", 5, "pod"},
                                         {"Delete", "Delete", 0, "set"},
                                         {"Delete", "Delete", 5, "pod"}}) {
    const std::string name = std::string(c.scaled) + c.deleted + std::to_string(c.ordinal);
    const api::Object set = SetWith(c.scaled, c.deleted), pod = PodNumber(c.ordinal);
    const std::string of_pod = Reference("v1", "Pod", std::string(pod.name()), "u-pod");
    for (const std::string& now : {std::string(), kSetOwner, of_pod, kSetOwner + "," + of_pod}) {
      const OwnedClaim before(ClaimWith(now), set, pod);
      const api::Object after = WithClaimOwners(before, kCurrent);
      EXPECT_EQ(OwnersOf(after), c.owners) << name << now;
      EXPECT_EQ(ClaimOwnersUpToDate(before, kCurrent), OwnersOf(before.claim) == c.owners)
          << name << now;
      EXPECT_TRUE(ClaimOwnersUpToDate(OwnedClaim(after, set, pod), kCurrent)) << name << now;
    }
  }
}

// CTRL-STS-17
TEST(ClaimOwnership, AnotherControllerKeepsTheClaim) {
  const api::Object pod = PodNumber(0);
  const std::string other = Reference("v1", "Other", "boss", "u-other");
  const OwnedClaim alone(ClaimWith(other), SetWith("Retain", "Delete"), pod);
  EXPECT_TRUE(HasUnexpectedController(alone));
  EXPECT_TRUE(ClaimOwnersUpToDate(alone, kCurrent)) << "nothing is added";
  const OwnedClaim both(ClaimWith(other + "," + kSetOwner), SetWith("Retain", "Delete"), pod);
  EXPECT_FALSE(ClaimOwnersUpToDate(both, kCurrent));
  EXPECT_EQ(OwnersOf(WithClaimOwners(both, kCurrent)), "boss");
  EXPECT_FALSE(
      HasUnexpectedController(OwnedClaim(ClaimWith(other), SetWith("Retain", "Retain"), pod)));
  const std::string friendly = Reference("v1", "Other", "guest", "u-other", false);
  EXPECT_FALSE(
      HasUnexpectedController(OwnedClaim(ClaimWith(friendly), SetWith("Delete", "Delete"), pod)));
}

// CTRL-STS-17
TEST(ClaimOwnership, AClaimOfAnEarlierPodOrSetIsLeftAlone) {
  const api::Object set = SetWith("Delete", "Delete"), pod = PodNumber(0);
  const OwnedClaim of_pod(ClaimWith(Reference("v1", "Pod", "web-0", "u-before")), set, pod);
  EXPECT_TRUE(HasStalePodReference(of_pod));
  EXPECT_TRUE(ClaimOwnersUpToDate(of_pod, kCurrent));
  const OwnedClaim of_set(ClaimWith(Reference("apps/v1", "StatefulSet", "web", "u-before")), set,
                          pod);
  EXPECT_FALSE(HasStalePodReference(of_set));
  EXPECT_TRUE(ClaimOwnersUpToDate(of_set, kCurrent));
  EXPECT_FALSE(HasStalePodReference(
      OwnedClaim(ClaimWith(Reference("v1", "Pod", "web-1", "u-before")), set, pod)));
}

// CTRL-STS-17: an owner that is no controller is made one.
TEST(ClaimOwnership, OwnersControl) {
  const api::Object set = SetWith("Retain", "Delete"), pod = PodNumber(0);
  const OwnedClaim before(ClaimWith(Reference("apps/v1", "StatefulSet", "web", "u-set", false)),
                          set, pod);
  EXPECT_FALSE(ClaimOwnersUpToDate(before, kCurrent));
  const api::Object after = WithClaimOwners(before, kCurrent);
  ASSERT_TRUE(after.controller().has_value());
  EXPECT_EQ(after.controller()->uid, "u-set");
}

}  // namespace
}  // namespace ksim::controllers
