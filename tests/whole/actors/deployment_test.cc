// The Deployment controller, with the ReplicaSet controller below it, against real API servers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ksim/api/conditions.h"
#include "ksim/client/core/payloads.h"
#include "ksim/controllers/deployment/deployment_controller.h"
#include "tests/whole/actors/actor_world.h"

namespace ksim {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class Deployments : public testing::TestWithParam<api::Compat> {
 protected:
  Deployments() : w(GetParam()) {}

  void StartIt() {
    w.StartController("deployment", [](controllers::ControllerContext context) {
      return std::make_unique<controllers::deployment::DeploymentController>(std::move(context));
    });
  }
  // Both controllers, and a Deployment `web`, whose pods become ready at once.
  void StartAll(std::string_view spec = R"("replicas":2)") {
    w.AddNode("n1");
    w.StartReplicaSets();
    StartIt();
    Make(spec);
    RunPods();
  }
  void Make(std::string_view spec, std::string_view image = "v1", std::string_view meta = "") {
    w.Create("deployments",
             R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web")" +
                 std::string(meta) + R"(},"spec":{)" + std::string(spec) +
                 R"(,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{
                 "app":"web"}},"spec":{"containers":[{"name":"c","image":")" +
                 std::string(image) + R"("}]}}}})");
  }
  // Makes pods ready, and lets those that are being deleted go, until nothing changes.
  void RunPods(bool ready = true) {
    for (int i = 0; i < 12; ++i) {
      w.Settle();
      for (const api::Object& pod : w.List("pods")) {
        const std::string name(pod.name());
        if (pod.deleting()) {
          w.Delete("pods", name, Grace(0));
        } else if (pod.node_name().empty() && ready) {
          w.Bind(name, "n1");
          w.MakeReady(name);
        }
      }
    }
    w.Settle();
  }
  void SetImage(std::string_view image) {
    w.Patch("deployments", "web",
            R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":")" +
                std::string(image) + R"("}]}}}})");
  }
  api::Object Web() { return w.Get("deployments", "web"); }
  std::int64_t Status(std::string_view field) { return Web().status().Get(field).AsInt(); }
  std::string Condition(std::string_view type) {
    const api::Object web = Web();
    const value::Value* const c = api::FindCondition(web.status().Get("conditions"), type);
    if (c == nullptr) return "";
    return std::string(c->Get("status").AsString()) + " " +
           std::string(c->Get("reason").AsString());
  }
  // "v1=2" of the ReplicaSets by image.
  std::vector<std::string> Sizes() {
    std::vector<std::string> sizes;
    for (const api::Object& set : w.List("replicasets")) {
      const value::Value& image =
          set.spec().Get("template").Get("spec").Get("containers").at(0).Get("image");
      sizes.push_back(std::string(image.AsString()) + "=" +
                      std::to_string(set.spec().Get("replicas").AsInt()));
    }
    std::sort(sizes.begin(), sizes.end());
    return sizes;
  }
  api::Object SetOf(std::string_view image) {
    for (const api::Object& set : w.List("replicasets")) {
      const value::Value& its =
          set.spec().Get("template").Get("spec").Get("containers").at(0).Get("image");
      if (its.AsString() == image) return set;
    }
    return {};
  }
  // Whether the controller has listed the ReplicaSets of `web` live since the last call of Forget.
  bool HasListedSets() {
    return std::any_of(w.events().begin() + static_cast<std::ptrdiff_t>(w.from()), w.events().end(),
                       [](const sim::Event& e) {
                         if (e.kind != sim::EventKind::kRequest) return false;
                         const api::Request& r = e.payload.As<client::RequestPayload>().request;
                         return r.verb == api::Verb::kList && r.client != "test" &&
                                r.resource->resource == "replicasets" &&
                                r.list.label_selector == "app=web";
                       });
  }
  bool Is136() const { return GetParam() == api::Compat::k1_36; }
  ActorWorld w;
};

