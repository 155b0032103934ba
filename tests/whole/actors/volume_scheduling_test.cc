// The scheduler and the claims of pods, against real API servers.
#include <gmock/gmock.h>

#include "tests/whole/actors/volume_world.h"

namespace ksim {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class VolumeSchedulingTest : public VolumeTest {
 protected:
  // The message of a pod that no node is asked about: 1.25 says the reason of each node, and 1.36
  // ends in the DynamicResources plugin.
  std::string Rejected(std::string_view reason) const {
    if (From136()) return fmt::format("0/1 nodes are available: {}. not found", reason);
    return fmt::format(
        "0/1 nodes are available: {}{}. preemption: 0/1 nodes are available: 1 "
        "Preemption is not helpful for scheduling.",
        From130() ? "" : "1 ", reason);
  }
  std::vector<std::string> WritesAbout(std::string_view resource) {
    std::vector<std::string> found;
    for (std::string& write : w.Writes())
      if (write.find(resource) != write.npos) found.push_back(std::move(write));
    return found;
  }
};
INSTANTIATE_TEST_SUITE_P(Compat, VolumeSchedulingTest, testing::ValuesIn(kCompats), NameOfCompat);

// SCHED-31
TEST_P(VolumeSchedulingTest, APodWaitsForItsClaimToBeThereAndBound) {
  w.AddNode("n1");
  w.StartScheduler();
  AddPod("p", "c");
  w.Settle();
  EXPECT_EQ(w.NodeOf("p"), "");
  EXPECT_EQ(ConditionMessage("p"), Rejected("persistentvolumeclaim \"c\" not found"));
  AddClaim("c");
  w.Advance(Seconds(3));
  EXPECT_EQ(ConditionMessage("p"), Rejected("pod has unbound immediate PersistentVolumeClaims"));
  AddVolume("pv");
  StartBinder();
  w.Advance(Seconds(30));
  EXPECT_EQ(w.NodeOf("p"), "n1");
}

// SCHED-31
TEST_P(VolumeSchedulingTest, AClaimThatIsLostOrGoingHoldsItsPodBack) {
  w.AddNode("n1");
  w.StartScheduler();
  AddClaim("lost", "1Gi", R"(,"volumeName":"gone")");
  w.Patch("persistentvolumeclaims", "lost", R"({"status":{"phase":"Lost"}})", "status");
  AddClaim("going", "1Gi", "", R"("ReadWriteOnce")", R"(,"finalizers":["example.com/stay"])");
  w.Delete("persistentvolumeclaims", "going");
  w.Settle();
  AddPod("p", "lost");
  AddPod("q", "going");
  w.Settle();
  EXPECT_EQ(ConditionMessage("p"), Rejected("persistentvolumeclaim \"lost\" bound to non-existent "
                                            "persistentvolume \"gone\""));
  EXPECT_EQ(ConditionMessage("q"), Rejected("persistentvolumeclaim \"going\" is being deleted"));
}

// SCHED-32
TEST_P(VolumeSchedulingTest, ABoundVolumeChoosesTheNode) {
  w.AddNode("n1");
  w.AddNode("n2");
  const std::string affinity =
      R"(,"nodeAffinity":{"required":{"nodeSelectorTerms":[{"matchExpressions":[
         {"key":"kubernetes.io/hostname","operator":"In","values":["n2"]}]}]}})";
  AddVolume("pv", "1Gi", affinity);
  StartBinder();
  AddClaim("c");
  w.StartScheduler();
  AddPod("p", "c");
  w.Settle();
  EXPECT_EQ(w.NodeOf("p"), "n2");
  w.Patch("nodes", "n2", R"({"spec":{"unschedulable":true}})");
  AddPod("q", "c");
  w.Settle();
  EXPECT_THAT(ConditionMessage("q"),
              HasSubstr(From136() ? "1 node(s) didn't match PersistentVolume's node affinity"
                                  : "1 node(s) had volume node affinity conflict"));
}

// SCHED-33: a volume that is there. The scheduler reserves it, the binder binds the claim, then the
// pod is bound.
TEST_P(VolumeSchedulingTest, BindsTheVolumesOfADelayedClaimBeforeThePod) {
  AddClass("local", Waits(), "kubernetes.io/no-provisioner");
  for (const char* node : {"n1", "n2"}) {
    w.AddNode(node);
    AddVolume(fmt::format("on-{}", node), "1Gi",
              Class("local") + fmt::format(R"(,"nodeAffinity":{{"required":{{"nodeSelectorTerms":[{{
                      "matchExpressions":[{{"key":"kubernetes.io/hostname","operator":"In",
                      "values":["{}"]}}]}}]}}}})",
                                           node));
  }
  StartBinder();
  AddClaim("c", "1Gi", Class("local"));
  w.StartScheduler();
  w.Settle();
  w.Forget();
  AddPod("p", "c", R"(,"nodeSelector":{"kubernetes.io/hostname":"n2"})");
  w.Advance(Seconds(4));
  EXPECT_EQ(w.NodeOf("p"), "n2");
  EXPECT_EQ(ClaimState("c"), "Bound on-n2");
  EXPECT_EQ(VolumeState("on-n1"), "Available ");
  std::vector<std::string> writes = w.Writes();
  if (From136()) {
    ASSERT_FALSE(writes.empty());
    EXPECT_EQ(writes[0], "patch pods/p/status") << "it is nominated meanwhile";
    writes.erase(writes.begin());
  }
  EXPECT_THAT(writes,
              ElementsAre("update persistentvolumes/on-n2", "update persistentvolumes/on-n2/status",
                          "update persistentvolumeclaims/c",
                          "update persistentvolumeclaims/c/status", "create pods/p/binding"));
  // Nothing is left for another pod with a claim of that class.
  AddClaim("d", "2Gi", Class("local"));
  AddPod("q", "d");
  w.Settle();
  EXPECT_THAT(ConditionMessage("q"),
              HasSubstr("2 node(s) didn't find available persistent volumes to bind"));
}

