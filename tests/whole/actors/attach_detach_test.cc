// The attach-detach controller and the attachers of drivers, against real API servers. The tests
// play nodes and the volume binder.
#include <gmock/gmock.h>

#include "ksim/api/views/attachments.h"
#include "ksim/controllers/attachdetach/attach_detach_controller.h"
#include "tests/whole/actors/volume_world.h"

namespace ksim {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kDriver = "disk.example.com";

class AttachDetachTest : public VolumeTest {
 protected:
  void AddDriver(std::string_view spec = "{}") {
    w.Create("csidrivers",
             fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{}}})", kDriver, spec));
  }
  void StartAttaching() {
    w.StartController("attach-detach",
                      &controllers::MakeController<controllers::AttachDetachController>);
    w.Settle();
  }
  // Two nodes, a driver and the controller.
  void Prepare() {
    w.AddNode("n1");
    w.AddNode("n2");
    AddDriver();
    StartAttaching();
  }
  // A claim c and its volume pv-c, bound to each other.
  void AddBoundClaim(const std::string& name, const std::string& modes = R"("ReadWriteOnce")") {
    AddClaim(name, "1Gi", "", modes);
    w.Create(
        "persistentvolumes",
        fmt::format(R"({{"metadata":{{"name":"pv-{0}"}},"spec":{{"capacity":{{"storage":"1Gi"}},
                 "accessModes":[{1}],"csi":{{"driver":"{2}","volumeHandle":"h-{0}"}},
                 "claimRef":{{"namespace":"default","name":"{0}","uid":"{3}"}}}}}})",
                    name, modes, kDriver, Claim(name).uid()));
    w.Settle();
    w.Patch("persistentvolumeclaims", name,
            fmt::format(R"({{"spec":{{"volumeName":"pv-{}"}}}})", name));
    w.Patch("persistentvolumeclaims", name, R"({"status":{"phase":"Bound"}})", "status");
    w.Settle();
  }
  void AddPodOn(std::string_view node, std::string_view name, std::string_view claim) {
    AddPod(name, claim, fmt::format(R"(,"nodeName":"{}")", node));
  }
  void DeletePod(std::string_view name) { w.Delete("pods", name, Grace(0)); }
  static std::string Unique(std::string_view claim) {
    return fmt::format("kubernetes.io/csi/{}^h-{}", kDriver, claim);
  }
  // The node says which volumes of claims it uses.
  void SetInUse(std::string_view node, std::string_view claim) {
    w.Patch("nodes", node,
            claim.empty() ? std::string(R"({"status":{"volumesInUse":null}})")
                          : fmt::format(R"({{"status":{{"volumesInUse":["{}"]}}}})", Unique(claim)),
            "status");
    w.Settle();
  }
  void SetReady(std::string_view node, std::string_view ready) {
    w.Patch(
        "nodes", node,
        fmt::format(R"({{"status":{{"conditions":[{{"type":"Ready","status":"{}"}}]}}}})", ready),
        "status");
    w.Settle();
  }
  std::vector<std::string> AttachedTo(std::string_view node) {
    std::vector<std::string> names;
    for (const value::Value& volume : w.Get("nodes", node).status().Get("volumesAttached").items())
      names.emplace_back(volume.Get("name").AsString());
    return names;
  }
  // "pv-c n1 attached"
  std::vector<std::string> Attachments() {
    std::vector<std::string> out;
    for (const api::Object& a : w.List("volumeattachments"))
      out.push_back(fmt::format("{} {} {}",
                                a.spec().Get("source").Get("persistentVolumeName").AsString(),
                                a.spec().Get("nodeName").AsString(),
                                a.status().Get("attached").AsBool() ? "attached" : "waits"));
    return out;
  }
  // A pod on n1 has its volume, and the node uses it.
  void Attach(const std::string& claim) {
    AddBoundClaim(claim);
    AddPodOn("n1", "a", claim);
    w.Advance(Seconds(8));
    SetInUse("n1", claim);
    ASSERT_THAT(Attachments(), ElementsAre(fmt::format("pv-{} n1 attached", claim)));
    ASSERT_THAT(AttachedTo("n1"), ElementsAre(Unique(claim)));
    w.Forget();
  }
};
INSTANTIATE_TEST_SUITE_P(Compat, AttachDetachTest, testing::ValuesIn(kCompats), NameOfCompat);

