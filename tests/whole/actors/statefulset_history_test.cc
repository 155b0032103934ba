// The StatefulSet controller's revisions, and which pods and revisions it takes for its own, in all
// versions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ksim/value/json.h"
#include "tests/whole/actors/statefulset_world.h"

namespace ksim {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class StatefulSetHistory : public StatefulSetTest {
 protected:
  std::int64_t NumberOf(const std::string& revision) {
    return w.Get("controllerrevisions", revision).tree().Get("revision").AsInt();
  }
  // An update of all pods, to its end.
  void RollTo(std::string_view image, int replicas) {
    SetImage(image);
    for (int i = replicas - 1; i >= 0; --i) {
      Finish(PodName(i));
      Run(PodName(i));
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Compat, StatefulSetHistory, testing::ValuesIn(kCompats),
                         [](const auto& info) { return std::to_string(int(info.param)); });

// CTRL-STS-13, CTRL-STS-09
TEST_P(StatefulSetHistory, HasARevisionForEachTemplate) {
  MakeReadySet(1);
  const std::string first = Text("updateRevision");
  const api::Object revision = w.Get("controllerrevisions", first);
  EXPECT_EQ(NumberOf(first), 1);
  EXPECT_EQ(revision.Label("app"), "web");
  EXPECT_EQ("web-" + std::string(revision.Label("controller.kubernetes.io/hash")), first);
  EXPECT_EQ(revision.controller()->uid, w.Get("statefulsets", "web").uid());
  RollTo("i:2", 1);
  const std::string second = Text("updateRevision");
  EXPECT_NE(first, second);
  EXPECT_EQ(NumberOf(second), 2);
  // Back to the first template: its revision becomes the latest.
  RollTo("i:1", 1);
  EXPECT_EQ(Text("updateRevision"), first);
  EXPECT_EQ(NumberOf(first), 3);
  EXPECT_THAT(w.List("controllerrevisions"), SizeIs(2));
}

// CTRL-STS-13
TEST_P(StatefulSetHistory, KeepsNoMoreThanTheLimitAndWhatIsInUse) {
  MakeReadySet(2, R"(,"revisionHistoryLimit":1)");
  const std::string first = Text("updateRevision");
  for (const char* image : {"i:2", "i:3"}) RollTo(image, 2);
  EXPECT_TRUE(w.Get("controllerrevisions", first).empty());
  EXPECT_THAT(w.List("controllerrevisions"), SizeIs(2));
  // The pods' revisions are in use, whatever the limit.
  SetImage("i:4");
  EXPECT_THAT(w.List("controllerrevisions"), SizeIs(3));
}

// CTRL-STS-13: another revision has the name already: the next name is tried, and it is counted.
TEST_P(StatefulSetHistory, CountsCollisions) {
  w.Create("statefulsets", StatefulSetJson(1));
  StartSets();
  const std::string name = Text("updateRevision");
  w.Delete("statefulsets", "web");
  w.Delete("pods", "web-0", Grace(0));
  w.Settle();
  for (const api::Object& revision : w.List("controllerrevisions"))
    w.Delete("controllerrevisions", revision.name());
  w.Create("controllerrevisions",
           R"({"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"name":")" + name +
               R"("},"data":{"other":true},"revision":7})");
  w.Create("statefulsets", StatefulSetJson(1));
  w.Settle();
  EXPECT_NE(Text("updateRevision"), name);
  EXPECT_EQ(Status("collisionCount").AsInt(), 1);
  EXPECT_THAT(w.PodNames(), ElementsAre("web-0"));
}

// CTRL-STS-13: a revision of that name and that data is taken for the set's, whoever made it.
TEST_P(StatefulSetHistory, TakesARevisionThatIsThereAlready) {
  StartSets();
  w.Freeze("controllerrevisions");
  w.Create("statefulsets", StatefulSetJson(1));
  w.Settle();
  EXPECT_THAT(w.List("controllerrevisions"), SizeIs(1));
  w.Patch("statefulsets", "web", R"({"metadata":{"annotations":{"a":"b"}}})");
  w.Settle();
  EXPECT_THAT(w.List("controllerrevisions"), SizeIs(1)) << "the cache knows of none";
  EXPECT_EQ(Status("collisionCount").AsInt(), 0);
}

// CTRL-STS-12: a live look at the set comes before adoption.
TEST_P(StatefulSetHistory, AdoptsRevisionsOfNobody) {
  w.Create("controllerrevisions",
           R"({"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"name":"orphan",
               "labels":{"app":"web"}},"data":{"spec":{"template":{"$patch":"replace",
               "spec":{"containers":[{"name":"c","image":"old"}]}}}},"revision":1})");
  w.Create("statefulsets", StatefulSetJson(1));
  StartSets();
  const std::vector<std::string> requests = w.Requests({"statefulsets", "controllerrevisions"});
  ASSERT_GE(requests.size(), 2u);
  EXPECT_EQ(requests[0], "get statefulsets/web");
  EXPECT_EQ(requests[1], "patch controllerrevisions/orphan");
  EXPECT_EQ(w.Get("controllerrevisions", "orphan").controller()->name, "web");
  EXPECT_EQ(NumberOf(Text("updateRevision")), 2);
}

