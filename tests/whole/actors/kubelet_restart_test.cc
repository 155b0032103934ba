// A kubelet's handling of containers that end: restart policies, back-off, statuses and Events.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ksim/client/core/payloads.h"
#include "ksim/client/rest/fault_hooks.h"
#include "ksim/kubelet/runtime/payloads.h"
#include "tests/whole/actors/actor_world.h"

namespace ksim {
namespace {

using testing::Contains;
using testing::StartsWith;

// A pod bound to n1, whose container exits as `exits` says.
std::string PodThat(std::string_view exits, std::string_view policy = "Always",
                    std::string_view more_container = "") {
  return fmt::format(R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"p","annotations":{{
    "exit.ksim.dev/c":"{}"}}}},"spec":{{"nodeName":"n1","restartPolicy":"{}",
    "containers":[{{"name":"c","image":"i:1"{}}}]}}}})",
                     exits, policy, more_container);
}

struct Deed {
  std::string action, result;
  VirtualTime at;
};

struct KubeletRestarts : testing::TestWithParam<api::Compat> {
  KubeletRestarts() : w(GetParam()) {}
  bool v136() const { return GetParam() == api::Compat::k1_36; }

  // The starts, exits and kills of containers in the runtime.
  std::vector<Deed> Deeds() {
    std::vector<Deed> out;
    for (const sim::Event& e : w.events()) {
      if (e.kind != sim::EventKind::kRuntime) continue;
      const auto& p = e.payload.As<kubelet::RuntimePayload>();
      if (p.action == "start" || p.action == "exit" || p.action == "kill")
        out.push_back({p.action, p.result, e.time});
    }
    return out;
  }
  // For each restart the time for which the container had been down.
  std::vector<Duration> Waits() {
    std::vector<Duration> waits;
    std::optional<VirtualTime> ended;
    for (const Deed& d : Deeds()) {
      if (d.action == "start" && ended) waits.push_back(d.at - *ended);
      if (d.action != "start") ended = d.at;
    }
    return waits;
  }
  value::Value Status() { return w.Get("pods", "p").status(); }
  value::Value Container() { return Status().Get("containerStatuses").at(0); }
  sim::Process* kubelet() { return w.api.sim.FindProcess("kubelet/n1"); }
  ActorWorld w;
};

INSTANTIATE_TEST_SUITE_P(Compat, KubeletRestarts, testing::ValuesIn(kCompats),
                         [](const auto& info) { return std::to_string(int(info.param)); });

// KUBELET-10, KUBELET-12
TEST_P(KubeletRestarts, AsTheRestartPolicySays) {
  struct Row {
    const char* policy;
    const char* exits;
    const char* phase;
    int restarts;
  };
  const Row table[] = {
      {"Always", "0 after 2s, runs", "Running", 1},
      {"Always", "1 after 2s, runs", "Running", 1},
      {"OnFailure", "0 after 2s, runs", "Succeeded", 0},
      {"OnFailure", "1 after 2s, runs", "Running", 1},
      {"OnFailure", "1 after 2s, 0 after 2s, runs", "Succeeded", 1},
      {"Never", "0 after 2s, runs", "Succeeded", 0},
      {"Never", "1 after 2s, runs", "Failed", 0},
  };
  for (const Row& row : table) {
    SCOPED_TRACE(fmt::format("{} {}", row.policy, row.exits));
    ActorWorld world(GetParam());
    world.StartKubelet("n1");
    world.Create("pods", PodThat(row.exits, row.policy));
    world.Advance(Minutes(2));
    const value::Value status = world.Get("pods", "p").status();
    EXPECT_EQ(status.Get("phase").AsString(), row.phase);
    EXPECT_EQ(status.Get("containerStatuses").at(0).Get("restartCount").AsInt(), row.restarts);
  }
}

// KUBELET-10: an init container that fails is started again unless the pod never restarts.
TEST_P(KubeletRestarts, OfInitContainersThatFail) {
  for (const auto& [policy, phase] :
       {std::pair{"Always", "Running"}, std::pair{"OnFailure", "Running"},
        std::pair{"Never", "Failed"}}) {
    SCOPED_TRACE(policy);
    ActorWorld world(GetParam());
    world.StartKubelet("n1");
    world.Create("pods", fmt::format(R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"p",
      "annotations":{{"exit.ksim.dev/first":"3 after 1s, 0 after 1s"}}}},"spec":{{"nodeName":"n1",
      "restartPolicy":"{}","initContainers":[{{"name":"first","image":"i:1"}}],
      "containers":[{{"name":"c","image":"i:1"}}]}}}})",
                                     policy));
    world.Advance(Minutes(2));
    const value::Value status = world.Get("pods", "p").status();
    EXPECT_EQ(status.Get("phase").AsString(), phase);
    const bool never = std::string_view(policy) == "Never";
    EXPECT_EQ(status.Get("initContainerStatuses").at(0).Get("restartCount").AsInt(), never ? 0 : 1);
  }
}

