// The StatefulSet controller's pods: which are created, waited for, rolled and deleted, in all
// versions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/whole/actors/statefulset_world.h"

namespace ksim {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class StatefulSetPods : public StatefulSetTest {};

INSTANTIATE_TEST_SUITE_P(Compat, StatefulSetPods, testing::ValuesIn(kCompats),
                         [](const auto& info) { return std::to_string(int(info.param)); });

// CTRL-STS-02, CTRL-STS-14, CTRL-STS-18: one pod a step, each waits for the one before.
TEST_P(StatefulSetPods, AreCreatedInOrder) {
  w.Create("statefulsets", StatefulSetJson(3));
  StartSets();
  // The name is what Go's hash gives (k8s.io/api 0.30.14 and 0.36.3).
  const char* revision = From136() ? "web-88b8c7b96" : "web-6dbb7bd4cd";
  EXPECT_THAT(w.Writes(), ElementsAre(fmt::format("create controllerrevisions/{}", revision),
                                      "create pods/web-0", "update statefulsets/web/status",
                                      "update statefulsets/web/status"));
  EXPECT_THAT(w.PodNames(), ElementsAre("web-0"));
  SetPhase("web-0", "Running");
  EXPECT_THAT(PodWrites(), IsEmpty()) << "it is not ready";
  Run("web-0");
  EXPECT_THAT(w.PodNames(), ElementsAre("web-0", "web-1"));
  w.Forget();
  Run("web-1");
  EXPECT_THAT(w.EventTexts(), Contains(fmt::format("Normal SuccessfulCreate {} Pod web-2 in "
                                                   "StatefulSet web successful",
                                                   Word("create"))));
  Run("web-2");
  EXPECT_THAT(w.PodNames(), ElementsAre("web-0", "web-1", "web-2"));
  EXPECT_EQ(Status("readyReplicas").AsInt(), 3);
  EXPECT_EQ(Status("availableReplicas").AsInt(), 3);
  EXPECT_EQ(Status("currentReplicas").AsInt(), 3);
  EXPECT_EQ(Status("updatedReplicas").AsInt(), 3);
  EXPECT_EQ(Text("currentRevision"), RevisionOfPod("web-0"));
  EXPECT_EQ(Text("currentRevision"), Text("updateRevision"));
  w.Forget();
  w.Advance(Minutes(5));
  EXPECT_THAT(w.Writes(), IsEmpty()) << "a set that is as it should be makes no requests";
}

// CTRL-STS-02
TEST_P(StatefulSetPods, WaitForOneThatIsBeingDeleted) {
  MakeReadySet(2);
  w.Delete("pods", "web-0");
  Scale(3);
  EXPECT_THAT(w.PodNames(), ElementsAre("web-0", "web-1")) << "no web-2 while web-0 terminates";
  Finish("web-0");
  EXPECT_THAT(w.PodNames(), ElementsAre("web-0", "web-1"));
  Run("web-0");
  EXPECT_THAT(w.PodNames(), ElementsAre("web-0", "web-1", "web-2"));
}

// CTRL-STS-03: the numbers of POSTs that the controller sends at once.
TEST_P(StatefulSetPods, OfAParallelSetAreCreatedInBatchesThatDouble) {
  w.Create("statefulsets", StatefulSetJson(10, R"(,"podManagementPolicy":"Parallel")"));
  StartSets();
  std::map<VirtualTime, std::size_t> posts;
  for (const sim::Event& e : w.events()) {
    if (e.kind != sim::EventKind::kRequest) continue;
    const api::Request& r = e.payload.As<client::RequestPayload>().request;
    if (r.verb == api::Verb::kCreate && r.resource->resource == "pods") ++posts[e.time];
  }
  std::vector<std::size_t> batches;
  for (const auto& [time, n] : posts) batches.push_back(n);
  EXPECT_THAT(batches, ElementsAre(1, 2, 4, 3));
  EXPECT_THAT(w.PodNames(), SizeIs(10)) << "none waits for another";
  w.Forget();
  Scale(7);
  EXPECT_THAT(PodWrites(), testing::UnorderedElementsAre("delete pods/web-7", "delete pods/web-8",
                                                         "delete pods/web-9"));
}

// CTRL-STS-04: a failed pod is replaced; from 1.28 on a later sync creates the next one, and one
// that succeeded is replaced too.
TEST_P(StatefulSetPods, ThatHaveEndedAreReplaced) {
  MakeReadySet(1);
  const std::string first(w.Get("pods", "web-0").uid());
  SetPhase("web-0", "Failed");
  EXPECT_THAT(PodWrites(), ElementsAre("delete pods/web-0", "create pods/web-0"));
  const std::string second(w.Get("pods", "web-0").uid());
  EXPECT_NE(first, second);
  w.Bind("web-0", "n1");
  SetPhase("web-0", "Succeeded");
  if (From130()) {
    EXPECT_NE(w.Get("pods", "web-0").uid(), second);
  } else {
    EXPECT_EQ(w.Get("pods", "web-0").uid(), second) << "1.25 waits for it";
  }
}

// CTRL-STS-04, CTRL-STS-18
TEST_P(StatefulSetPods, ThatFailAreToldOfInOldVersions) {
  MakeReadySet(1);
  SetPhase("web-0", "Failed");
  const std::vector<std::string> texts = w.EventTexts();
  const std::string deleted = fmt::format(
      "Normal SuccessfulDelete {} Pod web-0 in StatefulSet web successful", Word("delete"));
  EXPECT_THAT(texts, Contains(deleted));
  const auto recreating = Contains(
      "Warning RecreatingFailedPod StatefulSet default/web is recreating failed Pod web-0");
  if (From130()) {
    EXPECT_THAT(texts, Not(recreating));
  } else {
    EXPECT_THAT(texts, recreating);
  }
}

// CTRL-STS-05
TEST_P(StatefulSetPods, AreScaledAwayFromTheHighestOneByOne) {
  MakeReadySet(3);
  Scale(1);
  EXPECT_THAT(PodWrites(), ElementsAre("delete pods/web-2"));
  w.Advance(Minutes(1));
  EXPECT_THAT(PodWrites(), IsEmpty()) << "web-2 still terminates";
  Finish("web-2");
  EXPECT_THAT(PodWrites(), ElementsAre("delete pods/web-1"));
  Finish("web-1");
  EXPECT_THAT(w.PodNames(), ElementsAre("web-0"));
  EXPECT_EQ(Status("replicas").AsInt(), 1);
}

// CTRL-STS-05: of several that are not well only the lowest may go.
TEST_P(StatefulSetPods, ThatAreNotWellBlockScalingDown) {
  MakeReadySet(4);
  w.MakeReady("web-2", false);
  w.MakeReady("web-3", false);
  w.Settle();
  w.Forget();
  Scale(1);
  EXPECT_THAT(PodWrites(), IsEmpty()) << "web-3 is not the lowest of them";
  w.MakeReady("web-3");
  w.Settle();
  EXPECT_THAT(PodWrites(), ElementsAre("delete pods/web-3"));
  Finish("web-3");
  EXPECT_THAT(PodWrites(), ElementsAre("delete pods/web-2")) << "it is the lowest of them";
}

// CTRL-STS-06, CTRL-STS-14
TEST_P(StatefulSetPods, AreRolledFromTheHighestOneByOne) {
  MakeReadySet(3);
  const std::string old_revision = Text("currentRevision");
  SetImage("i:2");
  EXPECT_THAT(PodWrites(), ElementsAre("delete pods/web-2"));
  const std::string new_revision = Text("updateRevision");
  EXPECT_NE(new_revision, old_revision);
  EXPECT_EQ(Text("currentRevision"), old_revision);
  EXPECT_EQ(Status("currentReplicas").AsInt(), 2) << "web-2 does not count any more";
  Finish("web-2");
  EXPECT_THAT(PodWrites(), ElementsAre("create pods/web-2"));
  EXPECT_EQ(ImageOf("web-2"), "i:2");
  EXPECT_EQ(RevisionOfPod("web-2"), new_revision);
  w.Advance(Minutes(1));
  EXPECT_THAT(PodWrites(), IsEmpty()) << "web-2 is not ready";
  Run("web-2");
  EXPECT_THAT(PodWrites(), Contains("delete pods/web-1"));
  for (const char* pod : {"web-1", "web-0"}) {
    Finish(pod);
    Run(pod);
  }
  EXPECT_EQ(ImageOf("web-0"), "i:2");
  EXPECT_EQ(Text("currentRevision"), new_revision);
  EXPECT_EQ(Status("currentReplicas").AsInt(), 3);
}

// CTRL-STS-06, CTRL-STS-07: below the partition pods stay, and come back, as they were.
TEST_P(StatefulSetPods, BelowThePartitionStayAtTheCurrentRevision) {
  MakeReadySet(3, R"(,"updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"partition":2}})");
  SetImage("i:2");
  Finish("web-2");
  Run("web-2");
  w.Forget();
  w.Advance(Minutes(1));
  EXPECT_THAT(PodWrites(), IsEmpty());
  EXPECT_EQ(ImageOf("web-2"), "i:2");
  w.Delete("pods", "web-0", Grace(0));
  w.Settle();
  EXPECT_EQ(ImageOf("web-0"), "i:1");
  Run("web-0");
  EXPECT_NE(Text("currentRevision"), Text("updateRevision"));
  EXPECT_EQ(Status("updatedReplicas").AsInt(), 1);
  EXPECT_EQ(Status("currentReplicas").AsInt(), 2);
}

