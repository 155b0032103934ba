#include "ksim/scenario/stages.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "ksim/api/pod.h"
#include "ksim/base/os.h"
#include "ksim/kubelet/runtime/payloads.h"
#include "ksim/scenario/runner.h"
#include "ksim/trace/trace.h"
#include "tests/scenario/from_text.h"

namespace ksim::scenario {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

const char kSets[] = "tests/scenario/stages/";

// A Stage for pods with the label `played`, below `spec:`.
std::string StageText(const std::string& name, const std::string& more) {
  return fmt::format(
      "---\napiVersion: kwok.x-k8s.io/v1alpha1\nkind: Stage\nmetadata: {{name: {}}}\nspec:\n"
      "  resourceRef: {{apiGroup: v1, kind: Pod}}\n{}",
      name, more);
}

std::string PodText(const std::string& name, const std::string& more = "") {
  return fmt::format(
      "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {0}, namespace: default, labels: {{app: "
      "{0}}}{1}}}\nspec:\n  terminationGracePeriodSeconds: 5\n"
      "  containers: [{{name: c, image: i}}]\n",
      name, more);
}

const std::string kHead =
    "apiVersion: ksim.dev/v1\nkind: Scenario\nmetadata: {name: test}\nspec:\n";

const std::string kSelectPlayed =
    "  selector:\n    matchLabels: {app: played}\n    matchExpressions:\n"
    "    - {key: .status.phase, operator: In, values: [Pending]}\n";

const std::string kRunning = "  next: {statusTemplate: 'phase: Running'}\n";

// The scenario of that spec, with KWOK's set of that name.
Scenario WithSet(const std::string& set, const std::string& spec, const std::string& documents) {
  return Only(LoadText(kHead + "  cluster: {nodes: 2}\n" + spec + documents + "---\n" +
                       *os::ReadFile(kSets + set + ".yaml")));
}

struct Done {
  VirtualTime at;
  std::string pod, action, result;
};
std::vector<Done> RuntimeEvents(const Runner& runner) {
  std::vector<Done> out;
  for (const sim::Event& e : runner.events()) {
    if (e.kind != sim::EventKind::kRuntime) continue;
    const auto& p = e.payload.As<kubelet::RuntimePayload>();
    out.push_back({e.time, p.pod, p.action, p.result});
  }
  return out;
}
// The stages that were played for the pod, in their order.
std::vector<std::string> StagesPlayed(const Runner& runner, const std::string& pod) {
  std::vector<std::string> out;
  for (const Done& d : RuntimeEvents(runner))
    if (d.pod == pod && d.action == "stage") out.push_back(d.result);
  return out;
}

api::Object PodNamed(Runner& runner, std::string_view name) {
  for (const api::Object& o : runner.world().Objects())
    if (o.kind() == "Pod" && o.name() == name) return o;
  return api::Object();
}

// --- where they stand ---

TEST(Stages, KUBELET_STAGE_01_AreThereWhereverTheyStand) {
  const std::string stage = StageText("a", kSelectPlayed + kRunning);
  const Scenario behind = Only(LoadText(kHead + "  seed: 2\n" + stage + PodText("p")));
  ASSERT_EQ(behind.cluster.stages.size(), 1u);
  ASSERT_EQ(behind.steps.size(), 1u);
  EXPECT_EQ(behind.steps[0].objects.size(), 1u);
  const Scenario plain = Only(LoadText(stage.substr(4) + PodText("p")));
  EXPECT_EQ(plain.cluster.stages.size(), 1u);
  EXPECT_EQ(plain.steps[0].objects.size(), 1u);
  std::map<std::string, std::string> files{
      {"s.yaml", kHead + "  cluster: {nodes: 1, stages: [stages.yaml]}\n"},
      {"alone.yaml", kHead + "  cluster: {nodes: 1}\n"},
      {"stages.yaml", stage + StageText("b", kSelectPlayed + kRunning)}};
  LoadOptions options;
  options.read = [&](const std::string& path) -> absl::StatusOr<std::string> {
    return files.at(path);
  };
  EXPECT_EQ(Only(Load({"s.yaml"}, options)).cluster.stages.size(), 2u);
  EXPECT_EQ(Only(Load({"alone.yaml", "stages.yaml"}, options)).cluster.stages.size(), 2u);
  EXPECT_EQ(Load({"s.yaml", "stages.yaml"}, options).errors.size(), 2u) << "each is there twice";
}

TEST(Stages, AStepMakesNone) {
  const Loaded loaded = LoadText(kHead +
                                 "  steps:\n  - create:\n      object:\n        apiVersion: "
                                 "kwok.x-k8s.io/v1alpha1\n        kind: Stage\n        metadata: "
                                 "{name: s}\n        spec: {}\n");
  ASSERT_FALSE(loaded.errors.empty());
  EXPECT_THAT(loaded.errors[0].message, HasSubstr("a step makes no Stage"));
}

TEST(Stages, ThoseOfNodesAreAWarning) {
  const Loaded loaded = LoadText(*os::ReadFile(std::string(kSets) + "general.yaml"));
  EXPECT_EQ(Render(loaded.errors, false), "");
  ASSERT_EQ(loaded.warnings.size(), 1u);
  EXPECT_THAT(loaded.warnings[0].message, HasSubstr("node-initialize is not played"));
}

// --- what they do ---

TEST(Stages, KUBELET_STAGE_01_FastPodsAreReadyOverAndGoneAtOnce) {
  Runner runner(WithSet("fast",
                        "  steps:\n  - {at: 0s, create: {documents: all}}\n"
                        "  - {at: 20s, delete: {resource: pods/p}}\n",
                        PodText("p") + PodText("kept") +
                            "---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: j, namespace: "
                            "default}\nspec: {template: {spec: {restartPolicy: Never, containers: "
                            "[{name: c, image: i}]}}}\n"),
                RunnerOptions());
  EXPECT_EQ(runner.Run().exit_code, 0);
  // A deletion at once is an update and a deletion: the update calls for the stage once more.
  EXPECT_THAT(StagesPlayed(runner, "p"),
              ElementsAre("ready-at-once", "gone-at-once", "gone-at-once"));
  EXPECT_TRUE(PodNamed(runner, "p").empty());
  const api::PodView kept(PodNamed(runner, "kept"));
  EXPECT_TRUE(kept.ready());
  EXPECT_THAT(std::string(kept.pod_ip()), StartsWith("10.244."));
  EXPECT_TRUE(kept.scheduled()) << "conditions of others stay";
  for (const api::Object& o : runner.world().Objects())
    if (o.kind() == "Job") {
      EXPECT_EQ(o.status().Get("succeeded").AsInt(), 1);
    }
  for (const Done& d : RuntimeEvents(runner)) EXPECT_THAT(d.action, StartsWith("stage"));
}

TEST(Stages, KUBELET_STAGE_04_GeneralPodsTakeTheirTime) {
  Runner runner(WithSet("general", "  steps:\n  - {at: 0s, create: {documents: all}}\n",
                        PodText("p") +
                            "---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: init\n  namespace: "
                            "default\n  annotations: {pod-create.stage.kwok.x-k8s.io/delay: 20s, "
                            "pod-create.stage.kwok.x-k8s.io/jitter-delay: 21s}\nspec:\n"
                            "  initContainers: [{name: i, image: i}]\n"
                            "  containers: [{name: c, image: i}]\n"),
                RunnerOptions());
  EXPECT_EQ(runner.Run().exit_code, 0);
  EXPECT_THAT(StagesPlayed(runner, "p"), ElementsAre("pod-create", "pod-ready"));
  EXPECT_THAT(StagesPlayed(runner, "init"),
              ElementsAre("pod-create", "pod-init-container-running",
                          "pod-init-container-completed", "pod-ready"));
  EXPECT_TRUE(api::PodView(PodNamed(runner, "init")).ready());
  VirtualTime before, created;
  for (const Done& d : RuntimeEvents(runner)) {
    if (d.pod == "init" && d.result == "pod-create") created = d.at;
    if (d.pod != "p") continue;
    if (d.result == "pod-create") before = d.at;
    if (d.result != "pod-ready") continue;
    EXPECT_GE(d.at - before, Seconds(1));
    EXPECT_LE(d.at - before, Milliseconds(5100));
  }
  EXPECT_GE(created - VirtualTime(), Seconds(20)) << "the annotation says so (KUBELET-STAGE-05)";
  bool told = false;
  for (const api::Object& o : runner.world().Objects())
    told =
        told || (o.kind() == "Event" && o.tree().Get("message").AsString() == "Created container");
  EXPECT_TRUE(told);
}

TEST(Stages, KUBELET_STAGE_04_AHeavyStageComesFirst) {
  const std::string chaos = *os::ReadFile(std::string(kSets) + "chaos.yaml");
  // The container's stage weighs 10000, that of the set `fast` for Jobs nothing.
  Runner runner(
      WithSet("fast", "  steps:\n  - {at: 0s, create: {documents: all}}\n",
              "---\n" + chaos +
                  "---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: j, namespace: "
                  "default}\nspec:\n  backoffLimit: 0\n  template:\n    metadata: {labels: "
                  "{pod-container-running-failed.stage.kwok.x-k8s.io: 'true'}, "
                  "annotations: {pod-container-running-failed.stage.kwok.x-k8s.io/"
                  "exit-code: '42'}}\n    spec: {restartPolicy: Never, containers: "
                  "[{name: c, image: i}]}\n"),
      RunnerOptions());
  EXPECT_EQ(runner.Run().exit_code, 0);
  for (const api::Object& o : runner.world().Objects()) {
    if (o.kind() == "Job") {
      EXPECT_EQ(o.status().Get("failed").AsInt(), 1);
    }
    if (o.kind() != "Pod") continue;
    const value::Value& status = o.status().Get("containerStatuses").at(0);
    EXPECT_EQ(status.Get("state").Get("terminated").Get("exitCode").AsInt(), 42);
  }
}

// A pod that no Stage may ever match is the container runtime's, as if there were none.
TEST(Stages, KUBELET_STAGE_03_OtherPodsRunInTheRuntime) {
  const std::string documents = PodText("played") + PodText("other");
  const std::string spec = kHead + "  cluster: {nodes: 1}\n";
  Runner with(Only(LoadText(spec + documents + StageText("go", kSelectPlayed + kRunning))),
              RunnerOptions());
  EXPECT_EQ(with.Run().exit_code, 0);
  EXPECT_THAT(StagesPlayed(with, "played"), ElementsAre("go"));
  EXPECT_THAT(StagesPlayed(with, "other"), IsEmpty());
  EXPECT_TRUE(api::PodView(PodNamed(with, "other")).ready());
  EXPECT_FALSE(api::PodView(PodNamed(with, "played")).ready());
  EXPECT_EQ(api::PodView(PodNamed(with, "played")).phase(), "Running");
  for (const Done& d : RuntimeEvents(with))
    if (d.pod == "played") {
      EXPECT_THAT(d.action, StartsWith("stage"));
    }
}

// Once theirs, always theirs: a label that goes does not give the pod to the runtime, and a pod
// that is deleted waits for a Stage that deletes it.
TEST(Stages, KUBELET_STAGE_03_AreInChargeOfAPodToItsEnd) {
  const std::string ends =
      "  selector: {matchExpressions: [{key: .metadata.deletionTimestamp, operator: Exists}]}\n"
      "  next: {delete: true}\n";
  const std::string spec =
      "  cluster: {nodes: 1}\n  until: 60s\n  steps:\n  - {at: 0s, create: {documents: all}}\n"
      "  - {at: 10s, label: {resource: pods/played, set: {app: other}, overwrite: true}}\n"
      "  - {at: 20s, delete: {resource: pods/played, wait: false}}\n";
  const std::string starts = StageText("go", kSelectPlayed + kRunning);
  Runner stays(Only(LoadText(kHead + spec + PodText("played") + starts)), RunnerOptions());
  EXPECT_EQ(stays.Run().exit_code, 0);
  EXPECT_TRUE(PodNamed(stays, "played").deleting()) << "no Stage deletes it";
  Runner goes(Only(LoadText(kHead + spec + PodText("played") + starts + StageText("end", ends))),
              RunnerOptions());
  EXPECT_EQ(goes.Run().exit_code, 0);
  EXPECT_THAT(StagesPlayed(goes, "played"), ElementsAre("go", "end", "end"));
  EXPECT_TRUE(PodNamed(goes, "played").empty());
}

TEST(Stages, ALimitSaysThatNoStageHasDeletedAPod) {
  Runner runner(Only(LoadText(kHead +
                              "  cluster: {nodes: 1}\n  limit: {time: 30s}\n  steps:\n"
                              "  - {at: 0s, create: {documents: all}}\n"
                              "  - {at: 10s, delete: {resource: pods/played}}\n" +
                              PodText("played") + StageText("go", kSelectPlayed + kRunning))),
                RunnerOptions());
  const RunReport report = runner.Run();
  EXPECT_EQ(report.exit_code, 3);
  ASSERT_FALSE(report.busy.empty());
  EXPECT_THAT(report.busy.front(), HasSubstr("no Stage has deleted it"));
}

// A version of the pod without a stage leaves the one that waits; a newer stage takes its place.
TEST(Stages, ANewerVersionTakesThePlaceOfAStageThatWaits) {
  const std::string first =
      "  selector: {matchExpressions: [{key: .metadata.labels.x, operator: DoesNotExist}]}\n"
      "  delay: {durationMilliseconds: 10000}\n" +
      kRunning;
  const std::string second =
      "  selector:\n    matchExpressions:\n"
      "    - {key: .metadata.labels.x, operator: In, values: [two]}\n"
      "    - {key: .status.message, operator: DoesNotExist}\n"
      "  delay: {durationMilliseconds: 1000}\n  next: {statusTemplate: 'message: two'}\n";
  const auto run = [&](const std::string& label) {
    Runner runner(Only(LoadText(kHead +
                                "  cluster: {nodes: 1}\n  until: 30s\n  steps:\n"
                                "  - {at: 0s, create: {documents: all}}\n  - {at: 5s, label: "
                                "{resource: pods/p, set: {x: " +
                                label + "}}}\n" + PodText("p") + StageText("first", first) +
                                StageText("second", second))),
                  RunnerOptions());
    EXPECT_EQ(runner.Run().exit_code, 0);
    return StagesPlayed(runner, "p");
  };
  EXPECT_THAT(run("one"), ElementsAre("first"));
  EXPECT_THAT(run("two"), ElementsAre("second"));
}

TEST(Stages, StepsFinalizersPatchesAndTheNextStageAtOnce) {
  const std::string stage =
      "  selector: {matchExpressions: [{key: .metadata.annotations.done, operator: "
      "DoesNotExist}]}\n"
      "  steps:\n  - finalizers: {add: [{value: a.b/c}]}\n"
      "  - patch: {type: merge, root: metadata, template: 'annotations: {done: \"yes\"}'}\n"
      "  - patch: {type: json, subresource: status, root: status, template: "
      "'[{op: replace, path: /phase, value: Running}]'}\n"
      "  - event: {type: Normal, reason: Did, message: all of it}\n  immediateNextStage: true\n";
  const std::string then =
      "  selector: {matchExpressions: [{key: .metadata.annotations.done, operator: Exists},"
      " {key: .status.message, operator: DoesNotExist}]}\n"
      "  next: {statusTemplate: 'message: {{ index .metadata.finalizers 0 }}'}\n";
  Runner runner(Only(LoadText(kHead + "  cluster: {nodes: 1}\n" + PodText("p") +
                              StageText("one", stage) + StageText("two", then))),
                RunnerOptions());
  EXPECT_EQ(runner.Run().exit_code, 0);
  EXPECT_EQ(PodNamed(runner, "p").status().Get("message").AsString(), "a.b/c");
  EXPECT_EQ(PodNamed(runner, "p").status().Get("phase").AsString(), "Running");
}

TEST(Stages, ATemplateThatFailsIsTold) {
  const std::string broken =
      kSelectPlayed + "  next: {statusTemplate: 'phase: {{ index .status.nothing 0 }}'}\n";
  Runner runner(Only(LoadText(kHead + "  cluster: {nodes: 1}\n" + PodText("played") +
                              StageText("broken", broken))),
                RunnerOptions());
  EXPECT_EQ(runner.Run().exit_code, 0);
  EXPECT_THAT(StagesPlayed(runner, "played"),
              ElementsAre("broken",
                          "broken fails: the template stops at line 1: error calling "
                          "index: index of untyped nil"));
}

// --- the same run again ---

std::map<std::string, std::vector<VirtualTime>> TimesByPod(const std::string& documents) {
  Runner runner(WithSet("general", "  steps:\n  - {at: 0s, create: {documents: all}}\n", documents),
                RunnerOptions());
  EXPECT_EQ(runner.Run().exit_code, 0);
  std::map<std::string, std::vector<VirtualTime>> out;
  for (const Done& d : RuntimeEvents(runner))
    if (d.action == "stage") out[d.pod].push_back(d.at);
  return out;
}

// The gaps between the stages of one pod are drawn by what it is: another pod does not move them.
TEST(Stages, KUBELET_STAGE_02_AnotherPodShiftsNoDraws) {
  auto alone = TimesByPod(PodText("a", ", annotations: {x: y}"));
  auto both = TimesByPod(PodText("b") + PodText("a", ", annotations: {x: y}"));
  ASSERT_EQ(alone["a"].size(), 2u);
  ASSERT_EQ(both["a"].size(), 2u);
  const Duration gap_alone = alone["a"][1] - alone["a"][0];
  const Duration gap_both = both["a"][1] - both["a"][0];
  // Messages and queues, which are drawn by other keys, take some milliseconds.
  EXPECT_LT(std::max(gap_alone, gap_both) - std::min(gap_alone, gap_both), Milliseconds(50));
  EXPECT_NE(both["a"][1] - both["a"][0], both["b"][1] - both["b"][0]);
}

TEST(Stages, KUBELET_STAGE_02_TheHeaderRepeatsTheRun) {
  Runner first(Load({"scenarios/stages-rollout-hangs.yaml"}, LoadOptions()).scenarios[0],
               RunnerOptions());
  first.Run();
  const trace::Trace a = first.MakeTrace(trace::RenderOptions());
  const Loaded again = ParseScenarioTree(a.header.scenario);
  ASSERT_EQ(Render(again.errors, false), "");
  Runner second(again.scenarios[0], RunnerOptions());
  second.Run();
  EXPECT_EQ(trace::FormatTrace(second.MakeTrace(trace::RenderOptions()), false),
            trace::FormatTrace(a, false));
}

// A kubelet that comes back begins anew with the pods as they are.
TEST(Stages, AKubeletThatIsStartedAgainGoesOn) {
  Runner runner(WithSet("general",
                        "  steps:\n  - {at: 0s, create: {documents: all}}\n"
                        "  - {at: 30s, delete: {resource: pods/p}}\n"
                        "  faults:\n  - {at: 7s, crash: {process: kubelet/node-1, down: 5s}}\n"
                        "  - {at: 7s, crash: {process: kubelet/node-2, down: 5s}}\n",
                        PodText("p") + PodText("kept")),
                RunnerOptions());
  EXPECT_EQ(runner.Run().exit_code, 0);
  EXPECT_TRUE(api::PodView(PodNamed(runner, "kept")).ready());
  EXPECT_TRUE(PodNamed(runner, "p").empty());
}

// A request that cannot reach the server is tried again, from the step that failed on.
TEST(Stages, AStepThatFindsNoServerIsTriedAgain) {
  const std::string slow = kSelectPlayed + "  delay: {durationMilliseconds: 15000}\n" + kRunning;
  Runner runner(Only(LoadText(kHead +
                              "  cluster: {nodes: 1}\n  faults:\n"
                              "  - {at: 12s, serverDown: {server: kube-apiserver-0, for: 10s}}\n" +
                              PodText("played") + StageText("slow", slow))),
                RunnerOptions());
  EXPECT_EQ(runner.Run().exit_code, 0);
  EXPECT_EQ(api::PodView(PodNamed(runner, "played")).phase(), "Running");
}

}  // namespace
}  // namespace ksim::scenario