INSTANTIATE_TEST_SUITE_P(Compat, Deployments, testing::ValuesIn(kCompats),
                         [](const auto& info) { return std::to_string(int(info.param)); });

// CTRL-D-04, CTRL-D-06, CTRL-D-12
TEST_P(Deployments, MakesItsReplicaSet) {
  StartIt();
  Make(R"("replicas":3,"minReadySeconds":5)", "v1", R"(,"annotations":{"note":"x"})");
  w.Settle();
  const api::Object set = SetOf("v1");
  ASSERT_FALSE(set.empty());
  const std::string hash(set.Label("pod-template-hash"));
  EXPECT_EQ(set.name(), "web-" + hash);
  EXPECT_EQ(set.Label("app"), "web");
  EXPECT_EQ(set.spec().Get("replicas").AsInt(), 3);
  EXPECT_EQ(set.spec().Get("minReadySeconds").AsInt(), 5);
  EXPECT_EQ(set.spec().Get("selector").Get("matchLabels").Get("pod-template-hash").AsString(),
            hash);
  EXPECT_EQ(
      set.spec().Get("template").Get("metadata").Get("labels").Get("pod-template-hash").AsString(),
      hash);
  EXPECT_EQ(set.Annotation("note"), "x");
  EXPECT_EQ(set.Annotation("deployment.kubernetes.io/revision"), "1");
  EXPECT_EQ(set.Annotation("deployment.kubernetes.io/desired-replicas"), "3");
  EXPECT_EQ(set.Annotation("deployment.kubernetes.io/max-replicas"), "4");
  ASSERT_TRUE(set.controller().has_value());
  EXPECT_EQ(set.controller()->uid, Web().uid());
  EXPECT_EQ(Web().Annotation("deployment.kubernetes.io/revision"), "1");
  EXPECT_THAT(
      w.EventTexts(),
      ElementsAre(
          Is136() ? "Normal ScalingReplicaSet Scaled up replica set web-" + hash + " from 0 to 3"
                  : "Normal ScalingReplicaSet Scaled up replica set web-" + hash + " to 3"));
}

// CTRL-D-04: the letters that a real cluster gives (kubectl create deployment nginx).
TEST_P(Deployments, TheHashIsTheRealOne) {
  StartIt();
  w.Create("deployments",
           R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"nginx-deployment"},
              "spec":{"selector":{"matchLabels":{"app":"nginx"}},"template":{"metadata":{"labels":{
              "app":"nginx"}},"spec":{"containers":[{"name":"nginx","image":"nginx:1.14.2",
              "ports":[{"containerPort":80}]}]}}}})");
  w.Settle();
  ASSERT_THAT(w.List("replicasets"), SizeIs(1));
  const char* const names[] = {"nginx-deployment-7fb96c846b", "nginx-deployment-77d8468669",
                               "nginx-deployment-6c5f67b5f7"};
  EXPECT_EQ(w.List("replicasets")[0].name(), names[static_cast<int>(GetParam())]);
}

// CTRL-D-15, CTRL-D-14, CTRL-D-01: the first rollout, with the defaults of the strategy.
TEST_P(Deployments, RollsOutTheFirstTime) {
  StartAll();
  EXPECT_EQ(Status("replicas"), 2);
  EXPECT_EQ(Status("updatedReplicas"), 2);
  EXPECT_EQ(Status("readyReplicas"), 2);
  EXPECT_EQ(Status("availableReplicas"), 2);
  EXPECT_EQ(Status("unavailableReplicas"), 0);
  EXPECT_EQ(Status("observedGeneration"), 1);
  EXPECT_EQ(Web().status().Get("terminatingReplicas").is_int(), Is136());
  EXPECT_EQ(Condition("Available"), "True MinimumReplicasAvailable");
  EXPECT_EQ(Condition("Progressing"), "True NewReplicaSetAvailable");
  EXPECT_EQ(Web().spec().Get("strategy").Get("rollingUpdate").Get("maxSurge").AsString(), "25%");
  EXPECT_EQ(Web().spec().Get("progressDeadlineSeconds").AsInt(), 600);
}