// CTRL-ADC-01
TEST_P(AttachDetachTest, ItBeginsWithTheFirstDriver) {
  w.AddNode("n1");
  StartAttaching();
  AddBoundClaim("c");
  AddPodOn("n1", "a", "c");
  w.Advance(Seconds(10));
  EXPECT_THAT(w.Requests({"volumeattachments", "csidrivers"}),
              Not(Contains("list volumeattachments/")));
  EXPECT_THAT(Attachments(), IsEmpty());
  AddDriver();
  w.Advance(Seconds(8));
  EXPECT_THAT(Attachments(), ElementsAre("pv-c n1 attached"));
}

// CTRL-ADC-02
TEST_P(AttachDetachTest, ADriverMayNeedNoAttachment) {
  w.AddNode("n1");
  AddDriver(R"({"attachRequired":false})");
  StartAttaching();
  AddBoundClaim("c");
  AddPodOn("n1", "a", "c");
  w.Advance(Seconds(10));
  EXPECT_THAT(Attachments(), IsEmpty());
}

// CTRL-ADC-02
TEST_P(AttachDetachTest, APodWithoutANodeOrThatHasEndedNeedsNothing) {
  Prepare();
  AddBoundClaim("c");
  AddPod("a", "c");
  w.Advance(Seconds(8));
  EXPECT_THAT(Attachments(), IsEmpty());
  AddPodOn("n2", "b", "c");
  w.Advance(Seconds(8));
  EXPECT_THAT(Attachments(), ElementsAre("pv-c n2 attached"));
  w.Patch("pods", "b", R"({"status":{"phase":"Succeeded"}})", "status");
  SetInUse("n2", "");
  w.Advance(Seconds(10));
  EXPECT_THAT(Attachments(), IsEmpty());
}

// CTRL-ADC-03, CTRL-ADC-11
TEST_P(AttachDetachTest, AVolumeIsAttachedAndTheNodeAndThePodAreTold) {
  Prepare();
  AddBoundClaim("c");
  w.Forget();
  AddPodOn("n1", "a", "c");
  w.Advance(Seconds(8));
  EXPECT_THAT(AttachedTo("n1"), ElementsAre(Unique("c")));
  EXPECT_THAT(w.EventTexts(),
              ElementsAre("Normal SuccessfulAttachVolume AttachVolume.Attach succeeded for volume "
                          "\"pv-c\" "));
  // sha256("h-c" "disk.example.com" "n1")
  const api::Object made =
      w.Get("volumeattachments", api::CsiVolumeNamed(Unique("c")).AttachmentOn("n1"));
  ASSERT_FALSE(made.empty());
  EXPECT_EQ(made.name().size(), 4U + 64U);
  EXPECT_EQ(made.spec().Get("attacher").AsString(), kDriver);
  EXPECT_THAT(made.finalizers(), ElementsAre("external-attacher/disk-example-com"));
}

// CTRL-ADC-04
TEST_P(AttachDetachTest, AVolumeForOneNodeIsNotAttachedToTwo) {
  Prepare();
  Attach("c");
  AddPodOn("n2", "b", "c");
  w.Advance(Minutes(10));
  EXPECT_THAT(Attachments(), ElementsAre("pv-c n1 attached"));
  EXPECT_THAT(
      w.EventTexts(),
      ElementsAre("Warning FailedAttachVolume Multi-Attach error for volume \"pv-c\" Volume "
                  "is already used by pod(s) a"));
  DeletePod("a");
  AddPodOn("n2", "d", "c");
  w.Settle();
  EXPECT_THAT(w.EventTexts(), IsEmpty());  // it is told once
}

// CTRL-ADC-04
TEST_P(AttachDetachTest, WhoHasItIsToldOnlyIfItIsThere) {
  Prepare();
  Attach("c");
  DeletePod("a");
  AddPodOn("n2", "b", "c");
  w.Settle();
  EXPECT_THAT(
      w.EventTexts(),
      ElementsAre("Warning FailedAttachVolume Multi-Attach error for volume \"pv-c\" Volume "
                  "is already exclusively attached to one node and can't be attached to "
                  "another"));
}

