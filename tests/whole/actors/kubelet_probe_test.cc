// Probes: their times, their thresholds and their consequences.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ksim/kubelet/runtime/payloads.h"
#include "ksim/value/timestamp.h"
#include "tests/whole/actors/actor_world.h"

namespace ksim {
namespace {

using testing::Contains;
using testing::StartsWith;

// A pod bound to n1; `annotations` and `probes` are JSON members.
std::string Probed(std::string_view annotations, std::string_view probes,
                   std::string_view policy = "Always") {
  return fmt::format(R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"p",
    "annotations":{{{}}}}},"spec":{{"nodeName":"n1","restartPolicy":"{}",
    "containers":[{{"name":"c","image":"i:1",{}}}]}}}})",
                     annotations, policy, probes);
}

struct KubeletProbes : testing::TestWithParam<api::Compat> {
  KubeletProbes() : w(GetParam()) {
    w.StartKubelet("n1");
    w.Advance(Seconds(30));
  }
  // Samples the pod five times a second for a minute and a half. Returns the first time at which
  // `what` held, in seconds after the container's first start; -1 if it never held.
  double FirstTime(const std::function<bool(const value::Value& status)>& what) {
    for (int i = 0; i < 450; ++i) {
      w.Advance(Milliseconds(200));
      const std::optional<VirtualTime> start = Started();
      if (start && what(w.Get("pods", "p").status()))
        return static_cast<double>((w.api.sim.now() - *start).ns()) / 1e9;
    }
    return -1;
  }
  std::optional<VirtualTime> Started() {
    for (const sim::Event& e : w.events())
      if (e.kind == sim::EventKind::kRuntime &&
          e.payload.As<kubelet::RuntimePayload>().action == "start")
        return e.time;
    return std::nullopt;
  }
  int Count(std::string_view action) {
    int n = 0;
    for (const sim::Event& e : w.events())
      n += e.kind == sim::EventKind::kRuntime &&
           e.payload.As<kubelet::RuntimePayload>().action == action;
    return n;
  }
  static bool Ready(const value::Value& status) {
    for (const value::Value& c : status.Get("conditions").items())
      if (c.Get("type").AsString() == "Ready") return c.Get("status").AsString() == "True";
    return false;
  }
  static bool NotReady(const value::Value& status) { return !Ready(status); }
  static std::int64_t Restarts(const value::Value& status) {
    return status.Get("containerStatuses").at(0).Get("restartCount").AsInt();
  }
  ActorWorld w;
};

INSTANTIATE_TEST_SUITE_P(Compat, KubeletProbes, testing::ValuesIn(kCompats),
                         [](const auto& info) { return std::to_string(int(info.param)); });

constexpr const char* kHttp = R"("httpGet":{"port":80})";

// KUBELET-16
TEST_P(KubeletProbes, HaveTheirDefaults) {
  w.Create("pods", Probed("", fmt::format(R"("readinessProbe":{{{}}})", kHttp)));
  const value::Value probe =
      w.Get("pods", "p").spec().Get("containers").at(0).Get("readinessProbe");
  EXPECT_EQ(probe.Get("timeoutSeconds").AsInt(), 1);
  EXPECT_EQ(probe.Get("periodSeconds").AsInt(), 10);
  EXPECT_EQ(probe.Get("successThreshold").AsInt(), 1);
  EXPECT_EQ(probe.Get("failureThreshold").AsInt(), 3);
  EXPECT_FALSE(probe.Has("initialDelaySeconds")) << "0";
}

// KUBELET-16, KUBELET-17, KUBELET-18: the time at which a pod becomes ready. The first probe runs
// at once, the next ones every period; each status of a started container that is not ready
// triggers its probe too.
TEST_P(KubeletProbes, ReadinessIsWhatTheProbeFinds) {
  struct Row {
    const char* what;
    const char* annotations;
    const char* probe;
    double from, to;  // seconds after the start, a status' way to the API included
  };
  const Row table[] = {
      {"without a probe: at once", "", "", 0, 2.5},
      {"it passes: at once", "", R"("readinessProbe":{"httpGet":{"port":80}})", 0, 2.5},
      {"it passes later", R"("readiness.ksim.dev/c":"fail 12s, pass")",
       R"("readinessProbe":{"httpGet":{"port":80}})", 11, 23},
      {"errors are no results", R"("readiness.ksim.dev/c":"error 12s, pass")",
       R"("readinessProbe":{"httpGet":{"port":80}})", 11, 23},
      {"after its initial delay", "",
       R"("readinessProbe":{"httpGet":{"port":80},"initialDelaySeconds":20})", 19, 31},
      {"after three successes", "",
       R"("readinessProbe":{"httpGet":{"port":80},"successThreshold":3,"periodSeconds":5})", 4, 17},
      {"not before the start-up probe", R"("startup.ksim.dev/c":"fail 25s, pass")",
       R"("readinessProbe":{"httpGet":{"port":80}},
          "startupProbe":{"httpGet":{"port":80},"failureThreshold":9,"periodSeconds":4})",
       24, 32},
  };
  for (const Row& row : table) {
    SCOPED_TRACE(row.what);
    const std::string probe(row.probe[0] == 0 ? R"("tty":false)" : row.probe);
    w.Create("pods", Probed(row.annotations, probe));
    w.Forget();
    const std::size_t from = w.from();
    std::optional<VirtualTime> started;
    double ready = -1;
    for (int i = 0; i < 300 && ready < 0; ++i) {
      w.Advance(Milliseconds(200));
      for (std::size_t j = from; j < w.events().size() && !started; ++j) {
        const sim::Event& e = w.events()[j];
        if (e.kind == sim::EventKind::kRuntime &&
            e.payload.As<kubelet::RuntimePayload>().action == "start")
          started = e.time;
      }
      if (started && Ready(w.Get("pods", "p").status()))
        ready = static_cast<double>((w.api.sim.now() - *started).ns()) / 1e9;
    }
    EXPECT_GE(ready, row.from);
    EXPECT_LE(ready, row.to);
    api::DeleteOptions now;
    now.grace_period_seconds = 0;
    w.Delete("pods", "p", now);
    w.Advance(Seconds(20));
  }
}

