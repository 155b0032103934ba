// The pod garbage collector against real API servers.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ksim/api/pod.h"
#include "ksim/client/core/payloads.h"
#include "ksim/controllers/podgc/podgc_controller.h"
#include "tests/whole/actors/actor_world.h"

namespace ksim {
namespace {

using controllers::PodGcController;
using testing::ElementsAre;
using testing::IsEmpty;

PodGcController* StartPodGc(ActorWorld& w, std::int64_t threshold = 12500) {
  PodGcController* made = nullptr;
  w.StartController("podgc", [&made, threshold](controllers::ControllerContext context) {
    context.terminated_pod_threshold = threshold;
    auto controller = std::make_unique<PodGcController>(std::move(context));
    made = controller.get();
    return controller;
  });
  return made;
}

void PodOn(ActorWorld& w, std::string_view name, std::string_view node) {
  w.Create("pods", PodJson(name));
  w.Bind(name, node);
  w.MakeReady(name);
}

// CTRL-PGC-01, CTRL-PGC-03, CTRL-PGC-06
TEST(PodGc, APodOfADeletedNodeGoesAfterItsQuarantine) {
  for (const api::Compat compat : kCompats) {
    ActorWorld w(compat);
    w.AddNode("gone");
    w.AddNode("here");
    PodOn(w, "p", "gone");
    PodOn(w, "q", "here");
    const VirtualTime start = w.api.sim.now();
    PodGcController* const podgc = StartPodGc(w);
    EXPECT_FALSE(podgc->HasWorkAhead({}));
    w.Delete("nodes", "gone");
    w.Settle();
    EXPECT_TRUE(podgc->HasWorkAhead({}));
    w.Forget();
    // The looks are at 0 s, 20 s (quarantine begins), 40 s, 60 s.
    w.Advance(start + Seconds(59) - w.api.sim.now());
    EXPECT_THAT(w.Requests({"pods", "nodes"}), IsEmpty());
    w.Advance(start + Seconds(62) - w.api.sim.now());
    if (compat == api::Compat::k1_25) {
      EXPECT_THAT(w.Requests({"pods", "nodes"}), ElementsAre("get nodes/gone", "delete pods/p"));
    } else {
      EXPECT_THAT(w.Requests({"pods", "nodes"}),
                  ElementsAre("get nodes/gone", "patch pods/p/status", "delete pods/p"));
    }
    EXPECT_THAT(w.PodNames(), ElementsAre("q"));
    EXPECT_FALSE(podgc->HasWorkAhead({}));
    w.Forget();
    // That look put the node into quarantine once more.
    w.Advance(start + Seconds(99) - w.api.sim.now());
    EXPECT_THAT(w.Requests({"pods", "nodes"}), IsEmpty());
    w.Advance(Minutes(3));
    EXPECT_THAT(w.Requests({"pods", "nodes"}), ElementsAre("get nodes/gone"));
  }
}

// CTRL-PGC-06: the phase and the condition, seen on a pod that a finalizer keeps.
TEST(PodGc, APodOfADeletedNodeFailsAndSaysWhy) {
  for (const api::Compat compat : {api::Compat::k1_30, api::Compat::k1_36}) {
    ActorWorld w(compat);
    w.AddNode("gone");
    PodOn(w, "p", "gone");
    w.Patch("pods", "p", R"({"metadata":{"finalizers":["example.com/keep"]}})");
    PodGcController* const podgc = StartPodGc(w);
    w.Delete("nodes", "gone");
    w.Advance(Seconds(65));
    const api::Object pod = w.Get("pods", "p");
    EXPECT_EQ(pod.status().Get("phase").AsString(), "Failed");
    EXPECT_TRUE(pod.deleting());
    const value::Value* why = api::PodView(pod).Condition("DisruptionTarget");
    ASSERT_NE(why, nullptr);
    EXPECT_EQ(why->Get("reason").AsString(), "DeletionByPodGC");
    EXPECT_EQ(why->Get("message").AsString(), "PodGC: node no longer exists");
    EXPECT_EQ(why->Has("observedGeneration"), compat == api::Compat::k1_36);
    EXPECT_FALSE(podgc->HasWorkAhead({})) << "only the finalizer keeps it";
  }
}

// CTRL-PGC-03
TEST(PodGc, ANodeThatComesBackInTimeKeepsItsPods) {
  ActorWorld w;
  w.AddNode("gone");
  PodOn(w, "p", "gone");
  StartPodGc(w);
  w.Delete("nodes", "gone");
  w.Advance(Seconds(30));
  w.AddNode("gone");
  w.Advance(Minutes(2));
  EXPECT_THAT(w.PodNames(), ElementsAre("p"));
}

// The cache has lost the node, and etcd has it: it is read live. CTRL-PGC-03
TEST(PodGc, ANodeThatOnlyTheCacheLacksKeepsItsPods) {
  ActorWorld w;
  w.AddNode("late");
  StartPodGc(w);
  w.Freeze("nodes");
  w.Delete("nodes", "late");
  w.AddNode("late");
  w.AddNode("new");
  PodOn(w, "p", "new");
  w.Forget();
  w.Advance(Seconds(65));
  EXPECT_THAT(w.Requests({"pods", "nodes"}), ElementsAre("get nodes/new"));
  EXPECT_THAT(w.PodNames(), ElementsAre("p"));
}

// CTRL-PGC-04
TEST(PodGc, ATerminatingPodOfANodeOutOfServiceIsCollected) {
  for (const api::Compat compat : kCompats) {
    ActorWorld w(compat);
    w.AddNode("n");
    PodOn(w, "going", "n");
    PodOn(w, "staying", "n");
    StartPodGc(w);
    w.Delete("pods", "going", Grace(300));
    w.Patch("nodes", "n", R"({"spec":{"taints":[{"key":"node.kubernetes.io/out-of-service",
                             "effect":"NoExecute"}]}})");
    w.Advance(Seconds(41));
    EXPECT_THAT(w.PodNames(), ElementsAre("going", "staying")) << "the node is ready";
    w.Patch("nodes", "n", R"({"status":{"conditions":[{"type":"Ready","status":"Unknown"}]}})",
            "status");
    w.Advance(Seconds(21));
    if (compat == api::Compat::k1_25)
      EXPECT_THAT(w.PodNames(), ElementsAre("going", "staying"));
    else
      EXPECT_THAT(w.PodNames(), ElementsAre("staying"));
  }
}