// CTRL-STS-06
TEST_P(StatefulSetPods, OfOnDeleteAreNeverDeletedForAnUpdate) {
  MakeReadySet(2, R"(,"updateStrategy":{"type":"OnDelete"})");
  SetImage("i:2");
  w.Advance(Minutes(1));
  EXPECT_THAT(PodWrites(), IsEmpty());
  w.Delete("pods", "web-1", Grace(0));
  w.Settle();
  EXPECT_EQ(ImageOf("web-1"), "i:2");
  EXPECT_EQ(ImageOf("web-0"), "i:1");
}

// CTRL-STS-02, CTRL-STS-06: upstream's known stall (k/k#67250): a pod of a broken revision is
// waited for, though the template has been mended.
TEST_P(StatefulSetPods, OfABrokenRevisionAreWaitedForForEver) {
  MakeReadySet(2);
  SetImage("broken");
  Finish("web-1");
  w.Bind("web-1", "n1");
  SetImage("i:1");
  w.Forget();
  w.Advance(Minutes(30));
  EXPECT_THAT(PodWrites(), IsEmpty());
  EXPECT_EQ(ImageOf("web-1"), "broken");
  w.Delete("pods", "web-1", Grace(0));
  w.Settle();
  EXPECT_EQ(ImageOf("web-1"), "i:1") << "somebody has to delete it";
}