// CTRL-D-12, CTRL-D-20: the second write of the first sync meets a conflict, and the Deployment
// comes again.
TEST_P(Deployments, ItsFirstSyncEndsWithAConflict) {
  StartIt();
  Make(R"("replicas":1)");
  w.Settle();
  const std::vector<std::string> writes = w.Writes();
  ASSERT_GE(writes.size(), 3u);
  EXPECT_THAT(writes[0], testing::StartsWith("create replicasets/web-"));
  EXPECT_EQ(writes[1], "update deployments/web/status");
  EXPECT_EQ(writes[2], "update deployments/web/status");
  EXPECT_EQ(Status("observedGeneration"), 1);
}

// CTRL-D-09, CTRL-D-10: never more than one above, never more than one missing.
TEST_P(Deployments, RollsAStepAtATime) {
  StartAll(R"("replicas":3,"strategy":{"rollingUpdate":{"maxSurge":1,"maxUnavailable":0}})");
  const std::string v1(SetOf("v1").name());
  w.EventTexts();
  SetImage("v2");
  RunPods();
  const std::string v2(SetOf("v2").name());
  std::vector<std::string> texts;
  for (const std::string& text : w.EventTexts())
    if (text.starts_with("Normal ScalingReplicaSet")) texts.push_back(text.substr(32));
  const auto step = [&](const char* direction, const std::string& name, int from, int to) {
    const std::string begin = std::string(direction) + " replica set " + name;
    if (Is136()) return begin + " from " + std::to_string(from) + " to " + std::to_string(to);
    return begin + " to " + std::to_string(to) +
           (from == 0 && to == 1 && name == v2 ? "" : " from " + std::to_string(from));
  };
  EXPECT_THAT(texts,
              ElementsAre(step("up", v2, 0, 1), step("down", v1, 3, 2), step("up", v2, 1, 2),
                          step("down", v1, 2, 1), step("up", v2, 2, 3), step("down", v1, 1, 0)));
  EXPECT_THAT(Sizes(), ElementsAre("v1=0", "v2=3"));
  EXPECT_EQ(Web().Annotation("deployment.kubernetes.io/revision"), "2");
  EXPECT_EQ(Condition("Progressing"), "True NewReplicaSetAvailable");
}

// CTRL-D-09: a new ReplicaSet that is too large is set to the wanted size, and old ones wait.
TEST_P(Deployments, PodsThatNeverBecomeReadyStopTheRollout) {
  StartAll(R"("replicas":4,"strategy":{"rollingUpdate":{"maxSurge":1,"maxUnavailable":1}})");
  SetImage("v2");
  RunPods(false);
  // 5 pods at most, and 3 available at least.
  EXPECT_THAT(Sizes(), ElementsAre("v1=3", "v2=2"));
  EXPECT_EQ(Status("unavailableReplicas"), 2);
  EXPECT_EQ(Condition("Progressing"), "True ReplicaSetUpdated");
  EXPECT_EQ(Condition("Available"), "True MinimumReplicasAvailable");
}

// CTRL-D-10: an old pod that is not available goes first, though none of the new ones is there.
TEST_P(Deployments, OldPodsThatAreNotAvailableGoFirst) {
  StartAll(R"("replicas":3,"strategy":{"rollingUpdate":{"maxSurge":0,"maxUnavailable":1}})");
  w.MakeReady(w.PodNames().front(), false);
  w.Settle();
  SetImage("v2");
  w.Settle();
  EXPECT_THAT(Sizes(), ElementsAre("v1=2", "v2=1"));
}

