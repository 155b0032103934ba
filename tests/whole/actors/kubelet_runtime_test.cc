// A kubelet and its node's runtime: what the kubelet asks of the runtime, in which order, and when.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ksim/client/core/payloads.h"
#include "ksim/kubelet/runtime/payloads.h"
#include "tests/whole/actors/actor_world.h"

namespace ksim {
namespace {

using testing::Contains;
using testing::StartsWith;

class KubeletRuntime : public testing::TestWithParam<api::Compat> {
 protected:
  KubeletRuntime() : w(GetParam()) {}
  // The runtime's deeds for that pod since the last Forget: "sandbox ", "start c", "kill c".
  std::vector<std::string> RuntimeDeeds(std::string_view uid) {
    std::vector<std::string> out;
    for (std::size_t i = w.from(); i < w.events().size(); ++i) {
      if (w.events()[i].kind != sim::EventKind::kRuntime) continue;
      const auto& p = w.events()[i].payload.As<kubelet::RuntimePayload>();
      if (p.uid == uid) out.push_back(p.action + " " + p.container);
    }
    return out;
  }
  ActorWorld w;
};

INSTANTIATE_TEST_SUITE_P(Compat, KubeletRuntime, testing::ValuesIn(kCompats),
                         [](const auto& info) { return std::to_string(int(info.param)); });

// KUBELET-02: an update leads to a sync at once, which here sees that somebody has ended the pod;
// any other difference waits for the next sync, a minute later.
TEST_P(KubeletRuntime, AChangeOfSpecLabelsAnnotationsOrDeletionIsAnUpdate) {
  struct Case {
    const char* name;
    const char* patch;
    const char* sub;
    bool update;
  };
  w.StartKubelet("n1");
  for (const Case& c : std::vector<Case>{
           {"spec", R"({"spec":{"activeDeadlineSeconds":3600}})", "", true},
           {"labels", R"({"metadata":{"labels":{"a":"b"}}})", "", true},
           {"annotations", R"({"metadata":{"annotations":{"a":"b"}}})", "", true},
           {"status", R"({"status":{"reason":"Over"}})", "status", false},
           {"finalizers", R"({"metadata":{"finalizers":["example.dev/wait"]}})", "", false}}) {
    const std::string uid(w.Create("pods", PodJson(c.name, "{}", "", R"(,"nodeName":"n1")")).uid());
    w.Advance(Seconds(20));
    w.Patch("pods", c.name, R"({"status":{"phase":"Failed"}})", "status");
    w.Advance(Milliseconds(100));
    w.Forget();
    w.Patch("pods", c.name, c.patch, c.sub);
    w.Advance(Seconds(2));
    const std::vector<std::string> deeds = RuntimeDeeds(uid);
    EXPECT_EQ(!deeds.empty() && deeds.front() == "kill c", c.update) << c.name;
  }
  const std::string uid(w.Create("pods", PodJson("p", "{}", "", R"(,"nodeName":"n1")")).uid());
  w.Advance(Seconds(20));
  w.Forget();
  w.Delete("pods", "p", Grace(30));
  w.Advance(Seconds(2));
  EXPECT_EQ(RuntimeDeeds(uid).front(), "kill c") << "deletionTimestamp";
}

// KUBELET-22: the generation that the kubelet acted on, in the status and its conditions. A
// graceful deletion raises it, so that the first sync after it has something to send.
TEST_P(KubeletRuntime, TheStatusSaysWhichGenerationItIsOf) {
  const bool has = GetParam() == api::Compat::k1_36;
  w.StartKubelet("n1");
  w.Create("pods", PodJson("p", "{}", "", R"(,"nodeName":"n1")"));
  w.Advance(Seconds(20));
  const auto expect = [&](std::int64_t generation) {
    const value::Value status = w.Get("pods", "p").status();
    EXPECT_EQ(status.Has("observedGeneration"), has);
    EXPECT_EQ(status.Get("observedGeneration").AsInt(), has ? generation : 0);
    for (const value::Value& c : status.Get("conditions").items()) {
      if (c.Get("type").AsString() == "PodScheduled") continue;  // written before
      EXPECT_EQ(c.Get("observedGeneration").AsInt(), has ? generation : 0);
    }
  };
  expect(1);
  w.Patch("pods", "p", R"({"spec":{"activeDeadlineSeconds":3600}})");
  w.Advance(Seconds(15));
  expect(2);
  w.Patch("pods", "p", R"({"metadata":{"finalizers":["example.dev/wait"]}})");
  w.Forget();
  w.Delete("pods", "p", Grace(30));
  w.Advance(Seconds(15));
  expect(3);
}

// KUBELET-09: the status, the sandbox, the init containers one after another, then all containers
// in the order of the spec, which is not that of the names.
TEST_P(KubeletRuntime, SetsTheStatusFirstThenMakesTheSandboxThenStartsInOrder) {
  w.StartKubelet("n1");
  w.Forget();
  const api::Object pod =
      w.Create("pods", R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{
    "nodeName":"n1",
    "initContainers":[{"name":"z","image":"i:1"},{"name":"y","image":"i:1"}],
    "containers":[{"name":"b","image":"i:1"},{"name":"a","image":"i:1"}]}})");
  w.Advance(Minutes(1));
  std::vector<std::string> deeds = RuntimeDeeds(pod.uid());
  std::erase_if(deeds, [](const std::string& deed) { return deed.starts_with("pull"); });
  EXPECT_EQ(deeds, (std::vector<std::string>{"sandbox ", "create z", "start z", "exit z",
                                             "create y", "start y", "exit y", "create b", "start b",
                                             "create a", "start a"}));
  for (std::size_t i = w.from(); i < w.events().size(); ++i) {
    const sim::Event& e = w.events()[i];
    ASSERT_NE(e.kind, sim::EventKind::kRuntime) << "the sandbox before the status";
    if (e.kind != sim::EventKind::kRequest) continue;
    const api::Request& r = e.payload.As<client::RequestPayload>().request;
    if (r.resource->resource == "pods" && r.verb == api::Verb::kGet) break;  // to PATCH its status
  }
}

// KUBELET-09: an init container that ends with another code than 0 holds up all that follow, and
// ends the pod if it may not be tried again.
TEST_P(KubeletRuntime, AnInitContainerThatFailsHoldsUpTheOthers) {
  w.StartKubelet("n1");
  for (const char* policy : {"Never", "Always"}) {
    w.Forget();
    const std::string name = policy == std::string("Never") ? "never" : "always";
    const api::Object pod = w.Create("pods", R"({"apiVersion":"v1","kind":"Pod","metadata":{
      "name":")" + name + R"(","annotations":{"exit.ksim.dev/z":"1 after 1s, 0 after 1s"}},"spec":{
      "nodeName":"n1","restartPolicy":")" + policy +
                                                 R"(",
      "initContainers":[{"name":"z","image":"i:1"},{"name":"y","image":"i:1"}],
      "containers":[{"name":"c","image":"i:1"}]}})");
    w.Advance(Minutes(2));
    std::vector<std::string> deeds = RuntimeDeeds(pod.uid());
    std::erase_if(deeds, [](const std::string& deed) {
      return !deed.starts_with("start") && !deed.starts_with("exit");
    });
    const std::vector<std::string> once{"start z", "exit z"};
    const std::vector<std::string> again{"start z", "exit z", "start z", "exit z",
                                         "start y", "exit y", "start c"};
    EXPECT_EQ(deeds, policy == std::string("Never") ? once : again);
    EXPECT_EQ(w.Get("pods", name).status().Get("phase").AsString(),
              policy == std::string("Never") ? "Failed" : "Running");
  }
}