// CTRL-PGC-05
TEST(PodGc, ATerminatingPodWithoutANodeIsCollected) {
  ActorWorld w;
  w.Create("pods", PodJson("p"));
  w.Create("pods", PodJson("q"));
  w.Patch("pods", "p", R"({"metadata":{"finalizers":["example.com/keep"]}})");
  w.Delete("pods", "p");
  StartPodGc(w);
  EXPECT_EQ(w.Get("pods", "p").status().Get("phase").AsString(), "Failed");
  EXPECT_EQ(w.Get("pods", "q").status().Get("phase").AsString(), "Pending");
}

// CTRL-PGC-02
TEST(PodGc, TerminatedPodsAboveTheThresholdGo) {
  ActorWorld w;
  for (const char* name : {"a", "b", "c", "d"}) {
    w.Create("pods", PodJson(name));
    w.Patch("pods", name, R"({"status":{"phase":"Succeeded"}})", "status");
    w.Advance(Seconds(1));
  }
  w.Patch("pods", "d", R"({"status":{"phase":"Failed","reason":"Evicted"}})", "status");
  w.Create("pods", PodJson("e"));
  w.Forget();
  PodGcController* const podgc = StartPodGc(w, 2);
  EXPECT_THAT(w.PodNames(), ElementsAre("b", "c", "e"));
  EXPECT_THAT(w.Writes(), testing::UnorderedElementsAre("delete pods/a", "delete pods/d"));
  EXPECT_FALSE(podgc->HasWorkAhead({}));
}

}  // namespace
}  // namespace ksim
