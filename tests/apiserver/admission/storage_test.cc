// Admission of claims and volumes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

using api::Compat;

using Lines = std::vector<std::string>;

// CTRL-ADM-03
TEST(DefaultStorageClass, GivesAClaimTheNewestDefaultClass) {
  for (const Compat compat : kProfiles) {
    World world{WorldOptions(compat)};
    const auto add_claim = [&world](const char* name, const char* spec) {
      return world.Create(
          "persistentvolumeclaims", "default",
          Json(fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{"accessModes":["ReadWriteOnce"],
              "resources":{{"requests":{{"storage":"1Gi"}}}}{}}}}})",
                           name, spec)));
    };
    const auto class_of = [](const api::Response& r) {
      return r.object.spec().Get("storageClassName");
    };
    EXPECT_TRUE(class_of(add_claim("a", "")).is_null());
    for (const char* name : {"old", "new"}) {
      world.Create("storageclasses", "",
                   Json(fmt::format(R"({{"metadata":{{"name":"{}","annotations":{{
                       "storageclass.kubernetes.io/is-default-class":"true"}}}},
                       "provisioner":"disk.example.com"}})",
                                    name)));
      world.Advance(Seconds(2));
      if (std::string_view(name) == "old") {
        EXPECT_EQ(class_of(add_claim("b", "")).AsString(), "old");
      }
    }
    EXPECT_EQ(class_of(add_claim("c", R"(,"storageClassName":"")")).AsString(), "");
    const api::Response several = add_claim("d", "");
    if (compat == Compat::k1_25) {
      EXPECT_EQ(several.status.message.str(),
                "persistentvolumeclaims \"d\" is forbidden: Internal error occurred: 2 default "
                "StorageClasses were found");
    } else {
      EXPECT_EQ(class_of(several).AsString(), "new");
    }
  }
}

// CTRL-ADM-04
TEST(StorageObjectInUseProtection, GivesVolumesAndClaimsTheirFinalizers) {
  World world(WorldOptions().Plugins({"StorageObjectInUseProtection"}));
  const api::Object volume =
      world
          .Create("persistentvolumes", "",
                  Json(R"({"metadata":{"name":"v"},"spec":{"capacity":{"storage":"1Gi"},
                      "accessModes":["ReadWriteOnce"],"hostPath":{"path":"/tmp/v"}}})"))
          .object;
  EXPECT_EQ(volume.finalizers(), Lines{"kubernetes.io/pv-protection"});
  const api::Object claim =
      world
          .Create("persistentvolumeclaims", "default",
                  Json(R"({"metadata":{"name":"c","finalizers":["example.com/mine"]},"spec":{
                      "accessModes":["ReadWriteOnce"],"resources":{"requests":{
                      "storage":"1Gi"}}}})"))
          .object;
  EXPECT_EQ(claim.finalizers(), (Lines{"example.com/mine", "kubernetes.io/pvc-protection"}));
}

}  // namespace
}  // namespace ksim::apiserver
