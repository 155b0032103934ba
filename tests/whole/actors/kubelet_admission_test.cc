// A kubelet's admission on real API servers: the pod that it refuses among several, its checks
// after a restart, and the refused pod's status.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ksim/kubelet/runtime/payloads.h"
#include "tests/whole/actors/actor_world.h"

namespace ksim {
namespace {

using testing::Contains;

std::string PodOf(std::string_view name, std::string_view cpu, std::string_view more = "") {
  return fmt::format(R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{}"}},"spec":{{
    "nodeName":"n1","containers":[{{"name":"c","image":"i:1",
    "resources":{{"requests":{{"cpu":"{}"}}}}}}]{}}}}})",
                     name, cpu, more);
}

struct KubeletAdmission : testing::TestWithParam<api::Compat> {
  KubeletAdmission() : w(GetParam()) {}
  std::string Phase(std::string_view pod) {
    return std::string(w.Get("pods", pod).status().Get("phase").AsString());
  }
  std::string Reason(std::string_view pod) {
    return std::string(w.Get("pods", pod).status().Get("reason").AsString());
  }
  sim::Process* kubelet() { return w.api.sim.FindProcess("kubelet/n1"); }
  ActorWorld w;
};

INSTANTIATE_TEST_SUITE_P(Compat, KubeletAdmission, testing::ValuesIn(kCompats),
                         [](const auto& info) { return std::to_string(int(info.param)); });

// KUBELET-08: the kubelet admits the pods of one list by age, whatever their names.
TEST_P(KubeletAdmission, TheOldestOfSeveralPodsIsAdmitted) {
  w.Create("pods", PodOf("z", "3"));
  w.Advance(Seconds(5));
  w.Create("pods", PodOf("a", "3"));
  w.Settle();
  w.StartKubelet("n1");
  w.Advance(Minutes(1));
  EXPECT_EQ(Phase("z"), "Running");
  EXPECT_EQ(Phase("a"), "Failed");
  EXPECT_EQ(Reason("a"), "OutOfcpu");
}

// KUBELET-08, KUBELET-22: the kubelet gives a refused pod no conditions.
TEST_P(KubeletAdmission, ARefusedPodHasAReasonAndNoConditions) {
  w.StartKubelet("n1");
  w.Create("pods", PodOf("p", "100"));
  w.Advance(Minutes(1));
  const value::Value status = w.Get("pods", "p").status();
  EXPECT_EQ(status.Get("phase").AsString(), "Failed");
  EXPECT_EQ(status.Get("qosClass").AsString(), "Burstable");
  EXPECT_FALSE(status.Get("startTime").is_null());
  EXPECT_TRUE(status.Get("conditions").empty());
  EXPECT_TRUE(status.Get("containerStatuses").empty());
  const bool v136 = GetParam() == api::Compat::k1_36;
  EXPECT_EQ(status.Get("observedGeneration").AsInt(), v136 ? 1 : 0);
}

// KUBELET-08, KUBELET-36: a kubelet that restarts runs its admission for running pods too.
TEST_P(KubeletAdmission, RunningPodsAreAdmittedAgainAfterARestart) {
  w.StartKubelet("n1");
  w.Patch("nodes", "n1", R"({"metadata":{"labels":{"disk":"ssd"}}})");
  w.Settle();
  w.Create("pods", PodOf("picky", "1", R"(,"nodeSelector":{"disk":"ssd"})"));
  w.Create("pods", PodOf("other", "1"));
  w.Advance(Minutes(1));
  ASSERT_EQ(Phase("picky"), "Running");
  w.Patch("nodes", "n1", R"({"metadata":{"labels":{"disk":null}}})");
  w.Advance(Seconds(30));
  EXPECT_EQ(Phase("picky"), "Running") << "only an admission asks";
  kubelet()->Kill();
  w.Settle();
  kubelet()->Start();
  w.Advance(Minutes(1));
  EXPECT_EQ(Phase("picky"), "Failed");
  EXPECT_EQ(Reason("picky"), "NodeAffinity");
  EXPECT_EQ(Phase("other"), "Running");
  std::vector<std::string> killed;
  for (const sim::Event& e : w.events()) {
    if (e.kind != sim::EventKind::kRuntime) continue;
    const auto& p = e.payload.As<kubelet::RuntimePayload>();
    if (p.action == "kill") killed.push_back(p.pod);
  }
  EXPECT_THAT(killed, testing::ElementsAre("picky"));
  w.Delete("pods", "picky");
  w.Advance(Minutes(1));
  EXPECT_TRUE(w.Get("pods", "picky").empty());
}

// KUBELET-08: the kubelet checks the operating system first.
TEST_P(KubeletAdmission, PodsForAnotherSystemAreRefused) {
  w.StartKubelet("n1");
  w.Create("pods", PodOf("field", "100", R"(,"os":{"name":"windows"})"));
  w.Create("pods", R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"label",
    "labels":{"kubernetes.io/os":"windows"}},"spec":{"nodeName":"n1",
    "containers":[{"name":"c","image":"i:1"}]}})");
  w.Create("pods", PodOf("linux", "1", R"(,"os":{"name":"linux"})"));
  w.Advance(Minutes(1));
  EXPECT_EQ(Reason("field"), "PodOSNotSupported");
  EXPECT_EQ(Reason("label"), "PodOSSelectorNodeLabelDoesNotMatch");
  EXPECT_EQ(Phase("linux"), "Running");
  EXPECT_THAT(w.EventTexts(), Contains("Warning PodOSNotSupported Failed to admit pod as the OS "
                                       "field doesn't match node OS"));
}

}  // namespace
}  // namespace ksim