// KUBELET-30: a pod that is deleted with grace period 0 is gone at once. Its containers run on
// until the kubelet sees the REMOVE, which here is all that it sees: no deletionTimestamp came
// before.
TEST_P(KubeletRuntime, AForcedDeleteLeavesContainersThatAreKilledAfterwards) {
  w.StartKubelet("n1");
  const std::string uid(w.Create("pods", PodJson("p", "{}", "", R"(,"nodeName":"n1")")).uid());
  w.Advance(Seconds(30));
  w.Freeze("pods");
  w.Delete("pods", "p", Grace(0));
  w.Forget();
  EXPECT_TRUE(w.Get("pods", "p").empty());
  w.Advance(Minutes(1));
  ASSERT_NE(w.machine().Find(uid), nullptr);
  EXPECT_TRUE(w.machine().Find(uid)->AnyRunning()) << "the kubelet has not seen it yet";
  w.Relist("pods");
  w.Freeze("pods", false);
  w.Advance(Minutes(1));
  EXPECT_THAT(w.HandlerCalls("pods"), testing::ElementsAre("delete p tombstone"));
  EXPECT_EQ(RuntimeDeeds(uid), (std::vector<std::string>{"kill c", "remove "}));
  EXPECT_EQ(w.machine().Find(uid), nullptr);
  EXPECT_THAT(w.EventTexts(), Contains(StartsWith("Normal Killing Stopping container c")));
}

// KUBELET-30: the containers may run beside those of a pod that takes the place.
TEST_P(KubeletRuntime, AReplacementOfAForciblyDeletedPodWaitsForNothing) {
  w.StartKubelet("n1");
  constexpr int kPods = 8;
  const auto make = [this](int i, std::string_view containers) {
    return std::string(w.Create("pods", R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p)" +
                                            std::to_string(i) + R"("},"spec":{"nodeName":"n1",
                                            "containers":[)" +
                                            std::string(containers) + "]}}")
                           .uid());
  };
  std::vector<std::string> olds, news;
  for (int i = 0; i < kPods; ++i)
    olds.push_back(make(i, R"({"name":"a","image":"i:1"},{"name":"b","image":"i:1"},
                              {"name":"c","image":"i:1"},{"name":"d","image":"i:1"})"));
  w.Advance(Minutes(1));
  w.Forget();
  for (int i = 0; i < kPods; ++i) {
    w.Delete("pods", "p" + std::to_string(i), Grace(0));
    news.push_back(make(i, R"({"name":"a","image":"i:1"})"));
  }
  w.Advance(Minutes(1));
  const auto last = [this](const std::string& uid, std::string_view action) {
    VirtualTime time;
    for (std::size_t i = w.from(); i < w.events().size(); ++i) {
      if (w.events()[i].kind != sim::EventKind::kRuntime) continue;
      const auto& p = w.events()[i].payload.As<kubelet::RuntimePayload>();
      if (p.uid == uid && p.action == action) time = w.events()[i].time;
    }
    EXPECT_NE(time, VirtualTime()) << "no " << action;
    return time;
  };
  int together = 0;
  for (std::size_t i = 0; i < kPods; ++i) {
    if (last(news[i], "start") < last(olds[i], "kill")) ++together;
  }
  EXPECT_GT(together, 0);
}

}  // namespace
}  // namespace ksim
