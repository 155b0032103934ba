// The controller of ReplicationControllers against real API servers: what it shares with that of
// ReplicaSets is tested there.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ksim/controllers/replicationcontroller/replication_manager.h"
#include "tests/whole/actors/actor_world.h"

namespace ksim {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::SizeIs;
using testing::StartsWith;

class ReplicationControllers : public testing::TestWithParam<api::Compat> {
 protected:
  ReplicationControllers() : w(GetParam()) {
    w.StartController("replicationcontroller", [](controllers::ControllerContext context) {
      return std::make_unique<controllers::ReplicationManager>(std::move(context));
    });
  }
  void Make(int replicas) {
    w.Create("replicationcontrollers",
             fmt::format(R"({{"apiVersion":"v1","kind":"ReplicationController",
                 "metadata":{{"name":"web"}},"spec":{{"replicas":{},"selector":{{"app":"web"}},
                 "template":{{"metadata":{{"labels":{{"app":"web"}}}},
                 "spec":{{"containers":[{{"name":"c","image":"i:1"}}]}}}}}}}})",
                         replicas));
    w.Settle();
  }
  ActorWorld w;
};

INSTANTIATE_TEST_SUITE_P(Compat, ReplicationControllers, testing::ValuesIn(kCompats),
                         [](const auto& info) { return std::to_string(int(info.param)); });

// CTRL-RC-01
TEST_P(ReplicationControllers, KeepTheirPods) {
  Make(3);
  EXPECT_THAT(w.PodNames(), SizeIs(3));
  for (const api::Object& pod : w.List("pods")) {
    ASSERT_TRUE(pod.controller().has_value());
    EXPECT_EQ(pod.controller()->kind, "ReplicationController");
    EXPECT_EQ(pod.controller()->api_version, "v1");
  }
  EXPECT_THAT(w.EventTexts(), Each(StartsWith("Normal SuccessfulCreate Created pod: web-")));
  w.Patch("replicationcontrollers", "web", R"({"spec":{"replicas":1}})");
  w.Settle();
  EXPECT_THAT(w.PodNames(), SizeIs(1));
  EXPECT_EQ(w.Get("replicationcontrollers", "web").status().Get("replicas").AsInt(), 1);
  EXPECT_EQ(w.Get("replicationcontrollers", "web").status().Get("observedGeneration").AsInt(), 2);
}

// CTRL-RC-01: the selector is a map of labels.
TEST_P(ReplicationControllers, AdoptWhatTheirLabelsSelect) {
  w.Create("pods", PodJson("orphan"));
  w.Create("pods", PodJson("other", R"({"app":"other"})"));
  Make(1);
  EXPECT_THAT(w.PodNames(), ElementsAre("orphan", "other"));
  EXPECT_TRUE(w.Get("pods", "orphan").controller().has_value());
  EXPECT_FALSE(w.Get("pods", "other").controller().has_value());
  w.Patch("pods", "orphan", R"({"metadata":{"labels":{"app":"z"}}})");
  w.Settle();
  EXPECT_FALSE(w.Get("pods", "orphan").controller().has_value());
  EXPECT_THAT(w.PodNames(), SizeIs(3));
}

// CTRL-RC-01: there is no status.terminatingReplicas of this kind.
TEST_P(ReplicationControllers, TellNothingOfPodsThatEnd) {
  Make(1);
  const std::string name = w.TheOnlyPod();
  w.Bind(name, "n1");
  w.Delete("pods", name);
  w.Settle();
  EXPECT_FALSE(w.Get("replicationcontrollers", "web").status().Has("terminatingReplicas"));
}

// CTRL-RC-01: it syncs whatever its caches have seen of its own writes.
TEST_P(ReplicationControllers, DoNotWaitForTheirOwnWrites) {
  Make(1);
  w.Freeze("replicationcontrollers");
  w.Delete("pods", w.TheOnlyPod(), Grace(0));
  w.Settle();
  w.Forget();
  w.Delete("pods", w.TheOnlyPod(), Grace(0));
  w.Settle();
  EXPECT_THAT(w.Writes(), Contains("create pods"));
}

}  // namespace
}  // namespace ksim
