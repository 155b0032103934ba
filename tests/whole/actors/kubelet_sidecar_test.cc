// Sidecars and init containers on a kubelet: the order of starts and stops, and the statuses.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ksim/api/conditions.h"
#include "ksim/client/core/payloads.h"
#include "ksim/kubelet/runtime/payloads.h"
#include "tests/whole/actors/actor_world.h"

namespace ksim {
namespace {

using testing::ElementsAre;

std::string PodWith(std::string_view annotations, std::string_view init, std::string_view more,
                    std::string_view container = "") {
  return fmt::format(R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"p","annotations":{{
    {}}}}},"spec":{{"nodeName":"n1","initContainers":[{}],
    "containers":[{{"name":"c","image":"i:1"{}}}]{}}}}})",
                     annotations, init, container, more);
}
std::string Sidecar(std::string_view name, std::string_view more = "") {
  return fmt::format(R"({{"name":"{}","image":"i:1","restartPolicy":"Always"{}}})", name, more);
}

// Kubernetes has sidecars from 1.29 on.
struct KubeletSidecars : testing::TestWithParam<api::Compat> {
  KubeletSidecars() : w(GetParam()) {}
  // The runtime's actions on containers: "start c", "kill side".
  std::vector<std::string> Deeds() {
    std::vector<std::string> out;
    for (std::size_t i = w.from(); i < w.events().size(); ++i) {
      if (w.events()[i].kind != sim::EventKind::kRuntime) continue;
      const auto& p = w.events()[i].payload.As<kubelet::RuntimePayload>();
      if (p.action == "start" || p.action == "exit" || p.action == "kill")
        out.push_back(p.action + " " + p.container);
    }
    w.Forget();
    return out;
  }
  value::Value Status() { return w.Get("pods", "p").status(); }
  std::string Condition(std::string_view type) {
    return std::string(api::ConditionStatus(Status().Get("conditions"), type));
  }
  ActorWorld w;
};

INSTANTIATE_TEST_SUITE_P(Compat, KubeletSidecars,
                         testing::Values(api::Compat::k1_30, api::Compat::k1_36),
                         [](const auto& info) { return std::to_string(int(info.param)); });

// KUBELET-09: the containers after a sidecar wait until it has started, which its startup probe
// decides.
TEST_P(KubeletSidecars, WhatComesAfterASidecarWaitsForItsStartupProbe) {
  w.StartKubelet("n1");
  w.Create("pods", PodWith(R"("startup.ksim.dev/side":"fail 25s, pass")",
                           Sidecar("side", R"(,"startupProbe":{"exec":{"command":["x"]}})"), ""));
  w.Advance(Seconds(15));
  EXPECT_THAT(Deeds(), ElementsAre("start side"));
  EXPECT_EQ(Status().Get("phase").AsString(), "Pending");
  EXPECT_EQ(Condition("Initialized"), "False");
  w.Advance(Minutes(1));
  EXPECT_THAT(Deeds(), ElementsAre("start c"));
  EXPECT_EQ(Status().Get("phase").AsString(), "Running");
  EXPECT_EQ(Condition("Initialized"), "True");
}

// KUBELET-15, KUBELET-28: sidecars stop after all other containers, in reverse order.
TEST_P(KubeletSidecars, StopAfterTheOthersTheLastFirst) {
  w.StartKubelet("n1");
  w.Create("pods", PodWith("", Sidecar("one") + "," + Sidecar("two"), ""));
  w.Advance(Minutes(1));
  Deeds();
  w.Delete("pods", "p");
  w.Advance(Minutes(1));
  EXPECT_THAT(Deeds(), ElementsAre("kill c", "kill two", "kill one"));
}

