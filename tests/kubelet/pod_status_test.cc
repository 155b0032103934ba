#include "ksim/kubelet/status/pod_status.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ksim/api/conditions.h"
#include "ksim/kubelet/status/pod_phase.h"
#include "ksim/value/json.h"

namespace ksim::kubelet {
namespace {

api::Object Pod(std::string_view policy = "Always", std::string_view init = "") {
  return api::Object::FromTree(*value::ParseJson(fmt::format(
      R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"p","namespace":"default","uid":"u",
          "generation":1}},"spec":{{"restartPolicy":"{}","initContainers":[{}],
          "containers":[{{"name":"a","image":"i"}},{{"name":"b","image":"i"}}]}}}})",
      policy, init)));
}

Container In(Container::State state, int code = 0) {
  Container c;
  c.state = state;
  c.exit_code = code;
  c.id = "containerd://x";
  return c;
}
const Container kRunning = In(Container::State::kRunning);
const Container kExit0 = In(Container::State::kExited, 0);
const Container kExit1 = In(Container::State::kExited, 1);
const Container kCreated = In(Container::State::kCreated);

PodSandbox Sandbox(std::vector<std::pair<std::string, Container>> containers) {
  PodSandbox s;
  s.ip = "10.244.0.2";
  s.ready = true;
  for (auto& [name, c] : containers) s.containers[name] = c;
  return s;
}

value::Value Generate(const api::Object& pod, const PodSandbox* sandbox, bool terminal = false,
                      api::Compat compat = api::Compat::k1_36, value::Value old = {}) {
  StatusInput in;
  in.pod = pod;
  in.sandbox = sandbox;
  in.terminal = terminal;
  in.profile = &ProfileOf(compat);
  in.host_ip = "192.168.0.10";
  in.now = VirtualTime(Seconds(9).ns());
  in.old_status = std::move(old);
  return GeneratePodStatus(in);
}

// KUBELET-19
TEST(PodPhase, FollowsTheContainers) {
  struct Row {
    const char* about;
    const char* policy;
    PodSandbox sandbox;
    bool terminal;
    const char* phase;
  };
  const Row table[] = {
      {"nothing yet", "Always", Sandbox({}), false, "Pending"},
      {"one to start", "Always", Sandbox({{"a", kRunning}, {"b", kCreated}}), false, "Pending"},
      {"all run", "Always", Sandbox({{"a", kRunning}, {"b", kRunning}}), false, "Running"},
      {"one stopped", "Never", Sandbox({{"a", kRunning}, {"b", kExit1}}), false, "Running"},
      {"all well, never again", "Never", Sandbox({{"a", kExit0}, {"b", kExit0}}), false,
       "Succeeded"},
      {"one badly, never again", "Never", Sandbox({{"a", kExit0}, {"b", kExit1}}), false, "Failed"},
      {"all well, on failure", "OnFailure", Sandbox({{"a", kExit0}, {"b", kExit0}}), false,
       "Succeeded"},
      {"one badly, on failure", "OnFailure", Sandbox({{"a", kExit0}, {"b", kExit1}}), false,
       "Running"},
      {"to be restarted", "Always", Sandbox({{"a", kExit0}, {"b", kExit0}}), false, "Running"},
      {"over, all well", "Always", Sandbox({{"a", kExit0}, {"b", kExit0}}), true, "Succeeded"},
      {"over, one badly", "Always", Sandbox({{"a", kExit0}, {"b", kExit1}}), true, "Failed"},
  };
  for (const Row& row : table) {
    SCOPED_TRACE(row.about);
    EXPECT_EQ(Generate(Pod(row.policy), &row.sandbox, row.terminal).Get("phase").AsString(),
              row.phase);
  }
}

