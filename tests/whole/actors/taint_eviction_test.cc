// The taint eviction controller against real API servers.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ksim/api/pod.h"
#include "ksim/controllers/nodelifecycle/node_lifecycle_controller.h"
#include "ksim/controllers/tainteviction/taint_eviction_controller.h"
#include "tests/whole/actors/actor_world.h"

namespace ksim {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

// In 1.25 the node lifecycle controller has it.
void StartEviction(ActorWorld& w, api::Compat compat = api::Compat::k1_30) {
  w.StartController(
      "eviction",
      [compat](controllers::ControllerContext context) -> std::unique_ptr<controllers::Controller> {
        if (compat == api::Compat::k1_25)
          return std::make_unique<controllers::NodeLifecycleController>(std::move(context));
        return std::make_unique<controllers::TaintEvictionController>(std::move(context));
      });
}

// A pod on node `n` that tolerates the taint `k`: for ever if `seconds` is negative.
void TolerantPod(ActorWorld& w, std::string_view name, int seconds, std::string_view key = "k") {
  const std::string time = seconds < 0 ? "" : fmt::format(R"(,"tolerationSeconds":{})", seconds);
  w.Create("pods", PodJson(name, R"({"app":"web"})", "",
                           fmt::format(R"(,"tolerations":[{{"key":"{}","operator":"Exists",
                               "effect":"NoExecute"{}}}])",
                                       key, time)));
  w.Bind(name, "n");
}

void SetTaints(ActorWorld& w, std::string_view keys) {
  std::string taints;
  for (const char key : keys)
    taints +=
        fmt::format(R"({}{{"key":"{}","effect":"NoExecute"}})", taints.empty() ? "" : ",", key);
  w.Patch("nodes", "n", fmt::format(R"({{"spec":{{"taints":[{}]}}}})", taints));
}

bool IsGoing(ActorWorld& w, std::string_view pod) { return w.Get("pods", pod).deleting(); }

// CTRL-TE-01, CTRL-TE-03
TEST(TaintEviction, PodsGoWhenTheirTolerationIsOver) {
  for (const api::Compat compat : kCompats) {
    ActorWorld w(compat);
    w.AddNode("n");
    TolerantPod(w, "ever", -1);
    TolerantPod(w, "five", 5);
    TolerantPod(w, "none", -1, "other");
    TolerantPod(w, "zero", 0);
    StartEviction(w, compat);
    w.Forget();
    SetTaints(w, "k");
    w.Advance(Milliseconds(4900));
    EXPECT_TRUE(IsGoing(w, "none"));
    EXPECT_TRUE(IsGoing(w, "zero"));
    EXPECT_FALSE(IsGoing(w, "five"));
    w.Forget();
    w.Advance(Milliseconds(200));
    if (compat == api::Compat::k1_25) {
      EXPECT_THAT(w.Requests({"pods"}), ElementsAre("delete pods/five"));
    } else {
      EXPECT_THAT(w.Requests({"pods"}),
                  ElementsAre("get pods/five", "patch pods/five/status", "delete pods/five"));
      const api::Object five = w.Get("pods", "five");
      const value::Value* why = api::PodView(five).Condition("DisruptionTarget");
      ASSERT_NE(why, nullptr);
      EXPECT_EQ(why->Get("reason").AsString(), "DeletionByTaintManager");
      EXPECT_EQ(why->Has("observedGeneration"), compat == api::Compat::k1_36);
    }
    w.Advance(Minutes(10));
    EXPECT_FALSE(IsGoing(w, "ever"));
    std::vector<std::string> told;
    for (const api::Object& event : w.List("events"))
      told.emplace_back(event.tree().Get("message").AsString());
    EXPECT_THAT(told, Contains("Marking for deletion Pod default/five"));
  }
}

// A pod that terminates has a generation more; its condition is as it was. CTRL-TE-03
TEST(TaintEviction, AConditionThatIsThereIsNotWrittenAgain) {
  ActorWorld w(api::Compat::k1_36);
  w.AddNode("n");
  TolerantPod(w, "p", -1, "other");
  StartEviction(w, api::Compat::k1_36);
  SetTaints(w, "k");
  w.Advance(Seconds(5));
  ASSERT_TRUE(IsGoing(w, "p"));
  w.Forget();
  SetTaints(w, "kl");
  w.Advance(Seconds(1));
  EXPECT_THAT(w.Requests({"pods"}), ElementsAre("get pods/p", "delete pods/p"));
}

// taint_eviction_test.go TestUpdateNodeWithMultipleTaints: each new taint counts. CTRL-TE-01, 02
TEST(TaintEviction, ATaintThatIsNotToleratedEndsTheWait) {
  ActorWorld w;
  w.AddNode("n");
  TolerantPod(w, "p", 100);
  StartEviction(w);
  SetTaints(w, "k");
  w.Advance(Seconds(5));
  w.Forget();
  SetTaints(w, "kl");
  w.Advance(Seconds(1));
  EXPECT_TRUE(IsGoing(w, "p"));
  EXPECT_THAT(w.EventTexts(),
              ElementsAre("Normal TaintManagerEviction Cancelling deletion of Pod default/p",
                          "Normal TaintManagerEviction Marking for deletion Pod default/p"));
}

// CTRL-TE-02
TEST(TaintEviction, TheEndOfTheTaintsCancelsIt) {
  ActorWorld w;
  w.AddNode("n");
  TolerantPod(w, "p", 20);
  StartEviction(w);
  SetTaints(w, "k");
  w.Advance(Seconds(5));
  SetTaints(w, "");
  w.Advance(Minutes(1));
  EXPECT_FALSE(IsGoing(w, "p"));
  EXPECT_THAT(w.EventTexts(),
              ElementsAre("Normal TaintManagerEviction Cancelling deletion of Pod default/p"));
}