// CTRL-D-13
TEST_P(Deployments, RecreateWaitsForTheLastPod) {
  StartAll(R"("replicas":2,"strategy":{"type":"Recreate"})");
  w.Forget();
  SetImage("v2");
  w.Settle();
  EXPECT_THAT(Sizes(), ElementsAre("v1=0"));
  const std::vector<std::string> pods = w.PodNames();
  ASSERT_THAT(pods, SizeIs(2));
  w.Delete("pods", pods[0], Grace(0));
  w.Settle();
  EXPECT_THAT(Sizes(), ElementsAre("v1=0"));
  EXPECT_TRUE(HasListedSets());
  w.Delete("pods", pods[1], Grace(0));
  w.Settle();
  EXPECT_THAT(Sizes(), ElementsAre("v1=0", "v2=2"));
  RunPods();
  EXPECT_EQ(Condition("Progressing"), "True NewReplicaSetAvailable");
}

// CTRL-D-08, CTRL-D-11
TEST_P(Deployments, AChangeOfSizeInARolloutKeepsTheShares) {
  StartAll(R"("replicas":4,"strategy":{"rollingUpdate":{"maxSurge":1,"maxUnavailable":1}})");
  SetImage("v2");
  RunPods(false);
  ASSERT_THAT(Sizes(), ElementsAre("v1=3", "v2=2"));
  w.Patch("deployments", "web", R"({"spec":{"replicas":9}})");
  w.Settle();
  EXPECT_THAT(Sizes(), ElementsAre("v1=6", "v2=4"));
  EXPECT_EQ(SetOf("v1").Annotation("deployment.kubernetes.io/desired-replicas"), "9");
  EXPECT_EQ(SetOf("v2").Annotation("deployment.kubernetes.io/max-replicas"), "10");
}

// CTRL-D-08, CTRL-D-15: a paused Deployment scales, and rolls nothing out.
TEST_P(Deployments, PausedItScalesAndRollsNothingOut) {
  StartAll(R"("replicas":1)");
  w.Patch("deployments", "web", R"({"spec":{"paused":true}})");
  w.Settle();
  EXPECT_EQ(Condition("Progressing"), "Unknown DeploymentPaused");
  SetImage("v2");
  w.Patch("deployments", "web", R"({"spec":{"replicas":3}})");
  w.Settle();
  EXPECT_THAT(Sizes(), ElementsAre("v1=3"));
  w.Patch("deployments", "web", R"({"spec":{"paused":false}})");
  RunPods();
  EXPECT_THAT(Sizes(), ElementsAre("v1=0", "v2=3"));
  EXPECT_EQ(Condition("Progressing"), "True NewReplicaSetAvailable");
}

// CTRL-D-16: a rollout that stands still has its deadline, to the second.
TEST_P(Deployments, ARolloutThatStandsStillIsTold) {
  StartAll(R"("replicas":1,"progressDeadlineSeconds":30)");
  SetImage("v2");
  w.Advance(Seconds(28));
  EXPECT_EQ(Condition("Progressing"), "True ReplicaSetUpdated");
  w.Advance(Seconds(5));
  EXPECT_EQ(Condition("Progressing"), "False ProgressDeadlineExceeded");
  RunPods();
  EXPECT_EQ(Condition("Progressing"), "True NewReplicaSetAvailable");
}

// CTRL-D-06: going back uses the ReplicaSet that is there, under a new revision.
TEST_P(Deployments, ATemplateThatComesBackHasItsReplicaSetAgain) {
  StartAll(R"("replicas":1)");
  const std::string v1(SetOf("v1").uid());
  SetImage("v2");
  RunPods();
  SetImage("v1");
  RunPods();
  EXPECT_THAT(Sizes(), ElementsAre("v1=1", "v2=0"));
  EXPECT_EQ(SetOf("v1").uid(), v1);
  EXPECT_EQ(SetOf("v1").Annotation("deployment.kubernetes.io/revision"), "3");
  EXPECT_EQ(SetOf("v1").Annotation("deployment.kubernetes.io/revision-history"), "1");
  EXPECT_EQ(Web().Annotation("deployment.kubernetes.io/revision"), "3");
}