// CTRL-ADC-04
TEST_P(AttachDetachTest, AVolumeForSeveralNodesIs) {
  Prepare();
  AddBoundClaim("c", R"("ReadWriteMany")");
  AddPodOn("n1", "a", "c");
  AddPodOn("n2", "b", "c");
  w.Advance(Seconds(8));
  EXPECT_EQ(Attachments().size(), 2U);
  EXPECT_THAT(AttachedTo("n1"), ElementsAre(Unique("c")));
  EXPECT_THAT(AttachedTo("n2"), ElementsAre(Unique("c")));
}

// CTRL-ADC-05
TEST_P(AttachDetachTest, AVolumeThatNobodyNeedsGoesOnceTheNodeDoesNotUseIt) {
  Prepare();
  Attach("c");
  DeletePod("a");
  w.Advance(Minutes(20));
  EXPECT_THAT(Attachments(), ElementsAre("pv-c n1 attached"));
  w.Forget();
  SetInUse("n1", "");
  w.Advance(Seconds(8));
  EXPECT_THAT(Attachments(), IsEmpty());
  EXPECT_THAT(AttachedTo("n1"), IsEmpty());
  // The node is told before.
  std::vector<std::string> writes = w.Writes();
  ASSERT_GE(writes.size(), 3U);
  EXPECT_EQ(writes[0], "patch nodes/n1/status");
  EXPECT_EQ(writes[1].find("delete volumeattachments/"), 0U) << writes[1];
}

// CTRL-ADC-06
TEST_P(AttachDetachTest, AnUnreadyNodeHasSixMinutes) {
  Prepare();
  Attach("c");
  SetReady("n1", "Unknown");
  DeletePod("a");
  AddPodOn("n2", "b", "c");
  w.Advance(Minutes(5) + Seconds(55));
  EXPECT_THAT(Attachments(), ElementsAre("pv-c n1 attached"));
  w.Advance(Seconds(20));
  EXPECT_THAT(Attachments(), ElementsAre("pv-c n2 attached"));
  EXPECT_THAT(w.Get("nodes", "n1").status().Get("volumesInUse").size(), 1U);
}

// CTRL-ADC-07
TEST_P(AttachDetachTest, ANodeOutOfServiceHasNone) {
  Prepare();
  Attach("c");
  SetReady("n1", "Unknown");
  DeletePod("a");
  w.Advance(Minutes(1));
  EXPECT_THAT(Attachments(), ElementsAre("pv-c n1 attached"));
  w.Patch(
      "nodes", "n1",
      R"({"spec":{"taints":[{"key":"node.kubernetes.io/out-of-service","effect":"NoExecute"}]}})");
  w.Advance(Seconds(8));
  if (From130())
    EXPECT_THAT(Attachments(), IsEmpty());
  else
    EXPECT_THAT(Attachments(), ElementsAre("pv-c n1 attached"));
}

// CTRL-ADC-08
TEST_P(AttachDetachTest, ADeletedNodeHasSixMinutes) {
  Prepare();
  Attach("c");
  w.Delete("nodes", "n1");
  DeletePod("a");
  w.Advance(Minutes(5) + Seconds(50));
  EXPECT_THAT(Attachments(), ElementsAre("pv-c n1 attached"));
  w.Advance(Seconds(25));
  EXPECT_THAT(Attachments(), IsEmpty());
}

// CTRL-ADC-09
TEST_P(AttachDetachTest, AVolumeThatIsNeededAgainStays) {
  Prepare();
  Attach("c");
  SetReady("n1", "Unknown");
  DeletePod("a");
  w.Advance(Minutes(4));
  AddPodOn("n1", "b", "c");
  w.Settle();
  DeletePod("b");
  w.Advance(Minutes(4));
  EXPECT_THAT(Attachments(), ElementsAre("pv-c n1 attached"));
  w.Advance(Minutes(2) + Seconds(10));
  EXPECT_THAT(Attachments(), IsEmpty());
}

