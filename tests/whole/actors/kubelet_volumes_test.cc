// A kubelet and volumes that have to be attached. The tests play the attach-detach controller.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "ksim/api/views/attachments.h"
#include "tests/whole/actors/volume_world.h"

namespace ksim {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

class KubeletVolumes : public VolumeTest {
 protected:
  KubeletVolumes() {
    w.StartKubelet("n1");
    w.Create("csidrivers", R"({"metadata":{"name":"disk.example.com"},"spec":{}})");
    AddClaim("c");
    w.Create("persistentvolumes",
             fmt::format(R"({{"metadata":{{"name":"pv-c"}},"spec":{{"capacity":{{"storage":"1Gi"}},
                 "accessModes":["ReadWriteOnce"],
                 "csi":{{"driver":"disk.example.com","volumeHandle":"h-c"}},
                 "claimRef":{{"namespace":"default","name":"c","uid":"{}"}}}}}})",
                         Claim("c").uid()));
    w.Patch("persistentvolumeclaims", "c", R"({"spec":{"volumeName":"pv-c"}})");
    w.Advance(Seconds(12));
  }
  void AddPodWithVolume() {
    w.Create("pods", R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{
        "nodeName":"n1","terminationGracePeriodSeconds":1,"containers":[{"name":"c","image":"i:1",
        "volumeMounts":[{"name":"v","mountPath":"/v"}]}],
        "volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"c"}}]}})");
  }
  std::vector<std::string> InUse() {
    std::vector<std::string> names;
    for (const value::Value& volume : w.Get("nodes", "n1").status().Get("volumesInUse").items())
      names.emplace_back(volume.AsString());
    return names;
  }
  void SayAttached() {
    w.Patch("nodes", "n1",
            fmt::format(R"({{"status":{{"volumesAttached":[{{"devicePath":"","name":"{}"}}]}}}})",
                        kUnique),
            "status");
  }
  void AddAttachment() {
    w.Create("volumeattachments",
             fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{"attacher":"disk.example.com",
                 "nodeName":"n1","source":{{"persistentVolumeName":"pv-c"}}}}}})",
                         kAttachment));
    w.Patch("volumeattachments", kAttachment, R"({"status":{"attached":true}})", "status");
  }
  std::string Phase() { return std::string(w.Get("pods", "p").status().Get("phase").AsString()); }

  const std::string kUnique = "kubernetes.io/csi/disk.example.com^h-c";
  const std::string kAttachment = api::CsiVolumeNamed(kUnique).AttachmentOn("n1");
};
INSTANTIATE_TEST_SUITE_P(Compat, KubeletVolumes, testing::ValuesIn(kCompats), NameOfCompat);

// KUBELET-VOL-01
TEST_P(KubeletVolumes, APodWaitsUntilTheNodeSaysThatItsVolumeIsAttached) {
  AddAttachment();
  AddPodWithVolume();
  w.Advance(Seconds(11));
  EXPECT_THAT(InUse(), ElementsAre(kUnique));
  w.Advance(Minutes(4));
  EXPECT_EQ(Phase(), "Pending");
  SayAttached();
  w.Advance(Seconds(15));
  EXPECT_EQ(Phase(), "Running");
}

// KUBELET-VOL-01
TEST_P(KubeletVolumes, ItIsMountedOnlyAfterTheNodeSaysThatItIsInUse) {
  AddAttachment();
  SayAttached();
  AddPodWithVolume();
  for (int i = 0; i < 150 && Phase() != "Running"; ++i) {
    if (InUse().empty()) {
      ASSERT_THAT(w.machine().PodUids(), IsEmpty());
    }
    w.Advance(Milliseconds(100));
  }
  EXPECT_EQ(Phase(), "Running");
  EXPECT_THAT(InUse(), ElementsAre(kUnique));
}

// KUBELET-VOL-02
TEST_P(KubeletVolumes, AnAttachmentThatIsNotThereIsToldOf) {
  SayAttached();
  AddPodWithVolume();
  w.Advance(Seconds(15));
  EXPECT_THAT(
      w.EventTexts(),
      Contains(fmt::format(
          "Warning FailedMount MountVolume.WaitForAttach failed for volume \"pv-c\" : volume "
          "h-c has GET error for volume attachment {0}: volumeattachments.storage.k8s.io "
          "\"{0}\" not found",
          kAttachment)));
  EXPECT_EQ(Phase(), "Pending");
  AddAttachment();
  w.Advance(Seconds(25));
  EXPECT_EQ(Phase(), "Running");
}

// KUBELET-VOL-03
TEST_P(KubeletVolumes, AVolumeIsInUseUntilItsPodHasEnded) {
  AddAttachment();
  SayAttached();
  AddPodWithVolume();
  w.Advance(Seconds(20));
  ASSERT_EQ(Phase(), "Running");
  w.Delete("pods", "p");
  w.Advance(Seconds(15));
  EXPECT_EQ(Phase(), "");
  EXPECT_THAT(InUse(), IsEmpty());
}

// KUBELET-VOL-04
TEST_P(KubeletVolumes, AKubeletThatRestartsStillUsesWhatIsMounted) {
  AddAttachment();
  SayAttached();
  AddPodWithVolume();
  w.Advance(Seconds(20));
  ASSERT_EQ(Phase(), "Running");
  w.Forget();
  sim::Process* const kubelet = w.api.sim.FindProcess("kubelet/n1");
  kubelet->Kill();
  w.Settle();
  kubelet->Start();
  for (int i = 0; i < 30; ++i) {
    w.Advance(Seconds(1));
    ASSERT_THAT(InUse(), ElementsAre(kUnique));
  }
  EXPECT_EQ(Phase(), "Running");
  w.Delete("pods", "p");
  w.Advance(Seconds(15));
  EXPECT_THAT(InUse(), IsEmpty());
}

}  // namespace
}  // namespace ksim