// CTRL-D-18
TEST_P(Deployments, HistoryKeepsWhatItsLimitSays) {
  StartAll(R"("replicas":1,"revisionHistoryLimit":1)");
  for (const char* const image : {"v2", "v3", "v4"}) {
    SetImage(image);
    RunPods();
  }
  EXPECT_THAT(Sizes(), ElementsAre("v3=0", "v4=1"));
}

// CTRL-D-05: a ReplicaSet of that name that is another's.
TEST_P(Deployments, ACollisionOfHashesIsCounted) {
  ActorWorld probe(GetParam());
  StartIt();
  Make(R"("replicas":1)");
  w.Settle();
  const std::string name(SetOf("v1").name());
  w.Delete("deployments", "web");
  w.Delete("replicasets", name);
  w.Create("replicasets", R"({"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":")" +
                              name + R"("},"spec":{"selector":{"matchLabels":{"x":"y"}},"template":{
                              "metadata":{"labels":{"x":"y"}},"spec":{"containers":[{"name":"c",
                              "image":"other"}]}}}})");
  w.Settle();
  Make(R"("replicas":1)");
  w.Settle();
  EXPECT_EQ(Status("collisionCount"), 1);
  const api::Object set = SetOf("v1");
  ASSERT_FALSE(set.empty());
  EXPECT_NE(set.name(), name);
}

// CTRL-D-22
TEST_P(Deployments, AdoptsOrphansAndReleasesWhatNoLongerMatches) {
  w.AddNode("n1");
  w.Create("replicasets",
           R"({"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"old","labels":{
              "app":"web"}},"spec":{"replicas":1,"selector":{"matchLabels":{"app":"web"}},
              "template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[
              {"name":"c","image":"v1"}]}}}})");
  StartIt();
  Make(R"("replicas":1)");
  w.Settle();
  ASSERT_THAT(w.List("replicasets"), SizeIs(1));
  ASSERT_TRUE(w.Get("replicasets", "old").controller().has_value());
  EXPECT_EQ(w.Get("replicasets", "old").controller()->uid, Web().uid());
  EXPECT_EQ(Condition("Progressing"), "True FoundNewReplicaSet");
  const std::vector<std::string> requests = w.Requests({"deployments", "replicasets"});
  const auto adopted = std::find(requests.begin(), requests.end(), "patch replicasets/old");
  ASSERT_NE(adopted, requests.begin());
  EXPECT_EQ(*(adopted - 1), "get deployments/web");
  w.Patch("replicasets", "old", R"({"metadata":{"labels":{"app":"x"}}})");
  w.Settle();
  EXPECT_FALSE(w.Get("replicasets", "old").controller().has_value());
  EXPECT_THAT(w.List("replicasets"), SizeIs(2));
}

// CTRL-D-08: while it is being deleted nothing but its status changes.
TEST_P(Deployments, BeingDeletedItOnlyKeepsItsStatus) {
  StartAll(R"("replicas":1)");
  w.Patch("deployments", "web", R"({"metadata":{"finalizers":["example.dev/wait"]}})");
  w.Delete("deployments", "web");
  w.Settle();
  w.Writes();
  w.MakeReady(w.TheOnlyPod(), false);
  w.Settle();
  EXPECT_THAT(w.Writes(), Contains("update deployments/web/status"));
  SetImage("v2");
  w.Settle();
  EXPECT_THAT(Sizes(), ElementsAre("v1=1"));
}