// KUBELET-19
TEST(PodPhase, WaitsForInitContainersAndFailsWithThem) {
  const char* init = R"({"name":"init","image":"i"})";
  const PodSandbox running = Sandbox({{"init", kRunning}});
  const PodSandbox failed = Sandbox({{"init", kExit1}});
  const PodSandbox done = Sandbox({{"init", kExit0}, {"a", kRunning}, {"b", kRunning}});
  EXPECT_EQ(Generate(Pod("Never", init), &running).Get("phase").AsString(), "Pending");
  EXPECT_EQ(Generate(Pod("Never", init), &failed).Get("phase").AsString(), "Failed");
  EXPECT_EQ(Generate(Pod("Always", init), &failed).Get("phase").AsString(), "Pending");
  EXPECT_EQ(Generate(Pod("Always", init), &done).Get("phase").AsString(), "Running");
}

// KUBELET-19. Rows of kubelet_pods_test.go TestPodPhaseWithRestartAlways.
TEST(PodPhase, AContainerWithoutStatusIsUnknown) {
  const char* running = R"({"name":"a","state":{"running":{}}})";
  const char* stopped = R"({"name":"a","state":{"terminated":{"exitCode":0}}})";
  const char* back_off =
      R"({"name":"b","state":{"waiting":{}},"lastState":{"terminated":{"exitCode":1}}})";
  const struct {
    std::string statuses;
    bool terminal;
    const char* phase;
  } rows[] = {
      {"", false, "Pending"},
      {running, false, "Pending"},  // mixed state #2
      {stopped, false, "Pending"},
      {stopped, true, "Pending"},
      {std::string(running) + "," + back_off, false, "Running"},
      {std::string(back_off) + "," + running, false, "Running"},
  };
  for (const auto& row : rows) {
    const value::Value status =
        *value::ParseJson(R"({"containerStatuses":[)" + row.statuses + "]}");
    EXPECT_EQ(PhaseOf(Pod(), status, row.terminal, false), row.phase) << row.statuses;
  }
  const char* sidecar = R"({"name":"s","image":"i","restartPolicy":"Always"})";
  const value::Value both =
      *value::ParseJson(R"({"containerStatuses":[{"name":"a","state":{"running":{}}},)"
                        R"({"name":"b","state":{"running":{}}}]})");
  EXPECT_EQ(PhaseOf(Pod("Always", sidecar), both, false, true), "Pending") << "so is a sidecar";
}

// KUBELET-170: a container that the runtime does not know any more.
TEST(PodStatus, AContainerThatIsGoneIsWhatWasSaidOfItLast) {
  const PodSandbox nothing = Sandbox({});
  const auto after = [&](const char* a, const char* b) {
    return Generate(
        Pod(), &nothing, false, api::Compat::k1_36,
        *value::ParseJson(std::string(R"({"containerStatuses":[)") + a + "," + b + "]}"));
  };
  const char* ran =
      R"({"name":"a","image":"i","restartCount":2,"lastState":{},"state":{"running":{}}})";
  const char* ended = R"({"name":"b","image":"j","imageID":"k","containerID":"c","restartCount":1,)"
                      R"("lastState":{},"state":{"terminated":{"exitCode":3}}})";
  const value::Value status = after(ran, ended);
  const value::Value& lost = status.Get("containerStatuses").at(0);
  EXPECT_EQ(lost.Get("state").Get("waiting").Get("reason").AsString(), "ContainerCreating");
  const value::Value& end = lost.Get("lastState").Get("terminated");
  EXPECT_EQ(end.Get("reason").AsString(), "ContainerStatusUnknown");
  EXPECT_EQ(end.Get("exitCode").AsInt(), 137);
  EXPECT_EQ(lost.Get("restartCount").AsInt(), 3);
  const value::Value& kept = status.Get("containerStatuses").at(1);
  EXPECT_EQ(kept.Get("state").Get("terminated").Get("exitCode").AsInt(), 3);
  EXPECT_EQ(kept.Get("containerID").AsString(), "c");
  EXPECT_EQ(kept.Get("restartCount").AsInt(), 1);
  EXPECT_EQ(status.Get("phase").AsString(), "Running") << "and not Pending";
}