// KUBELET-11, KUBELET-07: the first restart comes at once, the next ones 10 s doubling to 5 min
// after the exit, plus the delay of the sync: 10 s to 15 s; in 1.36 half of the rest, a minute at
// most.
TEST_P(KubeletRestarts, BackOffFromTenSecondsToFiveMinutes) {
  w.StartKubelet("n1");
  w.Create("pods", PodThat("1 after 1s"));
  w.Advance(Minutes(40));
  const std::vector<Duration> waits = Waits();
  const std::vector<std::int64_t> backoffs = {0, 10, 20, 40, 80, 160, 300, 300, 300};
  ASSERT_GE(waits.size(), backoffs.size() - 1);
  for (std::size_t i = 0; i < std::min(waits.size(), backoffs.size()); ++i) {
    const Duration backoff = Seconds(backoffs[i]);
    EXPECT_GE(waits[i], backoff) << i;
    const Duration late = v136() ? std::min(backoff / 2, Seconds(30)) : Seconds(15);
    EXPECT_LE(waits[i], backoff + (i == 0 ? Duration() : late) + Seconds(3)) << i;
  }
}

// KUBELET-11, KUBELET-12: the status and the Events during the back-off.
TEST_P(KubeletRestarts, SayWhyAContainerWaitsAndCountUp) {
  w.StartKubelet("n1");
  w.Create("pods", PodThat("1 after 1s"));
  std::int64_t last = 0;
  bool waited = false;
  for (int i = 0; i < 300; ++i) {
    w.Advance(Seconds(1));
    const value::Value c = Container();
    const std::int64_t restarts = c.Get("restartCount").AsInt();
    EXPECT_GE(restarts, last) << "it never decreases";
    EXPECT_LE(restarts, last + 1);
    last = restarts;
    const value::Value& waiting = c.Get("state").Get("waiting");
    if (waiting.Get("reason").AsString() != "CrashLoopBackOff") continue;
    waited = true;
    const std::string uid(w.Get("pods", "p").uid());
    EXPECT_THAT(std::string(waiting.Get("message").AsString()),
                testing::MatchesRegex("back-off [0-9ms]+ restarting failed container=c "
                                      "pod=p_default\\(" +
                                      uid + "\\)"));
    EXPECT_EQ(c.Get("lastState").Get("terminated").Get("exitCode").AsInt(), 1);
    EXPECT_FALSE(c.Get("ready").AsBool());
    EXPECT_EQ(Status().Get("phase").AsString(), "Running");
  }
  EXPECT_TRUE(waited);
  EXPECT_GE(last, 4);
  EXPECT_THAT(w.EventTexts(),
              Contains(StartsWith(GetParam() == api::Compat::k1_25
                                      ? "Warning BackOff Back-off restarting failed container"
                                      : "Warning BackOff Back-off restarting failed container c in "
                                        "pod p_default(")));
}

// KUBELET-11
TEST_P(KubeletRestarts, BackOffFromTheBeginningAfterARunOfTenMinutes) {
  w.StartKubelet("n1");
  w.Create("pods", PodThat("1 after 1s, 1 after 1s, 1 after 1s, 1 after 11m, 1 after 1s, runs"));
  w.Advance(Minutes(20));
  const std::vector<Duration> waits = Waits();
  ASSERT_EQ(waits.size(), 5u);
  EXPECT_GE(waits[2], Seconds(20));
  EXPECT_LE(waits[3], Seconds(3)) << "at once, as the first time";
  EXPECT_GE(waits[4], Seconds(10));
  EXPECT_LE(waits[4], Seconds(28));
}

// KUBELET-11: a kubelet's restart loses the back-off, which is in its memory, and keeps the restart
// count.
TEST_P(KubeletRestarts, ForgetTheBackOffWithTheKubelet) {
  w.StartKubelet("n1");
  w.Create("pods", PodThat("1 after 1s"));
  while (Deeds().size() < 10) w.Advance(Seconds(5));  // five runs: 80 s to wait
  const std::int64_t restarts = Container().Get("restartCount").AsInt();
  kubelet()->Kill();
  w.Settle();
  kubelet()->Start();
  const std::size_t before = Waits().size();
  w.Advance(Seconds(20));
  ASSERT_GT(Waits().size(), before) << "it is started at once";
  EXPECT_GT(Container().Get("restartCount").AsInt(), restarts);
}