// CTRL-D-15, CTRL-D-20: what keeps it from making its ReplicaSet is told, and tried again.
TEST_P(Deployments, AReplicaSetThatCannotBeMadeIsTold) {
  StartIt();
  w.Create("resourcequotas",
           R"({"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"q"},"spec":{"hard":{
              "count/replicasets.apps":"0"}}})");
  w.Patch(
      "resourcequotas", "q",
      R"({"status":{"hard":{"count/replicasets.apps":"0"},"used":{"count/replicasets.apps":"0"}}})",
      "status");
  w.Settle();
  Make(R"("replicas":1)");
  w.Settle();
  EXPECT_EQ(Condition("Progressing"), "False ReplicaSetCreateError");
  EXPECT_THAT(w.EventTexts(), Contains(testing::StartsWith(
                                  "Warning ReplicaSetCreateError Failed to create new replica set "
                                  "\"web-")));
  w.Delete("resourcequotas", "q");
  w.Advance(Seconds(200));
  EXPECT_THAT(Sizes(), ElementsAre("v1=1"));
}

// CTRL-D-19
TEST_P(Deployments, RollsBackForOldClients) {
  StartAll(R"("replicas":1)");
  SetImage("v2");
  RunPods();
  w.EventTexts();
  w.Patch("deployments", "web",
          R"({"metadata":{"annotations":{"deprecated.deployment.rollback.to":"0"}}})");
  RunPods();
  EXPECT_THAT(Sizes(), ElementsAre("v1=1", "v2=0"));
  EXPECT_EQ(Web().Annotation("deprecated.deployment.rollback.to"), "");
  EXPECT_THAT(w.EventTexts(),
              Contains("Normal DeploymentRollback Rolled back deployment \"web\" to revision 1"));
  w.Patch("deployments", "web",
          R"({"metadata":{"annotations":{"deprecated.deployment.rollback.to":"77"}}})");
  w.Settle();
  EXPECT_THAT(w.EventTexts(), Contains("Warning DeploymentRollbackRevisionNotFound Unable to find "
                                       "the revision to rollback to."));
  w.Patch("deployments", "web",
          R"({"metadata":{"annotations":{"deprecated.deployment.rollback.to":"3"}}})");
  w.Settle();
  EXPECT_THAT(w.EventTexts(),
              Contains("Warning DeploymentRollbackTemplateUnchanged The rollback revision contains "
                       "the same template as current deployment \"web\""));
}

// CTRL-D-21
TEST_P(Deployments, TheGenerationMovesWithSpecAndAnnotations) {
  Make(R"("replicas":1)");
  EXPECT_EQ(Web().generation(), 1);
  w.Patch("deployments", "web", R"({"metadata":{"labels":{"a":"b"}}})");
  EXPECT_EQ(Web().generation(), 1);
  w.Patch("deployments", "web", R"({"metadata":{"annotations":{"a":"b"}}})");
  EXPECT_EQ(Web().generation(), 2);
  w.Patch("deployments", "web",
          R"({"metadata":{"annotations":{"c":"d"},"labels":{"a":"c"}},"spec":{"replicas":7}})",
          "status");
  EXPECT_EQ(Web().generation(), 2);
  EXPECT_EQ(Web().Annotation("c"), "d");
  EXPECT_EQ(Web().Label("a"), "b");
  EXPECT_EQ(Web().spec().Get("replicas").AsInt(), 1);
}

// CTRL-D-06: a change of minReadySeconds goes to the ReplicaSet, without a new one.
TEST_P(Deployments, MinReadySecondsGoesToTheReplicaSet) {
  StartAll(R"("replicas":1)");
  w.Patch("deployments", "web", R"({"spec":{"minReadySeconds":7}})");
  w.Settle();
  EXPECT_EQ(SetOf("v1").spec().Get("minReadySeconds").AsInt(), 7);
  EXPECT_THAT(Sizes(), ElementsAre("v1=1"));
}

// CTRL-D-20: no retry for an object that is gone, nor anything without a change.
TEST_P(Deployments, WhatIsDoneStaysDone) {
  StartAll(R"("replicas":1)");
  w.Writes();
  w.Advance(Minutes(15));
  EXPECT_THAT(w.Writes(), IsEmpty());
}

}  // namespace
}  // namespace ksim