// KUBELET-17: a container becomes unready after `failureThreshold` failures in a row, and the
// kubelet does not restart it.
TEST_P(KubeletProbes, ReadinessIsLostAfterTheThreshold) {
  w.Create("pods", Probed(R"("readiness.ksim.dev/c":"pass 22s, fail")",
                          fmt::format(R"("readinessProbe":{{{},"periodSeconds":5}})", kHttp)));
  EXPECT_LE(FirstTime(Ready), 3);
  const double lost = FirstTime(NotReady);
  EXPECT_GE(lost, 22 + 10 - 1) << "three failures, five seconds apart";
  EXPECT_LE(lost, 22 + 15 + 3);
  EXPECT_EQ(Restarts(w.Get("pods", "p").status()), 0);
  EXPECT_THAT(w.EventTexts(),
              Contains("Warning Unhealthy Readiness probe failed: HTTP probe failed "
                       "with statuscode: 503"));
}

// KUBELET-17: a probe that does not work says nothing, neither of a container that lives nor of one
// that is ready.
TEST_P(KubeletProbes, AnErrorChangesNothing) {
  w.Create("pods", Probed(R"("liveness.ksim.dev/c":"pass 10s, error",
                             "readiness.ksim.dev/c":"pass 10s, error")",
                          R"("livenessProbe":{"exec":{"command":["x"]},"periodSeconds":1},
                             "readinessProbe":{"exec":{"command":["x"]},"periodSeconds":1})"));
  w.Advance(Minutes(2));
  EXPECT_EQ(Restarts(w.Get("pods", "p").status()), 0);
  EXPECT_TRUE(Ready(w.Get("pods", "p").status()));
  EXPECT_THAT(w.EventTexts(), testing::Not(Contains(testing::HasSubstr("Unhealthy"))));
}

// KUBELET-17: the kubelet kills a container whose liveness or start-up probe fails and, unless the
// pod never restarts, starts it again; then the probes begin anew.
TEST_P(KubeletProbes, FailedLivenessOrStartupKillsTheContainer) {
  struct Row {
    const char* type;
    const char* policy;
    std::int64_t restarts;
    const char* told;
  };
  const Row table[] = {
      {"liveness", "Always", 1,
       "Normal Killing Container c failed liveness probe, will be restarted"},
      {"startup", "Always", 1,
       "Normal Killing Container c failed startup probe, will be restarted"},
      {"liveness", "OnFailure", 1,
       "Normal Killing Container c failed liveness probe, will be restarted"},
      // No other container runs, so the kubelet stops the whole pod.
      {"liveness", "Never", 0, "Normal Killing Stopping container c"},
  };
  for (const Row& row : table) {
    SCOPED_TRACE(fmt::format("{} {}", row.type, row.policy));
    ActorWorld world(GetParam());
    world.StartKubelet("n1");
    world.Advance(Seconds(30));
    world.Create(
        "pods",
        Probed(fmt::format(R"("{}.ksim.dev/c":"fail")", row.type),
               fmt::format(R"("{}Probe":{{{},"periodSeconds":5}})", row.type, kHttp), row.policy));
    std::vector<std::string> texts;
    for (int i = 0; i < 40; ++i) {
      world.Advance(Seconds(1));
      for (const std::string& text : world.EventTexts()) texts.push_back(text);
      if (std::count(texts.begin(), texts.end(), row.told) > 0) break;
    }
    EXPECT_THAT(texts, Contains(row.told));
    world.Advance(Seconds(4));
    const value::Value status = world.Get("pods", "p").status();
    EXPECT_EQ(Restarts(status), row.restarts);
    if (row.restarts == 0) {
      EXPECT_EQ(status.Get("phase").AsString(), "Failed");
    }
  }
}