// KUBELET-10: a kubelet restarts no container of a terminating pod.
TEST_P(KubeletRestarts, EndWithTheDeletion) {
  w.StartKubelet("n1");
  w.Create("pods", PodThat("1 after 5s"));
  while (Deeds().empty()) w.Advance(Seconds(1));
  api::DeleteOptions grace;
  grace.grace_period_seconds = 60;
  w.Delete("pods", "p", grace);
  w.Advance(Minutes(3));
  EXPECT_TRUE(w.Get("pods", "p").empty());
  const std::vector<Deed> deeds = Deeds();
  EXPECT_EQ(
      std::count_if(deeds.begin(), deeds.end(), [](const Deed& d) { return d.action == "start"; }),
      1);
}

// KUBELET-07: the kubelet tries a failed sync again after 10 s times [1, 1.5).
TEST_P(KubeletRestarts, TryAgainWhatAnErrorStopped) {
  w.StartKubelet("n1");
  w.Create("pods", PodThat("runs", "Always", R"(,"imagePullPolicy":"Never")"));
  w.Advance(Seconds(5));
  w.Forget();
  w.Advance(Minutes(3));
  std::vector<VirtualTime> tries;
  for (std::size_t i = w.from(); i < w.events().size(); ++i) {
    if (w.events()[i].kind != sim::EventKind::kRequest) continue;
    const api::Request& r = w.events()[i].payload.As<client::RequestPayload>().request;
    if (r.resource->resource != "events" || r.ns != "default") continue;
    const VirtualTime told = w.events()[i].time;  // each try is told by two events
    if (tries.empty() || told - tries.back() > Seconds(1)) tries.push_back(told);
  }
  ASSERT_GE(tries.size(), 10u);
  for (std::size_t i = 1; i < tries.size(); ++i) {
    EXPECT_GE(tries[i] - tries[i - 1], Milliseconds(9900));
    EXPECT_LE(tries[i] - tries[i - 1], Milliseconds(15100));
  }
  const value::Value waiting = Container().Get("state").Get("waiting");
  EXPECT_EQ(waiting.Get("reason").AsString(), "ErrImageNeverPull");
  EXPECT_EQ(Status().Get("phase").AsString(), "Pending");
}

// KUBELET-24: the status manager sends a status that it could not send at its next tick, every ten
// seconds from its start.
TEST_P(KubeletRestarts, AStatusThatCouldNotBeSentIsSentAtTheNextTick) {
  client::FaultHooks hooks(w.api.sim);
  w.env.faults = &hooks;
  w.StartKubelet("n1");
  w.Create("pods", PodThat("1 after 33s", "Never"));
  std::optional<VirtualTime> began;
  for (const sim::Event& e : w.events())
    if (!began && e.actor == sim::ActorId::Of("kubelet/n1")) began = e.time;
  std::optional<VirtualTime> failed, sent;
  hooks.AddJudge([&](const api::Request& r) {
    client::Mishap mishap;
    if (r.verb != api::Verb::kGet || r.name != "p" || w.api.sim.now() < *began + Seconds(20))
      return mishap;
    if (!failed) failed = w.api.sim.now();
    if (w.api.sim.now() > *failed + Seconds(1)) {
      if (!sent) sent = w.api.sim.now();
      return mishap;
    }
    mishap.kind = client::Mishap::Kind::kRejected;
    mishap.status = api::InternalError("no");
    return mishap;
  });
  w.Advance(Minutes(1));
  ASSERT_TRUE(began && failed && sent);
  EXPECT_LT((*sent - *began).ns() % Seconds(10).ns(), Milliseconds(500).ns());
  EXPECT_LE(*sent - *failed, Milliseconds(10500));
  EXPECT_EQ(Status().Get("phase").AsString(), "Failed");
  w.api.sim.Shutdown();
}

