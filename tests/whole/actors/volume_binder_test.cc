// The volume binder and the model of provisioners against real API servers. What upstream's own
// tables say (pkg/controller/volume/persistentvolume/binder_test.go, provision_test.go,
// delete_test.go) is said by the numbers of their cases.
#include <gmock/gmock.h>

#include "tests/whole/actors/volume_world.h"

namespace ksim {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class VolumeBinderTest : public VolumeTest {};
INSTANTIATE_TEST_SUITE_P(Compat, VolumeBinderTest, testing::ValuesIn(kCompats), NameOfCompat);

// CTRL-PV-01, CTRL-PV-03: case 1-1, and the order of the writes.
TEST_P(VolumeBinderTest, BindsAClaimAndAVolumeInFourWrites) {
  AddVolume("pv");
  StartBinder();
  EXPECT_EQ(VolumeState("pv"), "Available ");
  w.Forget();
  AddClaim("c");
  w.Settle();
  EXPECT_THAT(
      w.Writes(),
      ElementsAre("update persistentvolumes/pv", "update persistentvolumes/pv/status",
                  "update persistentvolumeclaims/c", "update persistentvolumeclaims/c/status"));
  EXPECT_EQ(ClaimState("c"), "Bound pv");
  EXPECT_EQ(VolumeState("pv"), "Bound c");
  const api::Object claim = Claim("c"), volume = Volume("pv");
  EXPECT_EQ(claim.Annotation("pv.kubernetes.io/bind-completed"), "yes");
  EXPECT_EQ(claim.Annotation("pv.kubernetes.io/bound-by-controller"), "yes");
  EXPECT_EQ(volume.Annotation("pv.kubernetes.io/bound-by-controller"), "yes");
  EXPECT_EQ(volume.spec().Get("claimRef").Get("uid").AsString(), claim.uid());
  EXPECT_EQ(claim.status().Get("capacity").Get("storage").AsString(), "1Gi");
  EXPECT_EQ(claim.status().Get("accessModes").at(0).AsString(), "ReadWriteOnce");
}

// CTRL-PV-02: cases 1-2 to 1-15, and those of index_test.go.
TEST_P(VolumeBinderTest, TakesTheSmallestVolumeThatFits) {
  const std::string block = R"(,"volumeMode":"Block")";
  const struct {
    const char* what;
    std::string more, modes;
    const char* bound_to;
  } claims[] = {
      {"the smallest", "", R"("ReadWriteOnce")", "fits"},
      {"the class", Class("gold"), R"("ReadWriteOnce")", "gold"},
      {"the labels", R"(,"selector":{"matchLabels":{"disk":"fast"}})", R"("ReadWriteOnce")",
       "labelled"},
      {"the mode", block, R"("ReadWriteOnce")", "block"},
      {"the access modes", "", R"("ReadWriteMany")", "many"},
      {"nothing", Class("silver"), R"("ReadWriteOnce")", ""},
  };
  AddVolume("small", "500Mi");
  AddVolume("large", "10Gi");
  AddVolume("fits", "1Gi");
  AddVolume("gold", "3Gi", Class("gold"));
  AddVolume("labelled", "5Gi", "", R"("ReadWriteOnce")", R"(,"labels":{"disk":"fast"})");
  AddVolume("block", "2Gi", block);
  AddVolume("many", "2Gi", "", R"("ReadWriteOnce","ReadWriteMany")");
  StartBinder();
  for (const auto& claim : claims) {
    AddClaim("c", "800Mi", claim.more, claim.modes);
    w.Settle();
    EXPECT_EQ(Claim("c").spec().Get("volumeName").AsString(), claim.bound_to) << claim.what;
    w.Delete("persistentvolumeclaims", "c");
    w.Settle();
  }
}

// CTRL-PV-04: cases 1-5, 1-6, 2-1 to 2-9.
TEST_P(VolumeBinderTest, KeepsToVolumesAndClaimsThatNameEachOther) {
  AddVolume("reserved", "1Gi", R"(,"claimRef":{"namespace":"default","name":"mine"})");
  StartBinder();
  EXPECT_EQ(VolumeState("reserved"), "Available mine");
  AddClaim("other");
  w.Settle();
  EXPECT_EQ(ClaimState("other"), "Pending ");
  AddClaim("mine");
  w.Settle();
  EXPECT_EQ(ClaimState("mine"), "Bound reserved");
  EXPECT_EQ(Volume("reserved").Annotation("pv.kubernetes.io/bound-by-controller"), "")
      << "the user has bound it";

  w.Forget();
  AddClaim("late", "1Gi", R"(,"volumeName":"later")");
  AddClaim("taken", "1Gi", R"(,"volumeName":"reserved")");
  w.Settle();
  EXPECT_EQ(ClaimState("late"), "Pending later");
  EXPECT_THAT(w.EventTexts(),
              Contains("Warning FailedBinding volume \"reserved\" already bound to a different "
                       "claim."));
  AddVolume("later", "500Mi");
  Resync();
  EXPECT_THAT(w.EventTexts(), Contains("Warning VolumeMismatch Cannot bind to requested volume "
                                       "\"later\": requested PV is too small"));
  EXPECT_EQ(ClaimState("late"), "Pending later");
  w.Patch("persistentvolumes", "later", R"({"spec":{"capacity":{"storage":"2Gi"}}})");
  Resync();
  // The two workers may write the volume at once; what was refused waits for the next resync.
  if (!From136()) Resync();
  EXPECT_EQ(ClaimState("late"), "Bound later");
  EXPECT_EQ(Claim("late").Annotation("pv.kubernetes.io/bound-by-controller"), "");
}

// CTRL-PV-05: a claim that came before its volume is found by the resync, for which a run waits.
TEST_P(VolumeBinderTest, LooksAgainEvery15Seconds) {
  const controllers::Controller* binder = nullptr;
  w.StartController("volume-binder", [&binder](controllers::ControllerContext context) {
    auto made = std::make_unique<controllers::PersistentVolumeController>(std::move(context));
    binder = made.get();
    return made;
  });
  const controllers::Heartbeats none;
  AddClaim("c");
  w.Settle();
  EXPECT_EQ(ClaimState("c"), "Pending ");
  EXPECT_THAT(w.EventTexts(),
              Contains("Normal FailedBinding no persistent volumes available for this claim and no "
                       "storage class is set"));
  EXPECT_FALSE(binder->HasWorkAhead(none)) << "nothing will come of the claim";
  AddVolume("pv");
  w.Settle();
  EXPECT_EQ(ClaimState("c"), "Pending ");
  EXPECT_TRUE(binder->HasWorkAhead(none));
  Resync();
  EXPECT_EQ(ClaimState("c"), "Bound pv");
  EXPECT_FALSE(binder->HasWorkAhead(none));
}

// CTRL-PV-06: cases 3-2, 3-3, 3-6.
TEST_P(VolumeBinderTest, AClaimThatLosesItsVolumeIsLost) {
  AddVolume("pv");
  StartBinder();
  AddClaim("c");
  w.Settle();
  w.Forget();
  w.Delete("persistentvolumes", "pv");
  w.Settle();
  EXPECT_EQ(ClaimState("c"), "Lost pv");
  EXPECT_TRUE(Claim("c").status().Get("capacity").is_null());
  EXPECT_THAT(w.EventTexts(), Contains("Warning ClaimLost Bound claim has lost its "
                                       "PersistentVolume. Data on the volume is lost!"));
}

// CTRL-PV-07: cases 4-4 and 8-1 to 8-3, 9-1.
TEST_P(VolumeBinderTest, ReclaimsTheVolumesOfDeletedClaims) {
  AddVolume("kept", "1Gi", Class("a"));
  AddVolume("deleted", "1Gi", Class("b") + R"(,"persistentVolumeReclaimPolicy":"Delete")");
  AddVolume("failed", "1Gi", Class("c") + R"(,"persistentVolumeReclaimPolicy":"Delete")");
  AddVolume("again", "1Gi", Class("d") + R"(,"persistentVolumeReclaimPolicy":"Recycle")");
  w.Patch("persistentvolumes", "failed", R"({"spec":{"hostPath":{"path":"/data"}}})");
  StartBinder();
  for (const char* name : {"a", "b", "c", "d"}) AddClaim(name, "1Gi", Class(name));
  w.Settle();
  EXPECT_EQ(VolumeState("failed"), "Bound c");
  w.Forget();
  for (const char* name : {"a", "b", "c", "d"}) w.Delete("persistentvolumeclaims", name);
  w.Settle();
  EXPECT_EQ(VolumeState("kept"), "Released a");
  EXPECT_EQ(VolumeState("deleted"), "");
  EXPECT_EQ(VolumeState("failed"), "Failed c");
  EXPECT_EQ(VolumeState("again"), "Available ");
  EXPECT_EQ(Volume("failed").status().Get("message").AsString(),
            "host_path deleter only supports /tmp/.+ but received provided /data");
  EXPECT_THAT(w.EventTexts(), Contains("Normal VolumeRecycled Volume recycled"));
  AddClaim("a", "1Gi", Class("a"));
  Resync();
  EXPECT_EQ(ClaimState("a"), "Pending ") << "a released volume is nobody's again";
}

// CTRL-PV-08: cases 11-1 and 11-13.
TEST_P(VolumeBinderTest, AsksAProvisionerAndBindsWhatItMakes) {
  AddClass("fast");
  StartBinder();
  w.Forget();
  AddClaim("c", "2Gi", Class("fast"));
  w.Advance(Milliseconds(900));
  const api::Object asked = Claim("c");
  for (const char* name : {"volume.kubernetes.io/storage-provisioner",
                           "volume.beta.kubernetes.io/storage-provisioner"})
    EXPECT_EQ(asked.Annotation(name), "disk.example.com");
  EXPECT_EQ(ClaimState("c"), "Pending ");
  w.Advance(Seconds(5));
  const std::string name = fmt::format("pvc-{}", asked.uid());
  EXPECT_EQ(ClaimState("c"), "Bound " + name);
  const api::Object volume = Volume(name);
  EXPECT_EQ(volume.Annotation("pv.kubernetes.io/provisioned-by"), "disk.example.com");
  EXPECT_EQ(volume.Annotation("pv.kubernetes.io/bound-by-controller"), "");
  EXPECT_EQ(volume.spec().Get("capacity").Get("storage").AsString(), "2Gi");
  EXPECT_EQ(volume.spec().Get("persistentVolumeReclaimPolicy").AsString(), "Delete");
  EXPECT_EQ(volume.finalizers().size(), From136() ? 1u : 0u);
  const std::vector<std::string> events = w.EventTexts();
  EXPECT_THAT(events, Contains(HasSubstr("Normal ExternalProvisioning Waiting for a volume to be "
                                         "created either by the external provisioner "
                                         "'disk.example.com' or manually")));
  EXPECT_THAT(events, Contains("Normal Provisioning External provisioner is provisioning volume "
                               "for claim \"default/c\""));
  EXPECT_THAT(events,
              Contains("Normal ProvisioningSucceeded Successfully provisioned volume " + name));
  // The provisioner deletes what it has made.
  w.Delete("persistentvolumeclaims", "c");
  w.Advance(Seconds(6));
  EXPECT_EQ(VolumeState(name), "");
}

// CTRL-PV-08
TEST_P(VolumeBinderTest, SaysWhyNobodyMakesAVolume) {
  AddClass("by-hand", "", "kubernetes.io/no-provisioner");
  AddClass("moved", "", "kubernetes.io/aws-ebs");
  StartBinder();
  w.Forget();
  AddClaim("a", "1Gi", Class("by-hand"));
  AddClaim("b", "1Gi", Class("absent"));
  w.Advance(Seconds(8));
  const std::vector<std::string> events = w.EventTexts();
  EXPECT_THAT(events, Contains("Warning ProvisioningFailed no volume plugin matched name: "
                               "kubernetes.io/no-provisioner"));
  EXPECT_THAT(events, Contains("Warning ProvisioningFailed storageclass.storage.k8s.io \"absent\" "
                               "not found"));
  AddClaim("c", "1Gi", Class("moved"));
  w.Advance(Seconds(8));
  EXPECT_EQ(Claim("c").Annotation("volume.kubernetes.io/storage-provisioner"), "ebs.csi.aws.com");
  EXPECT_THAT(ClaimState("c"), HasSubstr("Bound pvc-"));
}

// CTRL-PV-09
TEST_P(VolumeBinderTest, WaitsForTheFirstConsumer) {
  AddClass("lazy", Waits());
  AddVolume("pv", "1Gi", Class("lazy"));
  StartBinder();
  w.Forget();
  AddClaim("c", "1Gi", Class("lazy"));
  w.Advance(Seconds(6));
  EXPECT_EQ(ClaimState("c"), "Pending ");
  EXPECT_THAT(w.EventTexts(), Contains("Normal WaitForFirstConsumer waiting for first consumer to "
                                       "be created before binding"));
  AddPod("p", "c");
  Resync();
  EXPECT_THAT(w.EventTexts(),
              Contains("Normal WaitForPodScheduled waiting for pod p to be scheduled"));
  // The scheduler's choice: a node for a provisioner.
  w.Patch("persistentvolumeclaims", "c",
          R"({"metadata":{"annotations":{"volume.kubernetes.io/selected-node":"n1"}}})");
  w.Advance(Seconds(6));
  EXPECT_THAT(ClaimState("c"), HasSubstr("Bound pvc-")) << "not the volume that is free";
}

// CTRL-PV-10
TEST_P(VolumeBinderTest, GivesAClaimTheDefaultClassThatCameLater) {
  StartBinder();
  AddClaim("c");
  AddClaim("none", "1Gi", Class(""));
  w.Settle();
  AddClass("standard", "", "disk.example.com", true);
  Resync();
  w.Advance(Seconds(5));
  EXPECT_EQ(Claim("c").spec().Get("storageClassName").AsString(), From130() ? "standard" : "");
  EXPECT_THAT(ClaimState("c"), HasSubstr(From130() ? "Bound pvc-" : "Pending"));
  EXPECT_EQ(ClaimState("none"), "Pending ") << "it wants no class";
}

// CTRL-PV-11: case 4-7.
TEST_P(VolumeBinderTest, GivesUpAVolumeWhoseClaimIsBoundElsewhere) {
  AddVolume("pv");
  StartBinder();
  AddClaim("c");
  w.Settle();
  AddVolume("stray", "1Gi",
            fmt::format(R"(,"claimRef":{{"namespace":"default","name":"c","uid":"{}"}})",
                        Claim("c").uid()),
            R"("ReadWriteOnce")",
            R"(,"annotations":{"pv.kubernetes.io/bound-by-controller":"yes"})");
  w.Settle();
  EXPECT_EQ(VolumeState("stray"), "Available ");
  EXPECT_EQ(Volume("stray").Annotation("pv.kubernetes.io/bound-by-controller"), "");
  EXPECT_EQ(ClaimState("c"), "Bound pv");
}

// CTRL-PV-12
TEST_P(VolumeBinderTest, DoesNothingBeforeThereIsAClaimAVolumeOrAClass) {
  w.Forget();
  StartBinder();
  w.Advance(Minutes(1));
  EXPECT_THAT(w.Requests({"persistentvolumes", "persistentvolumeclaims", "storageclasses", "pods"}),
              IsEmpty());
  AddVolume("pv");
  w.Settle();
  EXPECT_EQ(VolumeState("pv"), "Available ");
}

}  // namespace
}  // namespace ksim