// KUBELET-19, KUBELET-21: a sidecar in a crash loop makes the pod unready, not pending.
TEST_P(KubeletSidecars, OneThatKeepsEndingMakesThePodUnready) {
  w.StartKubelet("n1");
  w.Create("pods", PodWith(R"("exit.ksim.dev/side":"1 after 3s")", Sidecar("side"), ""));
  bool ran = false, waited = false;
  for (int i = 0; i < 180; ++i) {
    w.Advance(Seconds(1));
    const value::Value status = Status();
    ran = ran || status.Get("phase").AsString() == "Running";
    if (ran) {
      EXPECT_EQ(status.Get("phase").AsString(), "Running");
    }
    const value::Value& state = status.Get("initContainerStatuses").at(0).Get("state");
    if (!ran || state.Get("waiting").Get("reason").AsString() != "CrashLoopBackOff") continue;
    waited = true;
    EXPECT_EQ(Condition("Initialized"), "True");
    EXPECT_EQ(Condition("Ready"), "False");
    const value::Value* ready = api::FindCondition(status.Get("conditions"), "ContainersReady");
    ASSERT_NE(ready, nullptr);
    EXPECT_EQ(ready->Get("message").AsString(), "containers with unready status: [side]");
  }
  EXPECT_TRUE(waited);
}

// KUBELET-21: readiness gates read conditions that others write, at any time.
TEST_P(KubeletSidecars, AReadinessGateOpensWhenItsConditionComes) {
  w.StartKubelet("n1");
  w.Create("pods", PodWith("", "", R"(,"readinessGates":[{"conditionType":"x/gate"}])"));
  w.Advance(Seconds(30));
  EXPECT_EQ(Condition("Ready"), "False");
  w.Patch("pods", "p", R"({"status":{"conditions":[{"type":"x/gate","status":"True"}]}})",
          "status");
  w.Advance(Seconds(3));
  EXPECT_EQ(Condition("Ready"), "True");
  w.Patch("pods", "p", R"({"status":{"conditions":[{"type":"x/gate","status":"False"}]}})",
          "status");
  w.Advance(Seconds(3));
  EXPECT_EQ(Condition("Ready"), "False");
}

// KUBELET-21: a pod whose init container failed for good is not Initialized.
TEST_P(KubeletSidecars, AFailedInitContainerLeavesThePodUninitialized) {
  w.StartKubelet("n1");
  w.Create("pods", PodWith(R"("exit.ksim.dev/init":"1 after 1s")",
                           R"({"name":"init","image":"i:1"})", R"(,"restartPolicy":"Never")"));
  w.Advance(Minutes(1));
  EXPECT_EQ(Status().Get("phase").AsString(), "Failed");
  EXPECT_EQ(Condition("Initialized"), "False");
}

// KUBELET-28: containers that never started do not count as killed while init containers run.
TEST_P(KubeletSidecars, ADeletionDuringInitLeavesTheOthersWaiting) {
  w.StartKubelet("n1");
  w.Create("pods", PodWith(R"("exit.ksim.dev/init":"runs")",
                           R"({"name":"init","image":"i:1"},{"name":"later","image":"i:1"})",
                           R"(,"terminationGracePeriodSeconds":5)"));
  w.Advance(Seconds(30));
  w.Patch("pods", "p", R"({"metadata":{"finalizers":["x/keep"]}})");
  w.Delete("pods", "p");
  w.Advance(Minutes(1));
  const value::Value status = Status();
  EXPECT_EQ(status.Get("phase").AsString(), "Failed");
  EXPECT_TRUE(status.Get("initContainerStatuses").at(0).Get("state").Has("terminated"));
  EXPECT_TRUE(status.Get("initContainerStatuses").at(1).Get("state").Has("waiting"));
  EXPECT_TRUE(status.Get("containerStatuses").at(0).Get("state").Has("waiting"));
}

// KUBELET-13: an Event's fieldPath names the container in the pod's spec.
TEST_P(KubeletSidecars, EventsNameTheFieldOfTheContainer) {
  w.StartKubelet("n1");
  w.Create("pods", PodWith("", R"({"name":"init","image":"i:1"},)" + Sidecar("side"), ""));
  w.Advance(Minutes(1));
  w.Delete("pods", "p");
  w.Advance(Minutes(1));
  for (const api::Object& e : w.List("events")) {
    const std::string_view path = e.tree().Get("involvedObject").Get("fieldPath").AsString();
    EXPECT_NE(path, "spec.containers{init}") << e.tree().Get("reason").AsString();
    EXPECT_NE(path, "spec.containers{side}") << e.tree().Get("reason").AsString();
  }
}

}  // namespace
}  // namespace ksim