// CTRL-TE-02: a pod that is gone leaves no timer for the next one of its name.
TEST(TaintEviction, APodOfTheSameNameBeginsAnew) {
  ActorWorld w;
  w.AddNode("n");
  TolerantPod(w, "p", 20);
  StartEviction(w);
  SetTaints(w, "k");
  w.Advance(Seconds(15));
  w.Delete("pods", "p", Grace(0));
  TolerantPod(w, "p", 20);
  w.Advance(Seconds(10));
  EXPECT_FALSE(IsGoing(w, "p"));
  w.Advance(Seconds(11));
  EXPECT_TRUE(IsGoing(w, "p"));
}

// CTRL-TE-02: what waits goes on waiting, though a shorter time is asked for meanwhile.
TEST(TaintEviction, AnEvictionThatWaitsIsLeftAsItIs) {
  ActorWorld w;
  w.AddNode("n");
  TolerantPod(w, "p", 20);
  StartEviction(w);
  SetTaints(w, "k");
  w.Advance(Seconds(5));
  w.Patch("pods", "p", R"({"spec":{"tolerations":[
      {"key":"k","operator":"Exists","effect":"NoExecute","tolerationSeconds":20},
      {"key":"l","operator":"Exists","effect":"NoExecute","tolerationSeconds":1}]}})");
  SetTaints(w, "kl");
  w.Advance(Seconds(10));
  EXPECT_FALSE(IsGoing(w, "p"));
  w.Advance(Seconds(6));
  EXPECT_TRUE(IsGoing(w, "p"));
}

// CTRL-TE-03: five tries, 10 ms apart, for a pod that is not there any more.
TEST(TaintEviction, AFailureIsTriedFiveTimes) {
  ActorWorld w;
  w.AddNode("n");
  TolerantPod(w, "p", 5);
  StartEviction(w);
  SetTaints(w, "k");
  w.Settle();
  w.Freeze("pods");
  w.Delete("pods", "p", Grace(0));
  w.Forget();
  w.Advance(Seconds(10));
  const std::vector<std::string> tries(5, "get pods/p");
  EXPECT_EQ(w.Requests({"pods"}), tries);
}

// CTRL-TE-04: the pod still terminates, and another taint comes.
TEST(TaintEviction, AnEvictionThatIsDoneMayComeAgainIn136) {
  for (const api::Compat compat : {api::Compat::k1_30, api::Compat::k1_36}) {
    ActorWorld w(compat);
    w.AddNode("n");
    w.Create("pods", PodJson("p", R"({"app":"web"})", "",
                             R"(,"terminationGracePeriodSeconds":600,"tolerations":[
        {"operator":"Exists","effect":"NoExecute","tolerationSeconds":5}])"));
    w.Bind("p", "n");
    StartEviction(w, compat);
    SetTaints(w, "k");
    w.Advance(Seconds(10));
    ASSERT_TRUE(IsGoing(w, "p"));
    w.Forget();
    SetTaints(w, "kl");
    w.Advance(Seconds(10));
    if (compat == api::Compat::k1_30)
      EXPECT_THAT(w.Requests({"pods"}), IsEmpty());
    else
      EXPECT_THAT(w.Requests({"pods"}), ElementsAre("get pods/p", "delete pods/p"));
  }
}

// CTRL-TE-05
TEST(TaintEviction, TheEndOfTheNodeCancelsNothing) {
  ActorWorld w;
  w.AddNode("n");
  TolerantPod(w, "p", 20);
  StartEviction(w);
  SetTaints(w, "k");
  w.Advance(Seconds(5));
  w.Delete("nodes", "n");
  w.Advance(Seconds(10));
  EXPECT_FALSE(IsGoing(w, "p"));
  w.Advance(Seconds(6));
  EXPECT_TRUE(IsGoing(w, "p"));
}

// CTRL-TE-06
TEST(TaintEviction, EventsNameTheControllerThatTheVersionHas) {
  for (const api::Compat compat : kCompats) {
    ActorWorld w(compat);
    w.AddNode("n");
    TolerantPod(w, "p", -1, "other");
    StartEviction(w, compat);
    SetTaints(w, "k");
    w.Settle();
    std::vector<std::string> sources;
    for (const api::Object& event : w.List("events"))
      if (event.tree().Get("reason").AsString() == "TaintManagerEviction")
        sources.emplace_back(event.tree().Get("source").Get("component").AsString());
    EXPECT_THAT(sources, ElementsAre(compat == api::Compat::k1_25 ? "taint-controller"
                                                                  : "taint-eviction-controller"));
  }
}

// A pod that is bound to a tainted node, after it was tainted. CTRL-TE-01
TEST(TaintEviction, APodThatComesToATaintedNodeGoes) {
  ActorWorld w;
  w.AddNode("n");
  StartEviction(w);
  SetTaints(w, "k");
  w.Settle();
  TolerantPod(w, "p", 3);
  TolerantPod(w, "q", -1, "other");
  w.Advance(Seconds(2));
  EXPECT_TRUE(IsGoing(w, "q"));
  EXPECT_FALSE(IsGoing(w, "p"));
  w.Advance(Seconds(2));
  EXPECT_TRUE(IsGoing(w, "p"));
}

}  // namespace
}  // namespace ksim