// KUBELET-20
TEST(PodPhase, ATerminalPhaseStays) {
  const PodSandbox running = Sandbox({{"a", kRunning}, {"b", kRunning}});
  const auto old = *value::ParseJson(R"({"phase":"Failed","reason":"Evicted"})");
  const auto status = Generate(Pod(), &running, false, api::Compat::k1_36, old);
  EXPECT_EQ(status.Get("phase").AsString(), "Failed");
  EXPECT_EQ(status.Get("reason").AsString(), "Evicted");
}

// KUBELET-28: up to 1.26 the kubelet does not force a terminal phase on a deleted pod.
TEST(PodPhase, OldProfilesKeepThePhaseOfADeletedPod) {
  const PodSandbox stopped = Sandbox({{"a", kExit0}, {"b", kExit0}});
  EXPECT_EQ(Generate(Pod(), &stopped, true, api::Compat::k1_25).Get("phase").AsString(), "Running");
}

std::vector<std::string> ConditionsOf(const value::Value& status) {
  std::vector<std::string> out;
  for (const value::Value& c : status.Get("conditions").items()) {
    out.push_back(fmt::format("{}={}{}{}", c.Get("type").AsString(), c.Get("status").AsString(),
                              c.Has("reason") ? " " : "", c.Get("reason").AsString()));
  }
  return out;
}

// KUBELET-21
TEST(PodConditions, StandInUpstreamsOrderAfterTheForeignOnes) {
  const auto old = *value::ParseJson(
      R"({"conditions":[{"type":"Ready","status":"False","lastTransitionTime":"T"},
                        {"type":"my/gate","status":"True"}]})");
  static const value::Path kStatus{"status"};
  const auto pod = api::Object::FromTree(Pod().tree().Set(kStatus, old));
  const auto status = Generate(pod, nullptr, false, api::Compat::k1_30, old);
  EXPECT_EQ(
      ConditionsOf(status),
      (std::vector<std::string>{"my/gate=True", "PodReadyToStartContainers=False",
                                "Initialized=True", "Ready=False ContainersNotReady",
                                "ContainersReady=False ContainersNotReady", "PodScheduled=True"}));
  const value::Value& conditions = status.Get("conditions");
  const value::Value* ready = api::FindCondition(conditions, "Ready");
  EXPECT_EQ(ready->Get("lastTransitionTime").AsString(), "T");  // the status did not change
  EXPECT_EQ(ready->Get("message").AsString(), "containers with unready status: [a b]");
  EXPECT_EQ(api::FindCondition(conditions, "PodScheduled")->Get("lastTransitionTime").AsString(),
            "2025-01-01T00:00:09Z");
}

// KUBELET-21, KUBELET-22: the conditions that later profiles add.
TEST(PodConditions, DependOnTheProfile) {
  const PodSandbox s = Sandbox({{"a", kRunning}, {"b", kRunning}});
  const auto v125 = Generate(Pod(), &s, false, api::Compat::k1_25);
  const auto v136 = Generate(Pod(), &s, false, api::Compat::k1_36);
  EXPECT_EQ(ConditionsOf(v125),
            (std::vector<std::string>{"Initialized=True", "Ready=True", "ContainersReady=True",
                                      "PodScheduled=True"}));
  EXPECT_FALSE(v125.Has("observedGeneration"));
  EXPECT_FALSE(v125.Has("hostIPs"));
  EXPECT_EQ(v136.Get("observedGeneration").AsInt(), 1);
  EXPECT_EQ(v136.Get("conditions").at(0).Get("observedGeneration").AsInt(), 1);
}

// KUBELET-21
TEST(PodConditions, ReadyAsksTheReadinessGates) {
  const PodSandbox s = Sandbox({{"a", kRunning}, {"b", kRunning}});
  const value::Path gates{"spec", "readinessGates"};
  const api::Object pod = api::Object::FromTree(
      Pod().tree().Set(gates, *value::ParseJson(R"([{"conditionType":"my/gate"}])")));
  const auto status = Generate(pod, &s);
  EXPECT_EQ(api::ConditionStatus(status.Get("conditions"), "ContainersReady"), "True");
  EXPECT_EQ(api::FindCondition(status.Get("conditions"), "Ready")->Get("reason").AsString(),
            "ReadinessGatesNotReady");
}