// CTRL-ADC-10
TEST_P(AttachDetachTest, ItFindsWhatAnEarlierLifeHasAttached) {
  w.AddNode("n1");
  w.AddNode("n2");
  AddDriver();
  AddBoundClaim("c");
  AddBoundClaim("d");
  // The node tells of one; of the other there is an attachment alone.
  w.Patch("nodes", "n1",
          fmt::format(R"({{"status":{{"volumesAttached":[{{"devicePath":"","name":"{}"}}]}}}})",
                      Unique("c")),
          "status");
  w.Create("volumeattachments",
           fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{"attacher":"{}","nodeName":"n2",
               "source":{{"persistentVolumeName":"pv-d"}}}}}})",
                       api::CsiVolumeNamed(Unique("d")).AttachmentOn("n2"), kDriver));
  StartAttaching();
  w.Advance(Seconds(10));
  EXPECT_THAT(AttachedTo("n1"), IsEmpty());
  // It may be mounted until the node says otherwise.
  EXPECT_THAT(Attachments(), ElementsAre("pv-d n2 attached"));
  w.Patch("nodes", "n2", R"({"status":{"volumesInUse":["other"]}})", "status");
  w.Advance(Seconds(10));
  EXPECT_THAT(Attachments(), IsEmpty());
}

// CTRL-ADC-13
TEST_P(AttachDetachTest, AnAttachmentThatSomebodyDeletesIsMadeAgain) {
  Prepare();
  Attach("c");
  const std::string name = api::CsiVolumeNamed(Unique("c")).AttachmentOn("n1");
  const std::string uid(w.Get("volumeattachments", name).uid());
  w.Delete("volumeattachments", name);
  w.Advance(Seconds(75));
  EXPECT_THAT(Attachments(), ElementsAre("pv-c n1 attached"));
  EXPECT_NE(w.Get("volumeattachments", name).uid(), uid);
}

// CTRL-ADC-13
TEST_P(AttachDetachTest, APodThatIsGoneWithItsClaimIsForgotten) {
  Prepare();
  Attach("c");
  SetInUse("n1", "");
  w.Freeze("pods");
  DeletePod("a");
  w.Delete("persistentvolumeclaims", "c");
  w.Settle();
  w.Freeze("pods", false);
  w.Advance(Seconds(75));
  EXPECT_THAT(Attachments(), IsEmpty());
}

// CTRL-ADC-12
TEST_P(AttachDetachTest, ADetachmentThatFailsIsTriedAgain) {
  Prepare();
  Attach("c");
  SetInUse("n1", "");
  DeletePod("a");
  w.Advance(Milliseconds(300));
  // The driver fails for a second.
  ASSERT_THAT(AttachedTo("n1"), IsEmpty());
  const std::string name = api::CsiVolumeNamed(Unique("c")).AttachmentOn("n1");
  w.Patch("volumeattachments", name, R"({"status":{"detachError":{"message":"busy"}}})", "status");
  w.Advance(Milliseconds(700));
  ASSERT_THAT(Attachments(), ElementsAre("pv-c n1 attached"));
  // 1.25 says again that it is attached; later it may be attached or not.
  if (From130())
    EXPECT_THAT(AttachedTo("n1"), IsEmpty());
  else
    EXPECT_THAT(AttachedTo("n1"), ElementsAre(Unique("c")));
  w.Advance(Seconds(20));
  EXPECT_THAT(Attachments(), IsEmpty());
  EXPECT_THAT(AttachedTo("n1"), IsEmpty());
}

// CTRL-ADC-05
TEST_P(AttachDetachTest, ANodeThatUsesTheVolumeAgainKeepsIt) {
  Prepare();
  Attach("c");
  SetInUse("n1", "");
  w.Freeze("nodes");
  SetInUse("n1", "c");
  DeletePod("a");
  w.Advance(Seconds(20));
  EXPECT_THAT(Attachments(), ElementsAre("pv-c n1 attached"));
  w.Freeze("nodes", false);
  SetInUse("n1", "");
  w.Advance(Minutes(2));
  EXPECT_THAT(Attachments(), IsEmpty());
}

}  // namespace
}  // namespace ksim