// SCHED-33, SCHED-34: a volume that a provisioner makes for the chosen node.
TEST_P(VolumeSchedulingTest, HasAVolumeMadeForTheChosenNode) {
  AddClass("lazy", Waits());
  w.AddNode("n1");
  StartBinder();
  AddClaim("c", "1Gi", Class("lazy"));
  w.StartScheduler();
  w.Settle();
  w.Forget();
  AddPod("p", "c");
  w.Advance(Milliseconds(800));
  EXPECT_EQ(Claim("c").Annotation("volume.kubernetes.io/selected-node"), "n1");
  EXPECT_EQ(w.NodeOf("p"), "");
  EXPECT_EQ(w.Get("pods", "p").status().Get("nominatedNodeName").AsString(), From136() ? "n1" : "");
  w.Advance(Seconds(6));
  EXPECT_EQ(w.NodeOf("p"), "n1");
  EXPECT_THAT(ClaimState("c"), HasSubstr("Bound pvc-"));
}

// SCHED-34: topologies of the class leave nodes out; without a node that is left nothing is made.
TEST_P(VolumeSchedulingTest, MakesVolumesWhereTheClassAllowsThem) {
  AddClass("zonal", Waits() + R"(,"allowedTopologies":[{"matchLabelExpressions":[
             {"key":"kubernetes.io/hostname","values":["n2"]}]}])");
  w.AddNode("n1");
  StartBinder();
  AddClaim("c", "1Gi", Class("zonal"));
  w.StartScheduler();
  AddPod("p", "c");
  w.Settle();
  EXPECT_THAT(ConditionMessage("p"),
              HasSubstr("1 node(s) didn't find available persistent volumes to bind"));
  w.AddNode("n2");
  w.Advance(Seconds(10));
  EXPECT_EQ(w.NodeOf("p"), "n2");
}

// SCHED-34: a pod that is deleted while its volumes are bound is not.
TEST_P(VolumeSchedulingTest, GivesUpWhenThePodIsGone) {
  AddClass("lazy", Waits());
  w.AddNode("n1", "1");
  AddClaim("c", "1Gi", Class("lazy"));
  w.StartScheduler();
  AddPod("p", "c");
  w.Settle();
  EXPECT_EQ(Claim("c").Annotation("volume.kubernetes.io/selected-node"), "n1");
  w.Delete("pods", "p", Grace(0));
  w.Settle();
  EXPECT_THAT(w.EventTexts(),
              Contains("Warning FailedScheduling running PreBind plugin \"VolumeBinding\": binding "
                       "volumes: pod does not exist any more: pod \"p\" not found"));
  w.Create("pods", PodJson("q"));
  w.Settle();
  EXPECT_EQ(w.NodeOf("q"), "n1") << "its place is free";
}

// SCHED-34: nobody binds the claim, and after ten minutes the pod is tried anew.
TEST_P(VolumeSchedulingTest, WaitsTenMinutes) {
  AddClass("lazy", Waits());
  w.AddNode("n1");
  AddClaim("c", "1Gi", Class("lazy"));
  w.StartScheduler();
  AddPod("p", "c");
  w.Advance(Minutes(9));
  EXPECT_EQ(ConditionMessage("p"), "");
  w.Advance(Seconds(65));
  EXPECT_EQ(ConditionMessage("p"),
            From130() ? "running PreBind plugin \"VolumeBinding\": binding volumes: context "
                        "deadline exceeded"
                      : "running PreBind plugin \"VolumeBinding\": binding volumes: timed out "
                        "waiting for the condition");
}

// SCHED-35
TEST_P(VolumeSchedulingTest, OnePodAloneHasAClaimForOnePod) {
  if (!From130()) return;  // the gate is off
  w.AddNode("n1");
  AddVolume("pv", "1Gi", "", R"("ReadWriteOncePod")");
  StartBinder();
  AddClaim("c", "1Gi", "", R"("ReadWriteOncePod")");
  w.StartScheduler();
  AddPod("p", "c");
  w.Settle();
  AddPod("q", "c");
  w.Settle();
  EXPECT_EQ(w.NodeOf("p"), "n1");
  EXPECT_THAT(ConditionMessage("q"),
              HasSubstr(From136() ? "1 node(s) unavailable due to PersistentVolumeClaim with "
                                    "ReadWriteOncePod access mode already in-use by another pod"
                                  : "1 node has pod using PersistentVolumeClaim with the same name "
                                    "and ReadWriteOncePod access mode"));
  w.Delete("pods", "p", Grace(0));
  w.Advance(Seconds(12));
  EXPECT_EQ(w.NodeOf("q"), "n1");
}

// SCHED-36
TEST_P(VolumeSchedulingTest, WatchesNoVolumesBeforeThereAreAny) {
  w.AddNode("n1");
  w.Forget();
  w.StartScheduler();
  w.Create("pods", PodJson("p"));
  w.Advance(Minutes(1));
  EXPECT_EQ(w.NodeOf("p"), "n1");
  EXPECT_THAT(w.Requests({"persistentvolumes", "persistentvolumeclaims", "storageclasses"}),
              IsEmpty());
}

}  // namespace
}  // namespace ksim