// A real 1.36 (GeneratePodInitializedCondition) keeps a pod Initialized when it starts its
// containers anew.
TEST(PodConditions, StayInitializedOnlyInTheNewestProfile) {
  const value::Path init{"spec", "initContainers"};
  const api::Object pod =
      api::Object::FromTree(Pod().tree().Set(init, *value::ParseJson(R"([{"name":"i"}])")));
  const auto old = *value::ParseJson(R"({"conditions":[{"type":"Initialized","status":"True"}]})");
  const auto initialized = [&](api::Compat compat) {
    const auto status = Generate(pod, nullptr, false, compat, old);
    return std::string(api::ConditionStatus(status.Get("conditions"), "Initialized"));
  };
  EXPECT_EQ(initialized(api::Compat::k1_30), "False");
  EXPECT_EQ(initialized(api::Compat::k1_36), "True");
}

// KUBELET-10
TEST(PodStatus, SaysWhichContainersAreToBeStarted) {
  struct Row {
    const char* policy;
    const Container* container;  // null: never started
    bool starts;
  };
  const Row table[] = {
      {"Always", nullptr, true},    {"Never", nullptr, true},     {"Always", &kCreated, true},
      {"Never", &kCreated, true},   {"Always", &kRunning, false}, {"OnFailure", &kRunning, false},
      {"Always", &kExit0, true},    {"Always", &kExit1, true},    {"OnFailure", &kExit0, false},
      {"OnFailure", &kExit1, true}, {"Never", &kExit0, false},    {"Never", &kExit1, false},
  };
  const value::Value spec = *value::ParseJson(R"({"name":"a"})");
  const value::Value sidecar = *value::ParseJson(R"({"name":"a","restartPolicy":"Always"})");
  for (const Row& row : table) {
    const api::Object pod = Pod(row.policy);
    EXPECT_EQ(ShouldRestart(pod, spec, row.container), row.starts) << row.policy;
    const value::Path deletion{"metadata", "deletionTimestamp"};
    const api::Object deleted =
        api::Object::FromTree(pod.tree().Set(deletion, value::Value::Of("2025-01-01T00:00:00Z")));
    EXPECT_FALSE(ShouldRestart(deleted, spec, row.container)) << row.policy;
  }
  EXPECT_TRUE(ShouldRestart(Pod("Never"), sidecar, &kExit0));
  Container init = kExit0;
  init.init = true;
  EXPECT_FALSE(ShouldRestart(Pod("Always"), spec, &init)) << "it has done its work";
}

// KUBELET-11, KUBELET-12: the status of a waiting container has the reason and the last
// termination.
TEST(PodStatus, AContainerThatBacksOffWaitsAndItsEndIsItsLastState) {
  Container again = kExit1;
  again.restarts = 3;
  again.previous = std::make_shared<const Container>(kExit0);
  const PodSandbox sandbox = Sandbox({{"a", again}, {"b", kRunning}});
  WaitingReasons reasons;
  reasons["a"].reason = "CrashLoopBackOff";
  reasons["a"].message = "back-off 40s";
  StatusInput in;
  in.profile = &ProfileOf(api::Compat::k1_30);
  in.pod = Pod();
  in.sandbox = &sandbox;
  const value::Value ended = GeneratePodStatus(in).Get("containerStatuses").at(0);
  EXPECT_TRUE(ended.Get("state").Has("terminated")) << "nothing is known to be in its way";
  EXPECT_EQ(ended.Get("lastState").Get("terminated").Get("exitCode").AsInt(), 0);
  in.waiting = &reasons;
  const value::Value status = GeneratePodStatus(in);
  const value::Value waits = status.Get("containerStatuses").at(0);
  EXPECT_EQ(waits.Get("state").Get("waiting").Get("reason").AsString(), "CrashLoopBackOff");
  EXPECT_EQ(waits.Get("state").Get("waiting").Get("message").AsString(), "back-off 40s");
  EXPECT_EQ(waits.Get("lastState").Get("terminated").Get("exitCode").AsInt(), 1);
  EXPECT_EQ(waits.Get("restartCount").AsInt(), 3);
  EXPECT_FALSE(waits.Get("ready").AsBool());
  EXPECT_EQ(status.Get("phase").AsString(), "Running") << "it ran before";
}

