#include "ksim/scenario/runner.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "ksim/base/os.h"
#include "ksim/trace/state.h"
#include "ksim/trace/trace_stream.h"
#include "ksim/value/json.h"
#include "tests/scenario/from_text.h"

namespace ksim::scenario {
namespace {

const std::string kPod =
    "{apiVersion: v1, kind: Pod, metadata: {name: a, labels: {x: y}}, "
    "spec: {containers: [{name: c, image: nginx}]}}";

TEST(Runner, AnEmptyScenarioIsQuietAtOnce) {
  Runner runner(FromSpec("  cluster: {nodes: 0}\n"), RunnerOptions());
  const RunReport report = runner.Run();
  EXPECT_EQ(report.exit_code, 0);
  EXPECT_EQ(report.end.result, "ok");
  EXPECT_LT(report.end.time, Seconds(10).ns());
}

TEST(Runner, UntilADurationEndsExactlyThen) {
  Runner runner(FromSpec("  until: 90s\n  cluster: {nodes: 1}\n"), RunnerOptions());
  const RunReport report = runner.Run();
  EXPECT_EQ(report.exit_code, 0);
  EXPECT_EQ(report.end.time, Seconds(90).ns());
}

TEST(Runner, UntilIsKeptThoughTheClusterIsNotUpByThen) {
  Runner runner(FromSpec("  until: 1s\n"), RunnerOptions());
  EXPECT_EQ(runner.Run().end.time, Seconds(1).ns());
}

std::string EventsUntilTheWorkload(const std::string& spec) {
  Runner runner(FromSpec(spec), RunnerOptions());
  runner.Run();
  std::string out;
  for (const trace::Record& r : runner.MakeTrace(trace::RenderOptions()).events) {
    out += trace::ToJsonLine(r) + "\n";
    if (r.kind == sim::EventKind::kPhase) return out;
  }
  return out;
}

TEST(Runner, ABootSeedMakesTheStartThatOfAnySeed) {
  const std::string seven = EventsUntilTheWorkload("  seed: 7\n  bootSeed: 3\n");
  EXPECT_EQ(EventsUntilTheWorkload("  seed: 8\n  bootSeed: 3\n"), seven);
  EXPECT_NE(EventsUntilTheWorkload("  seed: 7\n  bootSeed: 4\n"), seven);
  EXPECT_NE(EventsUntilTheWorkload("  seed: 7\n"), seven);
}

// All that follows is the seed's: not even a seed that is the boot's has its draws again.
TEST(Runner, ARunWithABootSeedIsThatOfItsSeed) {
  const std::string steps = "  steps: [{create: {object: " + kPod + "}}]\n";
  std::set<std::string> digests;
  for (const char* seeds : {"  seed: 3\n  bootSeed: 3\n", "  seed: 4\n  bootSeed: 3\n"}) {
    Runner runner(FromSpec(seeds + steps), RunnerOptions()),
        again(FromSpec(seeds + steps), RunnerOptions());
    const RunReport report = runner.Run();
    EXPECT_EQ(report.exit_code, 0);
    EXPECT_EQ(again.Run().end.digest, report.end.digest);
    digests.insert(report.end.digest);
  }
  EXPECT_EQ(digests.size(), 2u);
}

// The fold of the trace's commits equals the store's content.
TEST(Runner, TheFoldOfTheTraceIsTheStore) {
  Runner runner(Load({"scenarios/kubectl.yaml"}, LoadOptions()).scenarios[0], RunnerOptions());
  runner.Run();
  const trace::Trace trace = runner.MakeTrace(trace::RenderOptions());
  const absl::StatusOr<trace::State> state = trace::StateAt(trace, trace::Moment());
  ASSERT_TRUE(state.ok());
  std::size_t compared = 0;
  for (const api::Object& o : runner.world().Objects()) {
    const api::ResourceInfo* info = runner.world().kinds().ByKind(o.api_version(), o.kind());
    ASSERT_NE(info, nullptr) << o.kind();
    const api::Object folded = state->Get(info->resource, o.ns(), o.name());
    ASSERT_FALSE(folded.empty()) << o.kind() << " " << o.key();
    EXPECT_EQ(value::ToJson(folded.ToTree()), value::ToJson(o.ToTree()));
    ++compared;
  }
  EXPECT_EQ(compared, state->objects().size());
  EXPECT_GT(compared, 20u);
}

TEST(Runner, TheHeaderRepeatsTheRun) {
  Runner first(Load({"scenarios/kubectl.yaml"}, LoadOptions()).scenarios[0], RunnerOptions());
  first.Run();
  const trace::Trace a = first.MakeTrace(trace::RenderOptions());
  const Loaded again = ParseScenarioTree(a.header.scenario);
  ASSERT_EQ(Render(again.errors, false), "");
  Runner second(again.scenarios[0], RunnerOptions());
  second.Run();
  EXPECT_EQ(trace::FormatTrace(second.MakeTrace(trace::RenderOptions()), false),
            trace::FormatTrace(a, false));
}

TEST(Runner, WhatIsWrittenAsItComesIsTheTrace) {
  for (const std::string name : {"as-it-comes.jsonl", "as-it-comes.ktrace"}) {
    const std::string path = testing::TempDir() + name;
    Runner runner(Load({"scenarios/kubectl.yaml"}, LoadOptions()).scenarios[0], RunnerOptions());
    auto stream = trace::TraceStream::Create(path, runner.MakeHeader());
    ASSERT_TRUE(stream.ok()) << stream.status();
    (*stream)->Subscribe(runner.world().sim().bus());
    const RunReport report = runner.Run();
    // A process that is killed now leaves what has been handed on so far.
    (*stream)->Flush();
    const absl::StatusOr<trace::Trace> cut = trace::ReadTrace(path);
    ASSERT_TRUE(cut.ok()) << cut.status();
    EXPECT_EQ(cut->events.size(), runner.events().size());
    EXPECT_NE(cut->missing, "");
    ASSERT_TRUE((*stream)->Finish(report.end).ok());
    const trace::Trace whole = runner.MakeTrace(trace::RenderOptions());
    EXPECT_EQ(os::ReadFile(path).value(), trace::FormatTrace(whole, name.ends_with(".ktrace")));
  }
}

TEST(Runner, WhatIsNotKeptHasTheSameEnd) {
  const Scenario scenario = Load({"scenarios/scale.yaml"}, LoadOptions()).scenarios[0];
  RunnerOptions options;
  options.record = false;
  options.outcome = true;
  const trace::End kept = Runner(scenario, RunnerOptions()).Run().end;
  const trace::End not_kept = Runner(scenario, std::move(options)).Run().end;
  EXPECT_EQ(not_kept.digest, kept.digest);
  EXPECT_EQ(not_kept.state, kept.state);
  EXPECT_NE(kept.state, "");
}

TEST(Runner, EventsHaveSeqWithoutGapsAndCausesBeforeThem) {
  Runner runner(Load({"scenarios/scale.yaml"}, LoadOptions()).scenarios[0], RunnerOptions());
  runner.Run();
  std::uint64_t expected = 1;
  for (const sim::Event& e : runner.events()) {
    EXPECT_EQ(e.seq, expected++);
    EXPECT_LT(e.cause, e.seq);
  }
}

std::vector<std::int64_t> Numbers(const std::vector<StepNote>& notes) {
  std::vector<std::int64_t> out;
  for (const StepNote& n : notes) out.push_back(n.number);
  return out;
}

TEST(Runner, ATriggerStartsAStepAtItsEvent) {
  Runner runner(FromSpec("  steps:\n  - {at: 0s, create: {object: " + kPod +
                         "}}\n  - {when: {event: commit, resource: pods, op: create}, "
                         "label: {resource: pods/a, set: {seen: \"1\"}}}\n"
                         "  - {when: {event: commit, resource: jobs}, cordon: node-1}\n"),
                RunnerOptions());
  const RunReport report = runner.Run();
  EXPECT_EQ(report.exit_code, 0);
  ASSERT_EQ(Numbers(report.never_begun), std::vector<std::int64_t>{3});
  EXPECT_EQ(report.never_begun[0].why, "its trigger did not come");
  const trace::Trace trace = runner.MakeTrace(trace::RenderOptions());
  std::uint64_t commit = 0;
  std::int64_t time = 0;
  for (const trace::Record& e : trace.events) {
    if (e.kind == sim::EventKind::kCommit && e.Text("resource") == "pods" && commit == 0) {
      commit = e.seq;
      time = e.t;
    }
    if (e.kind != sim::EventKind::kStep || e.Int("n") != 2 || e.Text("state") != "begin") continue;
    EXPECT_EQ(e.cause, commit);
    EXPECT_EQ(e.t, time);
  }
  EXPECT_NE(commit, 0u);
}

const std::string kCreate = "{at: 10s, create: {object: " + kPod + "}}";

// A step during which kubectl dies, at its first request.
TEST(Runner, AStepThatDiesWithKubectlHasFailed) {
  struct Case {
    std::string steps;
    std::vector<std::int64_t> failed, never_begun;
  };
  const Case cases[] = {{kCreate, {1}, {}},
                        {kCreate + ", {cordon: node-1}, {uncordon: node-1}", {1}, {2, 3}},
                        {kCreate + ", {at: 20s, cordon: node-1}", {1}, {}},  // it is back by then
                        {"{at: 5s, cordon: node-2}, " + kCreate, {2}, {}}};
  for (const Case& c : cases) {
    Runner runner(FromSpec("  cluster: {nodes: 2}\n  steps: [" + c.steps +
                           "]\n  faults:\n"
                           "  - {when: {event: request, actor: kubectl, resource: pods}, "
                           "restart: {process: kubectl}}\n"),
                  RunnerOptions());
    const RunReport report = runner.Run();
    EXPECT_EQ(report.exit_code, 1) << c.steps;
    EXPECT_EQ(report.end.result, "stepFailed");
    std::vector<std::int64_t> failed;
    for (const StepFailure& f : report.failures) {
      failed.push_back(f.number);
      EXPECT_EQ(f.error, "error: kubectl died in the midst of it");
    }
    EXPECT_EQ(failed, c.failed) << c.steps;
    EXPECT_EQ(Numbers(report.never_begun), c.never_begun) << c.steps;
    for (const StepNote& n : report.never_begun)
      EXPECT_EQ(n.why, "kubectl died in the step before") << c.steps;
  }
}

// Steps whose times come while the cluster is being started begin together, as the page says.
TEST(Runner, AStepThatBeganWithAnEarlierOneSaysSoIfItFails) {
  const std::string create =
      "{at: 0s, create: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: c}}}}";
  const std::string label = "label: {resource: configmaps/nobody, set: {a: b}}}";
  const auto failures = [&](const std::string& steps) {
    return Runner(FromSpec("  cluster: {nodes: 1}\n  steps: [" + steps + "]\n"), RunnerOptions())
        .Run()
        .failures;
  };
  const std::vector<StepFailure> together = failures(create + ", {at: 1s, " + label);
  ASSERT_EQ(together.size(), 1u);
  EXPECT_THAT(together[0].hint, testing::StartsWith("the cluster had started at "));
  EXPECT_THAT(together[0].hint, testing::HasSubstr("it began together with step 1; without `at`"));
  const std::vector<StepFailure> after = failures(create + ", {" + label);
  ASSERT_EQ(after.size(), 1u);
  EXPECT_EQ(after[0].hint, "");
  const std::vector<StepFailure> alone = failures("{at: 1s, " + label);
  ASSERT_EQ(alone.size(), 1u);
  EXPECT_EQ(alone[0].hint, "");
}

// The time at which each step began, in seconds; -1 if it never did.
std::vector<std::int64_t> Begins(const std::vector<sim::Event>& events, std::size_t steps) {
  std::vector<std::int64_t> out(steps, -1);
  for (const sim::Event& e : events) {
    if (e.kind != sim::EventKind::kStep) continue;
    const trace::Record r = trace::Render(e, trace::RenderOptions());
    if (r.Text("state") == "begin")
      out[static_cast<std::size_t>(r.Int("n")) - 1] = r.t / Seconds(1).ns();
  }
  return out;
}

TEST(Runner, StepsThatComeDueWithoutKubectlBeginWhenItIsBack) {
  struct Case {
    std::string crash, steps;
    std::vector<std::int64_t> begins;
  };
  const std::string cordon = "{at: 20s, cordon: node-1}";
  const Case cases[] = {
      {"down: 30s", cordon, {35}},
      // The steps do not begin at once: the wait takes 7 s.
      {"down: 30s",
       cordon +
           ", {at: 21s, wait: {resource: nodes/node-1, where: metadata.name == x, timeout: 7s}}"
           ", {at: 22s, uncordon: node-1}",
       {35, 35, 42}},
      {"down: 30s", "{when: {event: fault, verb: compact}, cordon: node-1}", {35}},
      // The process is killed at the very instant at which the step begins.
      {"down: 30s", "{at: 5s, cordon: node-1}, {at: 6s, uncordon: node-1}", {35, 35}},
      {"down: 30s", "{at: 5s, cordon: node-1}, {uncordon: node-1}", {35, 35}},
      {"down: 0s", "{at: 5s, cordon: node-1}, {at: 6s, uncordon: node-1}", {5, 6}},
      // The step waits until the heal, which comes when the cluster is quiet after the step's time.
      {"", cordon, {22}}};
  for (const Case& c : cases) {
    Runner runner(FromSpec("  steps: [" + c.steps + "]\n  faults:\n  - {at: 5s, crash: " +
                           "{process: kubectl" + (c.crash.empty() ? "" : ", " + c.crash) + "}}\n" +
                           "  - {at: 10s, compact: {revision: head}}\n"),
                  RunnerOptions());
    const RunReport report = runner.Run();
    EXPECT_EQ(Begins(runner.events(), c.begins.size()), c.begins) << c.steps;
    EXPECT_TRUE(report.never_begun.empty()) << c.steps;
  }
}

TEST(Runner, KubectlIsToldOfWhenItIsBack) {
  Runner runner(FromSpec("  steps: [{at: 9s, cordon: node-1}]\n"
                         "  faults: [{at: 2s, crash: {process: kubectl, down: 5s}}]\n"),
                RunnerOptions());
  EXPECT_EQ(runner.Run().exit_code, 0);
  std::vector<std::string> told;
  const trace::Trace trace = runner.MakeTrace(trace::RenderOptions());
  for (const trace::Record& e : trace.events)
    if (e.kind == sim::EventKind::kActor && e.Text("process") == "kubectl")
      told.push_back(fmt::format("{} {}", e.t / Seconds(1).ns(), e.Text("state")));
  EXPECT_EQ(told, (std::vector<std::string>{"2 kill", "7 start"}));
}

// The machine exists whether its kubelet runs or not, and its removal is final.
TEST(Runner, AMachineWhoseKubeletIsDeadCanBeRemoved) {
  for (const char* down : {"", ", down: 10s"}) {
    Runner runner(FromSpec("  steps: [{at: 3s, removeNode: {node: node-1}}]\n"
                           "  faults: [{at: 2s, crash: {process: kubelet/node-1" +
                           std::string(down) + "}}]\n"),
                  RunnerOptions());
    const RunReport report = runner.Run();
    EXPECT_EQ(report.exit_code, 0) << down;
    EXPECT_TRUE(report.failures.empty()) << down;
    EXPECT_FALSE(runner.world().sim().FindProcess("kubelet/node-1")->alive()) << down;
    EXPECT_EQ(runner.world().Objects(*runner.world().kinds().ByName("nodes")).size(), 2u) << down;
  }
}

TEST(Runner, AControllerMayRunInAProcessOfItsOwn) {
  const std::string rs =
      "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: w}, spec: {replicas: 1, "
      "selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, "
      "spec: {containers: [{name: c, image: nginx}]}}}}";
  Runner runner(FromSpec("  cluster: {nodes: 1, apiServers: 2, processes: {rs: [replicaset]}}\n"
                         "  steps: [{at: 0s, create: {object: " +
                         rs + "}}]\n"),
                RunnerOptions());
  EXPECT_EQ(runner.Run().exit_code, 0);
  EXPECT_EQ(runner.world().Objects(*runner.world().kinds().ByName("pods")).size(), 1u);
  bool by_rs = false;
  for (const sim::Event& e : runner.events())
    by_rs = by_rs || (e.kind == sim::EventKind::kReconcile && e.actor.name() == "rs/replicaset");
  EXPECT_TRUE(by_rs);
}

TEST(Kubectl, ErrorsAreThoseThatKubectlPrints) {
  struct Case {
    std::string step, error;
  };
  const Case cases[] = {
      {"delete: {resource: pods/no}", "Error from server (NotFound): pods \"no\" not found"},
      {"wait: {resource: pods/no, for: condition=Ready}",
       "Error from server (NotFound): pods \"no\" not found"},
      {"wait: {resource: pods, selector: a=b, for: condition=Ready}",
       "error: no matching resources found"},
      {"cordon: node-9", "Error from server (NotFound): nodes \"node-9\" not found"},
      {"removeNode: node-9", "error: there is no machine node-9"},
      {"addNode: {name: node, count: 1}", "error: there is a machine node-1 already"},
      {"wait: {resource: nodes/node-1, where: metadata.name == x, timeout: 5s}",
       "error: timed out waiting for the condition on nodes/node-1"}};
  for (const Case& c : cases) {
    Runner runner(FromSpec("  steps: [{at: 0s, " + c.step + "}]\n"), RunnerOptions());
    const RunReport report = runner.Run();
    EXPECT_EQ(report.exit_code, 1) << c.step;
    ASSERT_EQ(report.failures.size(), 1u) << c.step;
    EXPECT_EQ(report.failures[0].error, c.error);
  }
}

// The steps' results in a run, one message a step.
std::vector<std::string> StepResults(const std::string& compat, const std::string& steps) {
  Runner runner(FromSpec("  compat: \"" + compat + "\"\n  steps:\n" + steps), RunnerOptions());
  runner.Run();
  const trace::Trace trace = runner.MakeTrace(trace::RenderOptions());
  std::vector<std::string> out;
  for (const trace::Record& e : trace.events)
    if (e.kind == sim::EventKind::kStep && e.Text("state") == "end")
      out.emplace_back(e.Text("result"));
  return out;
}

constexpr std::string_view kImmediate =
    "Warning: Immediate deletion does not wait for confirmation that the running resource has been "
    "terminated. The resource may continue to run on the cluster indefinitely.\n";

// label.go, annotate.go, delete.go.
TEST(Kubectl, TellsWhatItHasDoneAsKubectlOfTheVersionDoes) {
  const std::string steps = R"(
  - create:
      object: {apiVersion: v1, kind: ConfigMap, metadata: {name: c, labels: {a: "1", b: "2"}}}
  - {label: {resource: cm/c, set: {a: "1"}}}
  - {label: {resource: cm/c, set: {a: null, z: null}}}
  - {label: {resource: cm/c, set: {b: null, d: "4"}}}
  - {label: {resource: cm/c, set: {d: null}, overwrite: true}}
  - {annotate: {resource: cm/c, set: {n: x}}}
  - {annotate: {resource: cm/c, set: {n: x}}}
  - {delete: {resource: cm/c, gracePeriodSeconds: 0}}
)";
  const auto expected = [](bool latest) {
    return std::vector<std::string>{
        "configmap/c created",
        "configmap/c not labeled",
        "label \"z\" not found.\nconfigmap/c unlabeled",
        latest ? "configmap/c modified" : "configmap/c labeled",
        latest ? "configmap/c unlabeled" : "configmap/c labeled",
        "configmap/c annotated",
        "configmap/c annotated",
        std::string(kImmediate) + (latest ? "configmap \"c\" force deleted from default namespace"
                                          : "configmap \"c\" force deleted")};
  };
  for (const char* compat : {"1.25", "1.30", "1.36"})
    EXPECT_EQ(StepResults(compat, steps), expected(std::string_view(compat) == "1.36")) << compat;
}

// The texts are those of kubectl v1.36.3 with a real server.
TEST(Kubectl, TellsWhatIsWrongAsKubectlDoes) {
  const std::string c = "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: \"1\"}}";
  const std::string none = "{apiVersion: v1, kind: ConfigMap, metadata: {name: none}}";
  const std::string old =
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: c, resourceVersion: \"1\"}}";
  const std::string rs =
      "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: r}, spec: {replicas: 0, selector: "
      "{matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, "
      "image: i}]}}}}";
  const std::pair<std::string, std::string> cases[] = {
      {"create: {objects: [" + c + ", " + rs + "]}",
       "configmap/c created\nreplicaset.apps/r created"},
      {"create: {object: " + c + "}",
       "Error from server (AlreadyExists): error when creating \"STDIN\": configmaps \"c\" already "
       "exists"},
      {"apply: {object: " + c + "}",
       "Warning: resource configmaps/c is missing the "
       "kubectl.kubernetes.io/last-applied-configuration annotation which is required by kubectl "
       "apply. kubectl apply should only be used on resources created declaratively by either "
       "kubectl create --save-config or kubectl apply. The missing annotation will be patched "
       "automatically.\nconfigmap/c configured"},
      {"apply: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: x, namespace: nope}}}",
       "Error from server (NotFound): error when creating \"STDIN\": namespaces \"nope\" not "
       "found"},
      {"replace: {object: " + none + "}",
       "Error from server (NotFound): error when replacing \"STDIN\": configmaps \"none\" not "
       "found"},
      {"replace: {object: " + old + "}",
       "Error from server (Conflict): error when replacing \"STDIN\": Operation cannot be "
       "fulfilled "
       "on configmaps \"c\": the object has been modified; please apply your changes to the latest "
       "version and try again"},
      {"delete: {object: " + none + "}",
       "Error from server (NotFound): error when deleting \"STDIN\": configmaps \"none\" not "
       "found"},
      {"patch: {resource: cm/x, namespace: nope, type: merge, patch: {data: {a: b}}}",
       "Error from server (NotFound): namespaces \"nope\" not found"},
      {"label: {resource: cm/x, namespace: nope, set: {a: b}}",
       "Error from server (NotFound): namespaces \"nope\" not found"},
      {"label: {resource: cm/c, set: {a: bad value!}}",
       "error: invalid label value: \"a=bad value!\": a valid label must be an empty string or "
       "consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
       "alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for "
       "validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"},
      {"scale: {resource: rs/r, namespace: nope, replicas: 1}",
       "Error from server (NotFound): namespaces \"nope\" not found"},
      {"patch: {resource: rs/r, subresource: scale, patch: {spec: {replicas: 1}}}",
       "scale.autoscaling/r patched"},
      {"patch: {resource: cm/c, type: json, patch: [{op: remove, path: /data/nope}]}",
       "The request is invalid: the server rejected our request due to an error in our request"},
      {"wait: {resource: pods, selector: no=pe, for: delete}", ""},
      {"wait: {resource: cm/x, namespace: nope, for: condition=Ready}",
       "Error from server (NotFound): namespaces \"nope\" not found"}};
  std::string steps;
  std::vector<std::string> expected;
  for (const auto& [step, told] : cases) {
    steps += "  - {" + step + "}\n";
    expected.push_back(told);
  }
  EXPECT_EQ(StepResults("1.36", steps), expected);
}

// patch.go compares the objects without their resource versions. The last patch removes the
// finalizer, so the object is deleted.
TEST(Kubectl, TellsWhetherAPatchHasChangedAnything) {
  const std::string steps = R"(
  - create: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: q, finalizers: [a/b]}}}
  - {patch: {resource: cm/q, type: merge, patch: {metadata: {labels: {a: b}}}}}
  - {patch: {resource: cm/q, type: merge, patch: {metadata: {labels: {a: b}}}}}
  - {delete: {resource: cm/q, wait: false}}
  - {patch: {resource: cm/q, type: merge, patch: {metadata: {labels: {a: b}}}}}
  - {patch: {resource: cm/q, type: json, patch: [{op: remove, path: /metadata/finalizers}]}}
)";
  const std::vector<std::string> told = StepResults("1.30", steps);
  ASSERT_EQ(told.size(), 6u);
  EXPECT_EQ(told[1], "configmap/q patched");
  EXPECT_EQ(told[2], "configmap/q patched (no change)");
  EXPECT_EQ(told[4], "configmap/q patched (no change)");
  EXPECT_EQ(told[5], "configmap/q patched");
}

TEST(Kubectl, WillNotOverwriteUnasked) {
  const std::string made =
      "  - {create: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: c, labels: {a: "
      "\"1\", "
      "b: \"2\"}, annotations: {n: x, m: y, kubernetes.io/change-cause: z}}}}}\n";
  const std::pair<const char*, const char*> cases[] = {
      {"label: {resource: cm/c, set: {a: other}}",
       "error: 'a' already has a value (1), and --overwrite is false"},
      {"label: {resource: cm/c, set: {a: other, b: other}}",
       "'a' already has a value (1), and --overwrite is false\n"
       "'b' already has a value (2), and --overwrite is false"},
      {"annotate: {resource: cm/c, set: {m: other, n: other, kubernetes.io/change-cause: other}}",
       "error: --overwrite is false but found the following declared annotation(s): 'm' already "
       "has a value (y); 'n' already has a value (x)"}};
  for (const auto& [step, error] : cases) {
    Runner runner(FromSpec("  steps:\n" + made + "  - {" + step + "}\n"), RunnerOptions());
    const RunReport report = runner.Run();
    ASSERT_EQ(report.failures.size(), 1u) << step;
    EXPECT_EQ(report.failures[0].error, error);
  }
}

}  // namespace
}  // namespace ksim::scenario