// KUBELET-17: the liveness probe does not run before the start-up probe has succeeded.
TEST_P(KubeletProbes, LivenessWaitsForStartup) {
  w.Create("pods",
           Probed(R"("startup.ksim.dev/c":"fail 20s, pass","liveness.ksim.dev/c":"fail")",
                  fmt::format(R"("startupProbe":{{{0},"failureThreshold":30,"periodSeconds":2}},
                                 "livenessProbe":{{{0},"periodSeconds":2}})",
                              kHttp)));
  const double killed = FirstTime([this](const value::Value&) { return Count("kill") > 0; });
  EXPECT_GE(killed, 20 + 2 * 2 - 1) << "three failures after it";
  EXPECT_LE(killed, 20 + 12);
}

// KUBELET-18: a failing liveness probe does not kill a container of a terminating pod.
TEST_P(KubeletProbes, DeletionStopsLiveness) {
  w.Create("pods", Probed(R"("liveness.ksim.dev/c":"pass 30s, fail")",
                          fmt::format(R"("livenessProbe":{{{},"periodSeconds":1}})", kHttp)));
  w.Advance(Seconds(15));
  api::DeleteOptions grace;
  grace.grace_period_seconds = 60;
  w.Delete("pods", "p", grace);
  w.EventTexts();
  w.Advance(Minutes(2));
  EXPECT_THAT(w.EventTexts(), testing::Not(Contains(StartsWith("Warning Unhealthy"))));
  EXPECT_TRUE(w.Get("pods", "p").empty());
}

// KUBELET-16: after a restart of the kubelet the first probe waits for a part of the period.
TEST_P(KubeletProbes, DoNotAllBeginAtOnceAfterAKubeletsRestart) {
  w.Create("pods", Probed(R"("readiness.ksim.dev/c":"pass 20s, fail")",
                          fmt::format(R"("readinessProbe":{{{},"periodSeconds":20,
                            "failureThreshold":1}})",
                                      kHttp)));
  w.Advance(Seconds(22));
  sim::Process* kubelet = w.api.sim.FindProcess("kubelet/n1");
  kubelet->Kill();
  w.Settle();
  w.EventTexts();
  kubelet->Start();
  const VirtualTime start = w.api.sim.now();
  bool told = false;
  for (int i = 0; i < 250 && !told; ++i) {
    w.Advance(Milliseconds(100));
    for (const std::string& text : w.EventTexts())
      told = told || text.starts_with("Warning Unhealthy");
  }
  EXPECT_TRUE(told);
  EXPECT_GT(w.api.sim.now() - start, Milliseconds(500)) << "drawn from the period";
  EXPECT_LT(w.api.sim.now() - start, Seconds(22));
}

// KUBELET-17, KUBELET-36: up to 1.34 a restarted kubelet marks a container unready if its first
// probe fails; later kubelets keep the earlier state until the threshold is reached.
TEST_P(KubeletProbes, ARestartOfTheKubeletForgetsReadinessBefore135) {
  w.Create("pods", Probed(R"("readiness.ksim.dev/c":"pass 45s, fail 30s, pass 60s, fail")",
                          fmt::format(R"("readinessProbe":{{{},"periodSeconds":20}})", kHttp)));
  w.Advance(Seconds(50));
  ASSERT_TRUE(Ready(w.Get("pods", "p").status()));
  sim::Process* kubelet = w.api.sim.FindProcess("kubelet/n1");
  kubelet->Kill();
  w.Settle();
  kubelet->Start();
  bool unready = false;
  for (int i = 0; i < 500; ++i) {
    w.Advance(Milliseconds(100));
    unready = unready || NotReady(w.Get("pods", "p").status());
  }
  EXPECT_EQ(unready, GetParam() != api::Compat::k1_36);
  EXPECT_TRUE(Ready(w.Get("pods", "p").status()));
  w.Advance(Minutes(3));
  EXPECT_FALSE(Ready(w.Get("pods", "p").status()));
}

// KUBELET-17: the kubelet stops only the container whose probe failed; the pod and its other
// containers go on.
TEST_P(KubeletProbes, OneOfTwoContainersThatNeverRestartIsStopped) {
  w.Create("pods", fmt::format(R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"p",
    "annotations":{{"liveness.ksim.dev/c":"fail"}}}},"spec":{{"nodeName":"n1",
    "restartPolicy":"Never","containers":[{{"name":"c","image":"i:1","livenessProbe":{{{},
    "periodSeconds":5}}}},{{"name":"d","image":"i:1"}}]}}}})",
                               kHttp));
  w.Advance(Minutes(1));
  EXPECT_THAT(w.EventTexts(), Contains("Normal Killing Container c failed liveness probe"));
  EXPECT_EQ(w.Get("pods", "p").status().Get("phase").AsString(), "Running");
}

}  // namespace
}  // namespace ksim
