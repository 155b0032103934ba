// The protection of claims and volumes that are in use, and the claims of ephemeral volumes.
#include <gmock/gmock.h>

#include "tests/whole/actors/volume_world.h"

namespace ksim {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

class VolumeProtectionTest : public VolumeTest {
 protected:
  void StartClaimProtection() {
    w.StartController("pvc-protection",
                      &controllers::MakeController<controllers::PvcProtectionController>);
  }
  void StartVolumeProtection() {
    w.StartController("pv-protection",
                      &controllers::MakeController<controllers::PvProtectionController>);
  }
  void StartEphemeral() {
    w.StartController("ephemeral-volume",
                      &controllers::MakeController<controllers::EphemeralVolumeController>);
  }
  void AddEphemeralPod(std::string_view name) {
    const char* const volumes =
        R"(,"volumes":[{"name":"scratch","ephemeral":{"volumeClaimTemplate":{
           "metadata":{"labels":{"for":"scratch"}},"spec":{"accessModes":["ReadWriteOnce"],
           "resources":{"requests":{"storage":"1Gi"}}}}}}])";
    w.Create("pods", PodJson(name, "{}", "", volumes));
    w.Settle();
  }
};
INSTANTIATE_TEST_SUITE_P(Compat, VolumeProtectionTest, testing::ValuesIn(kCompats), NameOfCompat);

// CTRL-PVP-01
TEST_P(VolumeProtectionTest, AClaimGoesWhenNoPodOnANodeUsesIt) {
  StartClaimProtection();
  AddClaim("c");
  AddPod("p", "c");
  w.Settle();
  EXPECT_THAT(Claim("c").finalizers(), ElementsAre("kubernetes.io/pvc-protection"));
  w.Bind("p", "n1");
  w.Settle();
  w.Delete("persistentvolumeclaims", "c");
  w.Settle();
  EXPECT_TRUE(Claim("c").deleting()) << "the pod has it";
  w.Delete("pods", "p", Grace(0));
  w.Settle();
  EXPECT_TRUE(Claim("c").empty());
}

// CTRL-PVP-01: a pod without a node keeps nothing, one that has ended does.
TEST_P(VolumeProtectionTest, APodWithoutANodeKeepsNoClaim) {
  StartClaimProtection();
  AddClaim("c");
  AddClaim("d");
  AddPod("p", "c");
  AddPod("q", "d");
  w.Bind("q", "n1");
  w.Patch("pods", "q", R"({"status":{"phase":"Succeeded"}})", "status");
  w.Settle();
  w.Delete("persistentvolumeclaims", "c");
  w.Delete("persistentvolumeclaims", "d");
  w.Settle();
  EXPECT_TRUE(Claim("c").empty());
  EXPECT_TRUE(Claim("d").deleting());
}

// CTRL-PVP-01: before a claim goes, the pods of its namespace are listed live.
TEST_P(VolumeProtectionTest, AsksForPodsThatItsCacheLacks) {
  StartClaimProtection();
  AddClaim("c");
  w.Settle();
  w.Freeze("pods");
  AddPod("p", "c");
  w.Bind("p", "n1");
  w.Delete("persistentvolumeclaims", "c");
  w.Advance(Seconds(8));
  EXPECT_TRUE(Claim("c").deleting());
}

// CTRL-PVP-02
TEST_P(VolumeProtectionTest, AVolumeGoesWhenNoClaimIsBoundToIt) {
  StartVolumeProtection();
  AddVolume("free");
  AddVolume("bound");
  w.Settle();
  EXPECT_THAT(Volume("free").finalizers(), ElementsAre("kubernetes.io/pv-protection"));
  w.Patch("persistentvolumes", "bound", R"({"status":{"phase":"Bound"}})", "status");
  w.Delete("persistentvolumes", "free");
  w.Delete("persistentvolumes", "bound");
  w.Settle();
  EXPECT_TRUE(Volume("free").empty());
  EXPECT_TRUE(Volume("bound").deleting());
  w.Patch("persistentvolumes", "bound", R"({"status":{"phase":"Released"}})", "status");
  w.Settle();
  EXPECT_TRUE(Volume("bound").empty());
}

// CTRL-EV-01
TEST_P(VolumeProtectionTest, AnEphemeralVolumeGetsAClaimThatItsPodControls) {
  StartEphemeral();
  AddEphemeralPod("p");
  const api::Object claim = Claim("p-scratch");
  ASSERT_FALSE(claim.empty());
  EXPECT_EQ(claim.Label("for"), "scratch");
  EXPECT_EQ(claim.controller()->uid, w.Get("pods", "p").uid());
  EXPECT_TRUE(claim.controller()->block_owner_deletion);
  w.Delete("persistentvolumeclaims", "p-scratch");
  w.Settle();
  EXPECT_FALSE(Claim("p-scratch").empty()) << "the pod still needs it";
  EXPECT_NE(Claim("p-scratch").uid(), claim.uid());
}

// CTRL-EV-01: a claim of the name that belongs to somebody else.
TEST_P(VolumeProtectionTest, AClaimOfAnotherIsNotTaken) {
  AddClaim("p-scratch");
  StartEphemeral();
  w.Forget();
  AddEphemeralPod("p");
  EXPECT_THAT(w.EventTexts(),
              Contains("Warning FailedBinding ephemeral volume scratch: PVC default/p-scratch was "
                       "not created for pod default/p (pod is not owner)"));
}

// CTRL-EV-01
TEST_P(VolumeProtectionTest, PodsWithoutEphemeralVolumesAreNotWatched) {
  w.Forget();
  StartEphemeral();
  w.Create("pods", PodJson("p"));
  w.Advance(Minutes(1));
  EXPECT_THAT(w.Requests({"pods", "persistentvolumeclaims"}), IsEmpty());
}

}  // namespace
}  // namespace ksim