// KUBELET-18
TEST(PodStatus, ReadyAndStartedAreWhatTheProbesSayOfWhatRuns) {
  const PodSandbox sandbox = Sandbox({{"a", kRunning}, {"b", kExit1}});
  StatusInput in;
  in.profile = &ProfileOf(api::Compat::k1_30);
  in.pod = Pod();
  in.sandbox = &sandbox;
  for (const auto& [started, ready] :
       {std::pair{true, true}, std::pair{true, false}, std::pair{false, true}}) {
    in.health = [started = started, ready = ready](const Container&) {
      return Health{started, ready};
    };
    const value::Value statuses = GeneratePodStatus(in).Get("containerStatuses");
    EXPECT_EQ(statuses.at(0).Get("started").AsBool(), started);
    EXPECT_EQ(statuses.at(0).Get("ready").AsBool(), started && ready);
    EXPECT_FALSE(statuses.at(1).Get("ready").AsBool()) << "it does not run";
    EXPECT_FALSE(statuses.at(1).Get("started").AsBool());
  }
}

// KUBELET-25
TEST(PodStatus, WhatHasEndedForGoodMayNotRunAgain) {
  struct Row {
    const char* policy;
    const Container* before;
    const Container* after;
    bool legal;
  };
  const Row table[] = {
      {"Always", &kExit0, &kRunning, true},     {"OnFailure", &kExit1, &kRunning, true},
      {"OnFailure", &kExit0, &kRunning, false}, {"Never", &kExit1, &kRunning, false},
      {"Never", &kExit0, &kCreated, false},     {"Never", &kExit0, &kExit0, true},
      {"Never", &kRunning, &kExit1, true},      {"Never", &kRunning, &kRunning, true},
  };
  for (const Row& row : table) {
    const api::Object pod = Pod(row.policy);
    const PodSandbox before = Sandbox({{"a", *row.before}}), after = Sandbox({{"a", *row.after}});
    EXPECT_EQ(IsLegalTransition(pod, Generate(pod, &before), Generate(pod, &after)), row.legal)
        << row.policy;
  }
  const char* init = R"({"name":"init","image":"i"})";
  const char* sidecar = R"({"name":"init","image":"i","restartPolicy":"Always"})";
  const PodSandbox ended = Sandbox({{"init", kExit0}}), runs = Sandbox({{"init", kRunning}});
  for (const bool restarts : {false, true}) {
    const api::Object pod = Pod("Never", restarts ? sidecar : init);
    EXPECT_EQ(IsLegalTransition(pod, Generate(pod, &ended), Generate(pod, &runs)), restarts);
  }
}

// KUBELET-27
TEST(PodStatus, KeepsItsStartTimeAndItsAddresses) {
  const PodSandbox s = Sandbox({{"a", kRunning}, {"b", kRunning}});
  const auto first = Generate(Pod(), &s);
  EXPECT_EQ(first.Get("startTime").AsString(), "2025-01-01T00:00:09Z");
  EXPECT_EQ(first.Get("podIP").AsString(), "10.244.0.2");
  const auto old =
      *value::ParseJson(R"({"startTime":"T","podIP":"1.2.3.4","qosClass":"Burstable"})");
  const auto later = Generate(Pod(), nullptr, false, api::Compat::k1_36, old);
  EXPECT_EQ(later.Get("startTime").AsString(), "T");
  EXPECT_EQ(later.Get("podIP").AsString(), "1.2.3.4");
  EXPECT_EQ(later.Get("qosClass").AsString(), "Burstable");
}

}  // namespace
}  // namespace ksim::kubelet