// CTRL-STS-08: a delete names the pod and no uid, so an old cache leads to the new pod's death.
TEST_P(StatefulSetPods, AreDeletedWhateverTheirUid) {
  MakeReadySet(2);
  w.Freeze("pods");
  w.Delete("pods", "web-1", Grace(0));
  w.Create("pods", PodJson("web-1"));
  w.Forget();
  Scale(1);
  bool seen = false;
  for (std::size_t i = w.from(); i < w.events().size(); ++i) {
    const sim::Event& e = w.events()[i];
    if (e.kind != sim::EventKind::kRequest) continue;
    const api::Request& r = e.payload.As<client::RequestPayload>().request;
    if (r.verb != api::Verb::kDelete) continue;
    seen = true;
    EXPECT_FALSE(r.del.uid.has_value() || r.del.resource_version.has_value());
  }
  EXPECT_TRUE(seen);
  EXPECT_TRUE(w.Get("pods", "web-1").empty()) << "it was another pod";
}

// CTRL-STS-18: the deletion of a pod that is gone already; an error up to 1.35.
TEST_P(StatefulSetPods, ThatAreGoneAreDeletedToo) {
  MakeReadySet(2);
  w.Freeze("pods");
  w.Delete("pods", "web-1", Grace(0));
  w.Forget();
  SetImage("i:2");
  const std::vector<std::string> texts = w.EventTexts();
  const std::string failed =
      "Warning FailedDelete delete Pod web-1 in StatefulSet web failed error: pods \"web-1\" not "
      "found";
  if (From136()) {
    EXPECT_THAT(texts, Contains("Normal SuccessfulDelete Delete Pod web-1 in StatefulSet web "
                                "successful"));
  } else {
    EXPECT_THAT(texts, Contains(failed));
  }
}

