// The DaemonSet controller's updates and ControllerRevisions, in all versions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ksim/api/pod.h"
#include "ksim/value/json.h"
#include "tests/whole/actors/daemonset_world.h"

namespace ksim {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class DaemonSetRollouts : public DaemonSets {
 protected:
  std::size_t PodsOf(std::string_view image) {
    std::size_t n = 0;
    for (const api::Object& pod : w.List("pods")) n += !pod.deleting() && ImageOf(pod) == image;
    return n;
  }
  std::size_t Deleting() {
    std::size_t n = 0;
    for (const api::Object& pod : w.List("pods")) n += pod.deleting();
    return n;
  }
  void MakeAgents(int nodes, std::string_view more_spec = {}) {
    AddNodes(nodes);
    w.Create("daemonsets", DaemonSetJson(more_spec));
    Start();
    RunPods();
  }
  std::vector<std::string> RevisionLines() {
    std::vector<std::string> lines;
    for (const api::Object& revision : Revisions()) {
      static const value::Path kContainers{"data", "spec", "template", "spec", "containers"};
      lines.push_back(fmt::format("{} {}", revision.tree().Get("revision").AsInt(),
                                  revision.Get(kContainers).at(0).Get("image").AsString()));
    }
    return lines;
  }
};

INSTANTIATE_TEST_SUITE_P(Compat, DaemonSetRollouts, testing::ValuesIn(kCompats),
                         [](const auto& info) { return std::to_string(int(info.param)); });

// CTRL-DS-13: a pod goes, its node gets a new one, and only when that is available the next goes.
TEST_P(DaemonSetRollouts, OneNodeAtATime) {
  MakeAgents(3);
  SetImage("i:2");
  for (std::size_t done = 1; done <= 3; ++done) {
    EXPECT_EQ(Deleting(), 1u);
    EXPECT_EQ(PodsOf("i:1"), 3 - done);
    EndPods();
    EXPECT_EQ(PodsOf("i:2"), done);
    EXPECT_EQ(Status("updatedNumberScheduled"), static_cast<std::int64_t>(done));
    if (done < 3) {
      EXPECT_EQ(Deleting(), 0u) << "the new one is not available yet";
    }
    RunPods();
  }
  EXPECT_EQ(Status("numberAvailable"), 3);
  w.Forget();
  w.Advance(Minutes(1));
  EXPECT_THAT(w.Writes(), IsEmpty());
}

// CTRL-DS-12, CTRL-DS-14: with maxSurge the new pod comes beside the old one, which goes when the
// new one is available.
TEST_P(DaemonSetRollouts, ASurgeKeepsTheOldPod) {
  MakeAgents(2, R"(,"updateStrategy":{"rollingUpdate":{"maxUnavailable":0,"maxSurge":1}})");
  SetImage("i:2");
  EXPECT_EQ(PodsOf("i:1"), 2u);
  EXPECT_EQ(PodsOf("i:2"), 1u);
  EXPECT_THAT(PodsFor("n1"), SizeIs(2));
  RunPods();
  EXPECT_EQ(Deleting(), 1u);
  EXPECT_EQ(PodsOf("i:2"), 2u) << "the next node";
  EndPods();
  RunPods();
  EndPods();
  EXPECT_EQ(PodsOf("i:1"), 0u);
  EXPECT_EQ(PodsOf("i:2"), 2u);
  EXPECT_EQ(Status("numberAvailable"), 2);
}

// CTRL-DS-12: with maxSurge a pod that is being deleted is replaced at once.
TEST_P(DaemonSetRollouts, ASurgingSetReplacesADeletedPodAtOnce) {
  MakeAgents(1, R"(,"updateStrategy":{"rollingUpdate":{"maxUnavailable":0,"maxSurge":1}})");
  w.Delete("pods", w.TheOnlyPod());
  w.Settle();
  EXPECT_THAT(PodsFor("n1"), SizeIs(2));
  EXPECT_EQ(PodsOf("i:1"), 1u);
}

// CTRL-DS-12: an old pod that is not ready does not stay beside the new one.
TEST_P(DaemonSetRollouts, AnOldPodThatFallsIllGoes) {
  MakeAgents(1, R"(,"updateStrategy":{"rollingUpdate":{"maxUnavailable":0,"maxSurge":1}})");
  const std::string old = w.TheOnlyPod();
  SetImage("i:2");
  EXPECT_THAT(PodsFor("n1"), SizeIs(2));
  EXPECT_FALSE(w.Get("pods", old).deleting());
  w.MakeReady(old, false);
  w.Settle();
  EXPECT_TRUE(w.Get("pods", old).deleting());
}

// CTRL-DS-15: OnDelete leaves old pods; who deletes one gets the new template.
TEST_P(DaemonSetRollouts, OnDeleteWaitsForTheUser) {
  MakeAgents(2, R"(,"updateStrategy":{"type":"OnDelete"})");
  SetImage("i:2");
  w.Advance(Minutes(1));
  EXPECT_EQ(PodsOf("i:1"), 2u);
  EXPECT_EQ(Status("updatedNumberScheduled"), 0);
  w.Delete("pods", PodsFor("n1")[0].name(), Grace(0));
  w.Settle();
  ASSERT_THAT(PodsFor("n1"), SizeIs(1));
  EXPECT_EQ(ImageOf(PodsFor("n1")[0]), "i:2");
  EXPECT_EQ(PodsFor("n1")[0].Label("pod-template-generation"), "2");
}

// CTRL-DS-16: each template has a revision, whose number is the highest while it is current.
TEST_P(DaemonSetRollouts, RevisionsAreNumberedAsTheyBecomeCurrent) {
  MakeAgents(1);
  EXPECT_THAT(RevisionLines(), ElementsAre("1 i:1"));
  const api::Object first = Revisions()[0];
  EXPECT_EQ(first.controller()->name, "agent");
  EXPECT_EQ(first.Label("app"), "agent");
  EXPECT_EQ(first.name(), fmt::format("agent-{}", HashOf(first)));
  EXPECT_EQ(HashOf(PodsFor("n1")[0]), HashOf(first));
  static const value::Path kPatch{"data", "spec", "template", "$patch"};
  EXPECT_EQ(first.Get(kPatch).AsString(), "replace");
  SetImage("i:2");
  EXPECT_THAT(RevisionLines(), ElementsAre("1 i:1", "2 i:2"));
  SetImage("i:1");
  EXPECT_THAT(RevisionLines(), ElementsAre("2 i:2", "3 i:1")) << "the same one, with a new number";
  w.Forget();
  w.Patch("daemonsets", "agent", R"({"spec":{"minReadySeconds":1}})");
  w.Settle();
  EXPECT_THAT(RevisionLines(), SizeIs(2)) << "not of the template";
}

// CTRL-DS-18: beyond revisionHistoryLimit old ones go, the oldest first, but those of live pods.
TEST_P(DaemonSetRollouts, OldRevisionsGo) {
  MakeAgents(2, R"(,"revisionHistoryLimit":1,"updateStrategy":{"type":"OnDelete"})");
  SetImage("i:2");
  SetImage("i:3");
  EXPECT_THAT(RevisionLines(), ElementsAre("1 i:1", "3 i:3")) << "pods are of the first";
  for (const char* node : {"n1", "n2"}) {
    w.Delete("pods", PodsFor(node)[0].name(), Grace(0));
    w.Settle();
  }
  SetImage("i:4");
  EXPECT_THAT(RevisionLines(), ElementsAre("3 i:3", "4 i:4"));
}

// CTRL-DS-19: revisions without an owner are adopted, and those that do not match are released.
TEST_P(DaemonSetRollouts, RevisionsAreAdoptedAndReleased) {
  MakeAgents(1);
  const std::string name(Revisions()[0].name());
  w.Patch("controllerrevisions", name,
          R"({"metadata":{"ownerReferences":[{"$patch":"replace"}]}})");
  w.Settle();
  ASSERT_TRUE(w.Get("controllerrevisions", name).controller().has_value());
  EXPECT_EQ(w.Get("controllerrevisions", name).controller()->name, "agent");
  w.Patch("controllerrevisions", name, R"({"metadata":{"labels":{"app":"other"}}})");
  w.Settle();
  EXPECT_FALSE(w.Get("controllerrevisions", name).controller().has_value());
}

// CTRL-DS-03: a revision that somebody deletes is made again.
TEST_P(DaemonSetRollouts, ADeletedRevisionIsMadeAgain) {
  MakeAgents(1);
  const api::Object first = Revisions()[0];
  w.Delete("controllerrevisions", first.name());
  w.Settle();
  ASSERT_THAT(Revisions(), SizeIs(1));
  EXPECT_EQ(Revisions()[0].name(), first.name());
  EXPECT_NE(Revisions()[0].uid(), first.uid());
}

// CTRL-DS-06: the generation of the template counts from what the client gave.
TEST_P(DaemonSetRollouts, TheGenerationOfTheTemplateCountsOn) {
  AddNodes(1);
  w.Create("daemonsets", DaemonSetJson());
  w.Patch("daemonsets", "agent",
          R"({"metadata":{"annotations":{"deprecated.daemonset.template.generation":"9"}}})");
  EXPECT_EQ(w.Get("daemonsets", "agent").Annotation("deprecated.daemonset.template.generation"),
            "1")
      << "no update sets it";
  SetImage("i:2");
  EXPECT_EQ(w.Get("daemonsets", "agent").Annotation("deprecated.daemonset.template.generation"),
            "2");
  std::string given = DaemonSetJson();
  given.replace(given.find(R"("agent"})"), 8,
                R"("given","annotations":{"deprecated.daemonset.template.generation":"5"}})");
  w.Create("daemonsets", given);
  EXPECT_EQ(w.Get("daemonsets", "given").Annotation("deprecated.daemonset.template.generation"),
            "5");
}

// CTRL-DS-17: a name that another revision has is a collision, which the status counts; the next
// name is another one.
TEST_P(DaemonSetRollouts, ACollisionIsCounted) {
  MakeAgents(1);
  const std::string name(Revisions()[0].name());
  w.Delete("daemonsets", "agent");
  w.Settle();
  w.Patch("controllerrevisions", name,
          R"({"metadata":{"labels":{"app":"other"},"ownerReferences":[{"$patch":"replace"}]}})");
  w.Settle();
  w.Delete("controllerrevisions", name);
  w.Create("controllerrevisions",
           R"({"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"name":")" + name +
               R"("},"revision":1,"data":{"other":"data"}})");
  w.Create("daemonsets", DaemonSetJson());
  w.Advance(Seconds(5));
  EXPECT_EQ(Status("collisionCount"), 1);
  // Nobody takes that back.
  api::Request back = w.api.Request(api::Verb::kPatch, "daemonsets", "default", "agent");
  back.patch_type = api::PatchType::kMerge;
  back.subresource = "status";
  back.body = apiserver::Json(R"({"status":{"collisionCount":0}})");
  const api::Response refused = w.Do(std::move(back));
  EXPECT_EQ(refused.code, 422);
  EXPECT_EQ(refused.status.message,
            "DaemonSet.apps \"agent\" is invalid: status.collisionCount: Invalid value: 0: cannot "
            "be decremented");
  bool owned = false;
  for (const api::Object& revision : Revisions()) {
    if (!revision.controller()) continue;
    owned = true;
    EXPECT_NE(revision.name(), name);
  }
  EXPECT_TRUE(owned);
}

// CTRL-DS-16: of several revisions of one template the one with the highest number stays, and the
// pods get its hash.
TEST_P(DaemonSetRollouts, EqualRevisionsBecomeOne) {
  MakeAgents(1);
  const api::Object first = Revisions()[0];
  const std::string data(value::ToJson(first.tree().Get("data")));
  w.Create("controllerrevisions", fmt::format(
                                      R"({{"apiVersion":"apps/v1","kind":"ControllerRevision",
      "metadata":{{"name":"agent-twin","labels":{{"app":"agent"}}}},"revision":5,"data":{}}})",
                                      data));
  w.Advance(Seconds(5));
  ASSERT_THAT(Revisions(), SizeIs(1));
  EXPECT_EQ(Revisions()[0].name(), "agent-twin");
  EXPECT_EQ(HashOf(Revisions()[0]), "agent-twin") << "its name, as it had no hash";
  for (const api::Object& pod : w.List("pods")) EXPECT_EQ(HashOf(pod), "agent-twin");
  EXPECT_EQ(Deleting(), 0u);
}

}  // namespace
}  // namespace ksim