// KUBELET-24: a new status of any pod triggers another attempt for all unsent statuses; in 1.25,
// where each status version stands in a queue (KUBELET-23), it sends that version alone.
TEST_P(KubeletRestarts, AStatusThatCouldNotBeSentWaitsForATrigger) {
  client::FaultHooks hooks(w.api.sim);
  w.env.faults = &hooks;
  w.StartKubelet("n1");
  std::vector<VirtualTime> tries;
  hooks.AddJudge([&](const api::Request& r) {
    client::Mishap mishap;
    if (r.verb != api::Verb::kPatch || r.name != "p" || r.subresource != "status") return mishap;
    tries.push_back(w.api.sim.now());
    if (tries.size() > 1) return mishap;
    mishap.kind = client::Mishap::Kind::kRejected;
    mishap.status = api::InternalError("no");
    return mishap;
  });
  w.Create("pods", PodThat("1 after 3s", "Never"));
  w.Advance(Minutes(1));
  ASSERT_GE(tries.size(), 2u);
  EXPECT_GT(tries[1] - tries[0], Milliseconds(100)) << "not at once";
  EXPECT_EQ(Status().Get("phase").AsString(), "Failed");
  w.api.sim.Shutdown();
}

// KUBELET-23: the status manager restores the kubelet's part of a status that somebody else changed
// at its next tick of ten seconds; the parts of others stay.
TEST_P(KubeletRestarts, AStatusThatSomebodyElseWroteIsRestored) {
  w.StartKubelet("n1");
  w.Create("pods", PodThat("runs"));
  w.Advance(Seconds(30));
  w.Writes();
  w.Patch("pods", "p", R"({"status":{"podIP":"1.2.3.4","podIPs":[{"ip":"1.2.3.4"}],"conditions":[
    {"type":"Ready","status":"False"},{"type":"example.dev/mine","status":"True"}]}})",
          "status");
  w.Advance(Seconds(11));
  EXPECT_THAT(w.Writes(), testing::ElementsAre("patch pods/p/status"));
  EXPECT_THAT(std::string(Status().Get("podIP").AsString()), StartsWith("10."));
  for (const value::Value& c : Status().Get("conditions").items()) {
    const std::string_view type = c.Get("type").AsString();
    if (type == "Ready" || type == "example.dev/mine") {
      EXPECT_EQ(c.Get("status").AsString(), "True") << type;
    }
  }
  w.Patch("pods", "p",
          R"({"status":{"conditions":[{"type":"example.dev/mine","status":"False"}]}})", "status");
  w.Advance(Minutes(1));
  EXPECT_THAT(w.Writes(), testing::IsEmpty());
}

// KUBELET-03: the kubelet does not kill a pod that is deleted while it takes in its first list
// before the list is complete; then it kills the pod with the other orphans.
TEST(KubeletConfig, NothingIsRemovedBeforeItIsWhole) {
  ActorWorld w(api::Compat::k1_30);
  client::FaultHooks hooks(w.api.sim);
  w.env.faults = &hooks;
  w.StartKubelet("n1");
  w.Create("pods", PodJson("a", "{}", "", R"(,"nodeName":"n1")"));
  for (int i = 0; i < 20; ++i)
    w.Create("pods", PodJson(fmt::format("b{}", i), "{}", "", R"(,"nodeName":"n1")"));
  w.Advance(Minutes(2));
  sim::Process* kubelet = w.api.sim.FindProcess("kubelet/n1");
  kubelet->Kill();
  w.Settle();
  const api::ResourceInfo* pods = &w.api.Kind("pods");
  client::Gate& queue = hooks.HandlerGate("kubelet/n1", pods);
  client::Gate& nodes = hooks.HandlerGate("kubelet/n1", &w.api.Kind("nodes"));
  queue.Close();
  nodes.Close();
  kubelet->Start();
  w.Advance(Seconds(5));
  // The deletion falls into a gap of the watch: the delta queue holds the listed pod, and then a
  // tombstone.
  hooks.CutStreams("kubelet/n1", pods, api::Expired("too old resource version"));
  api::DeleteOptions now;
  now.grace_period_seconds = 0;
  w.Delete("pods", "a", now);
  w.Advance(Seconds(5));
  w.Forget();
  queue.Open();
  w.Advance(Seconds(20));
  const std::vector<std::string> calls = w.HandlerCalls("pods");
  ASSERT_GT(calls.size(), 2u);
  EXPECT_EQ(calls[0], "add a");
  EXPECT_EQ(calls[1], "delete a tombstone");
  EXPECT_THAT(w.EventTexts(), testing::Not(Contains(StartsWith("Normal Killing"))));
  nodes.Open();
  w.Advance(Seconds(20));
  EXPECT_THAT(w.EventTexts(), Contains("Normal Killing Stopping container c"));
  EXPECT_EQ(w.Get("pods", "b0").status().Get("phase").AsString(), "Running");
  w.api.sim.Shutdown();
}

}  // namespace
}  // namespace ksim
