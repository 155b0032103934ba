// The claims of a StatefulSet's pods: when they are created, and who owns them, in all versions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/whole/actors/statefulset_world.h"

namespace ksim {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

class StatefulSetClaims : public StatefulSetTest {
 protected:
  static std::string Spec(std::string_view policy = {}) {
    return fmt::format(
        R"(,"volumeClaimTemplates":[{{"metadata":{{"name":"data"}},"spec":{{"accessModes":)"
        R"(["ReadWriteOnce"],"resources":{{"requests":{{"storage":"1Gi"}}}}}}}}]{})",
        policy);
  }
  static std::string Policy(std::string_view scaled, std::string_view deleted) {
    return fmt::format(
        R"(,"persistentVolumeClaimRetentionPolicy":{{"whenScaled":"{}","whenDeleted":"{}"}})",
        scaled, deleted);
  }
  std::vector<std::string> ClaimNames() {
    std::vector<std::string> names;
    for (const api::Object& claim : w.List("persistentvolumeclaims"))
      names.emplace_back(claim.name());
    return names;
  }
  std::string OwnerOf(const std::string& claim) {
    const auto owner = w.Get("persistentvolumeclaims", claim).controller();
    return owner ? owner->kind + "/" + owner->name : "";
  }
};

INSTANTIATE_TEST_SUITE_P(Compat, StatefulSetClaims, testing::ValuesIn(kCompats),
                         [](const auto& info) { return std::to_string(int(info.param)); });

// CTRL-STS-16, CTRL-STS-18
TEST_P(StatefulSetClaims, AreCreatedBeforeTheirPod) {
  w.Create("statefulsets", StatefulSetJson(2, Spec()));
  StartSets();
  const std::vector<std::string> writes = w.Writes();
  ASSERT_GE(writes.size(), 3u);
  EXPECT_EQ(writes[1], "create persistentvolumeclaims/data-web-0");
  EXPECT_EQ(writes[2], "create pods/web-0");
  EXPECT_THAT(ClaimNames(), ElementsAre("data-web-0"));
  const api::Object claim = w.Get("persistentvolumeclaims", "data-web-0");
  EXPECT_EQ(claim.Label("app"), "web");
  EXPECT_EQ(claim.spec().Get("resources").Get("requests").Get("storage").AsString(), "1Gi");
  const value::Value volume = w.Get("pods", "web-0").spec().Get("volumes").at(0);
  EXPECT_EQ(volume.Get("persistentVolumeClaim").Get("claimName").AsString(), "data-web-0");
  w.Forget();
  Run("web-0");
  EXPECT_THAT(w.EventTexts(),
              Contains(fmt::format("Normal SuccessfulCreate {} Claim data-web-1 Pod "
                                   "web-1 in StatefulSet web success",
                                   Word("create"))));
}

// CTRL-STS-16: claims outlive their pods, and are taken up again.
TEST_P(StatefulSetClaims, StayWhenTheSetShrinks) {
  MakeReadySet(2, Spec());
  Scale(1);
  Finish("web-1");
  EXPECT_THAT(ClaimNames(), ElementsAre("data-web-0", "data-web-1"));
  EXPECT_EQ(OwnerOf("data-web-1"), "");
  w.Forget();
  Scale(2);
  EXPECT_THAT(PodWrites(), ElementsAre("create pods/web-1"));
}

// CTRL-STS-16: a claim that is being deleted keeps its pod from being created.
TEST_P(StatefulSetClaims, ThatAreBeingDeletedHoldBackTheirPod) {
  MakeReadySet(1, Spec());
  w.Patch("persistentvolumeclaims", "data-web-0",
          R"({"metadata":{"finalizers":["example.com/stay"]}})");
  w.Delete("persistentvolumeclaims", "data-web-0");
  w.Settle();
  w.Forget();
  w.Delete("pods", "web-0", Grace(0));
  w.Settle();
  EXPECT_THAT(w.PodNames(), IsEmpty());
  EXPECT_THAT(w.EventTexts(),
              Contains(fmt::format("Warning FailedCreate {} Pod web-0 in StatefulSet web failed "
                                   "error: pvc data-web-0 is being deleted",
                                   Word("create"))));
}

// CTRL-STS-16: from 1.28 on a claim that a pending pod has lost is created again.
TEST_P(StatefulSetClaims, OfAPendingPodAreCreatedAgain) {
  w.Create("statefulsets", StatefulSetJson(1, Spec()));
  StartSets();
  w.Delete("persistentvolumeclaims", "data-web-0");
  w.Settle();
  w.Patch("pods", "web-0", R"({"metadata":{"annotations":{"a":"b"}}})");
  w.Settle();
  if (From130()) {
    EXPECT_THAT(ClaimNames(), ElementsAre("data-web-0"));
  } else {
    EXPECT_THAT(ClaimNames(), IsEmpty());
  }
}

// CTRL-STS-17
TEST_P(StatefulSetClaims, BelongToTheSetThatDeletesThem) {
  if (!From130()) return;  // the gate is off
  MakeReadySet(2, Spec(Policy("Retain", "Delete")));
  EXPECT_EQ(OwnerOf("data-web-0"), "StatefulSet/web");
  w.Patch("statefulsets", "web",
          R"({"spec":{"persistentVolumeClaimRetentionPolicy":{"whenDeleted":"Retain"}}})");
  w.Settle();
  EXPECT_EQ(OwnerOf("data-web-0"), "") << "the policy has changed";
}

// CTRL-STS-17: scaled away, a claim belongs to its pod, and goes with it; until it is gone no new
// pod of that name is created.
TEST_P(StatefulSetClaims, BelongToThePodThatIsScaledAway) {
  if (!From130()) return;
  MakeReadySet(2, Spec(Policy("Delete", "Delete")));
  EXPECT_EQ(OwnerOf("data-web-1"), "StatefulSet/web");
  Scale(1);
  EXPECT_EQ(OwnerOf("data-web-1"), "Pod/web-1");
  EXPECT_EQ(OwnerOf("data-web-0"), "StatefulSet/web");
  Finish("web-1");
  w.Forget();
  Scale(2);
  EXPECT_THAT(PodWrites(), IsEmpty()) << "the garbage collector has yet to delete the old claim";
  w.Delete("persistentvolumeclaims", "data-web-1");
  w.Settle();
  w.Patch("statefulsets", "web", R"({"metadata":{"annotations":{"a":"b"}}})");
  w.Settle();
  EXPECT_THAT(PodWrites(), ElementsAre("create pods/web-1"));
}

}  // namespace
}  // namespace ksim