// CTRL-STS-12
TEST_P(StatefulSetHistory, AdoptsPodsOfItsNameAlone) {
  w.Create("pods", PodJson("web-0"));
  w.Create("pods", PodJson("other-0"));
  w.Create("pods", PodJson("web-x"));
  w.Create("statefulsets", StatefulSetJson(1));
  StartSets();
  EXPECT_TRUE(w.Get("pods", "web-0").controller().has_value());
  EXPECT_FALSE(w.Get("pods", "other-0").controller().has_value());
  EXPECT_FALSE(w.Get("pods", "web-x").controller().has_value());
}

// CTRL-STS-12: an owned pod that the selector does not match any more is released.
TEST_P(StatefulSetHistory, ReleasesPodsThatDoNotMatch) {
  MakeReadySet(2);
  w.Patch("pods", "web-1", R"({"metadata":{"labels":{"app":"debug"}}})");
  w.Settle();
  EXPECT_FALSE(w.Get("pods", "web-1").controller().has_value());
  const std::vector<std::string> texts = w.EventTexts();
  EXPECT_THAT(texts, Not(Contains(testing::HasSubstr("FailedCreate"))))
      << "a name that is taken makes no Event";
  EXPECT_EQ(Status("replicas").AsInt(), 1);
}

// CTRL-STS-11: which events of pods lead to a sync.
TEST_P(StatefulSetHistory, SyncsForItsPodsAndForOrphansThatMatch) {
  MakeReadySet(1);
  const auto syncs = [this](const std::function<void()>& change) {
    w.Forget();
    change();
    w.Settle();
    return w.Reconciles(kWeb);
  };
  EXPECT_GE(
      syncs([this] { w.Patch("pods", "web-0", R"({"metadata":{"annotations":{"a":"b"}}})"); }), 1u);
  EXPECT_GE(syncs([this] { w.Create("pods", PodJson("stray")); }), 1u) << "an orphan that matches";
  EXPECT_EQ(syncs([this] { w.Create("pods", PodJson("far", R"({"app":"far"})")); }), 0u);
  EXPECT_EQ(
      syncs([this] { w.Patch("pods", "stray", R"({"metadata":{"annotations":{"a":"b"}}})"); }), 0u)
      << "an orphan whose labels did not change";
  EXPECT_GE(syncs([this] { w.Patch("pods", "far", R"({"metadata":{"labels":{"app":"web"}}})"); }),
            1u);
  EXPECT_EQ(syncs([this] { w.Delete("pods", "stray", Grace(0)); }), 0u) << "nobody's";
  EXPECT_GE(syncs([this] { w.Delete("pods", "web-0", Grace(0)); }), 1u);
}

// CTRL-STS-14: after a conflict the same status goes onto the cache's set, five times at most.
TEST_P(StatefulSetHistory, TriesAConflictingStatusFiveTimes) {
  MakeReadySet(1);
  w.Freeze("statefulsets");
  w.Patch("statefulsets", "web", R"({"metadata":{"annotations":{"a":"b"}}})");
  w.Forget();
  w.MakeReady("web-0", false);
  w.Advance(Milliseconds(500));
  std::size_t puts = 0, syncs = 0;
  for (std::size_t i = w.from(); i < w.events().size(); ++i) {
    const sim::Event& e = w.events()[i];
    if (e.kind == sim::EventKind::kReconcile)
      syncs += e.payload.As<client::ReconcilePayload>().state == "begin";
    if (e.kind != sim::EventKind::kRequest) continue;
    const api::Request& r = e.payload.As<client::RequestPayload>().request;
    puts += r.verb == api::Verb::kUpdate && r.resource->resource == "statefulsets";
  }
  ASSERT_GE(syncs, 2u);
  EXPECT_GT(puts, 5 * (syncs - 1))
      << "each sync but the last, which is under way, tries five times";
  EXPECT_LE(puts, 5 * syncs);
  w.Freeze("statefulsets", false);
  w.Settle();
  EXPECT_EQ(Status("readyReplicas").AsInt(), 0);
}

// CTRL-STS-19
TEST_P(StatefulSetHistory, GivesAPodItsLabelBack) {
  MakeReadySet(1);
  w.Patch("pods", "web-0",
          R"({"metadata":{"labels":{"statefulset.kubernetes.io/pod-name":null}}})");
  w.Settle();
  EXPECT_EQ(w.Get("pods", "web-0").Label("statefulset.kubernetes.io/pod-name"), "web-0");
  EXPECT_THAT(w.EventTexts(), Contains(fmt::format("Normal SuccessfulUpdate {} Pod web-0 in "
                                                   "StatefulSet web successful",
                                                   Word("update"))));
}

}  // namespace
}  // namespace ksim