// CTRL-STS-10
TEST_P(StatefulSetPods, OfASetThatIsBeingDeletedAreLeftAlone) {
  MakeReadySet(2);
  w.Patch("statefulsets", "web", R"({"metadata":{"finalizers":["example.com/stay"]}})");
  w.Delete("statefulsets", "web");
  w.Settle();
  w.Forget();
  w.Delete("pods", "web-1", Grace(0));
  w.Settle();
  EXPECT_THAT(w.Writes(), Contains("update statefulsets/web/status"));
  EXPECT_THAT(w.PodNames(), ElementsAre("web-0"));
  EXPECT_EQ(Status("replicas").AsInt(), 1);
}

// CTRL-STS-15
TEST_P(StatefulSetPods, AreWaitedForUntilTheyAreAvailable) {
  w.Create("statefulsets", StatefulSetJson(2, R"(,"minReadySeconds":30)"));
  StartSets();
  Run("web-0");
  EXPECT_THAT(w.PodNames(), ElementsAre("web-0"));
  EXPECT_EQ(Status("readyReplicas").AsInt(), 1);
  EXPECT_EQ(Status("availableReplicas").AsInt(), 0);
  w.Advance(Seconds(20));
  EXPECT_THAT(w.PodNames(), ElementsAre("web-0"));
  w.Advance(Seconds(12));
  if (!From136()) {
    // The queue keeps the earliest of a key's times: that of the first sync, 30 s later, comes too
    // early, and the next one is 30 s after that.
    EXPECT_THAT(w.PodNames(), ElementsAre("web-0"));
    w.Advance(Seconds(30));
  }
  EXPECT_THAT(w.PodNames(), ElementsAre("web-0", "web-1"));
  EXPECT_EQ(Status("availableReplicas").AsInt(), 1);
}

// CTRL-STS-15: an update waits for availability from 1.36 on, before that for readiness only.
TEST_P(StatefulSetPods, AreWaitedForInUpdatesUntilTheyAreReadyOrAvailable) {
  MakeReadySet(2, R"(,"minReadySeconds":30,"podManagementPolicy":"Parallel")");
  w.Advance(Minutes(1));
  SetImage("i:2");
  Finish("web-1");
  w.Forget();
  Run("web-1");
  if (From136()) {
    EXPECT_THAT(PodWrites(), Not(Contains("delete pods/web-0")));
    w.Advance(Seconds(31));
  }
  EXPECT_THAT(PodWrites(), Contains("delete pods/web-0"));
}

// CTRL-STS-01: ordinals that begin elsewhere, from 1.27 on.
TEST_P(StatefulSetPods, HaveOrdinalsFromWhereTheSetSays) {
  if (!From130()) return;
  MakeReadySet(1);
  w.Patch("statefulsets", "web", R"({"spec":{"ordinals":{"start":5},"replicas":2}})");
  w.Settle();
  EXPECT_THAT(w.PodNames(), ElementsAre("web-0", "web-5"));
  EXPECT_EQ(w.Get("pods", "web-5").Label("apps.kubernetes.io/pod-index"), "5");
  Run("web-5");
  Run("web-6");
  w.Settle();
  Finish("web-0");
  EXPECT_THAT(w.PodNames(), ElementsAre("web-5", "web-6"));
}

// CTRL-STS-20, CTRL-C-08: from 1.36 on a sync waits for the controller's own writes to come back.
TEST_P(StatefulSetPods, ThatTheCacheLacksAreNotCreatedTwice) {
  StartSets();
  w.Freeze("pods");
  w.Create("statefulsets", StatefulSetJson(1));
  w.Settle();
  w.Forget();
  w.Patch("statefulsets", "web", R"({"metadata":{"annotations":{"a":"b"}}})");
  w.Settle();
  const std::vector<std::string> writes = PodWrites();
  if (From136()) {
    EXPECT_THAT(writes, IsEmpty());
  } else {
    EXPECT_THAT(writes, Contains("create pods/web-0")) << "it is refused, since the name is taken";
  }
  EXPECT_THAT(w.PodNames(), ElementsAre("web-0"));
}

}  // namespace
}  // namespace ksim
