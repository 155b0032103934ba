#include "ksim/kubelet/stages/stage.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ksim/kubelet/stages/stage_reader.h"
#include "ksim/value/json.h"
#include "ksim/value/yaml.h"

namespace ksim::kubelet {
namespace {

value::Value Tree(const std::string& yaml) {
  const value::YamlFile file = value::ParseYaml(yaml, "test");
  EXPECT_TRUE(file.errors.empty() && file.documents.size() == 1) << yaml;
  return file.documents.empty() ? value::Value() : file.documents[0].ToValue();
}

std::string Document(const std::string& spec) {
  return "apiVersion: kwok.x-k8s.io/v1alpha1\nkind: Stage\nmetadata: {name: s}\nspec:\n"
         "  resourceRef: {kind: Pod}\n" +
         spec;
}

Stage StageWith(const std::string& spec) {
  std::vector<StageProblem> problems;
  std::optional<Stage> stage = ReadStage(Tree(Document(spec)), &problems);
  for (const StageProblem& p : problems) ADD_FAILURE() << p.field << ": " << p.message;
  return stage ? *std::move(stage) : Stage();
}

api::Object Pod(const std::string& json) { return api::Object::FromTree(*value::ParseJson(json)); }

// "FIELD: MESSAGE" of each problem, warnings with a W.
std::string Problems(const std::string& document) {
  std::vector<StageProblem> problems;
  static_cast<void>(ReadStage(Tree(document), &problems));
  std::string out;
  for (const StageProblem& p : problems) {
    if (!out.empty()) out += '\n';
    out += fmt::format("{}{}: {}", p.warning ? "W " : "", p.field, p.message);
    if (p.offset) out += fmt::format(" @{}", *p.offset);
  }
  return out;
}
std::string ProblemsOf(const std::string& spec) { return Problems(Document(spec)); }

const char kSelectAll[] = "  selector: {}\n";

TEST(Stage, KUBELET_STAGE_01_SelectsByLabelsAnnotationsAndExpressions) {
  const api::Object pod = Pod(R"({"metadata":{"labels":{"a":"b"},"annotations":{"c":"d"},
      "generation":2},"status":{"phase":"Running"}})");
  const std::pair<const char*, bool> table[] = {
      {"{}", true},
      {"{matchLabels: {a: b}}", true},
      {"{matchLabels: {a: c}}", false},
      {"{matchAnnotations: {c: d}}", true},
      {"{matchAnnotations: {c: e}}", false},
      {"{matchLabels: {a: b}, matchAnnotations: {c: e}}", false},
      {"{matchExpressions: [{key: .status.phase, operator: In, values: [Running]}]}", true},
      {"{matchExpressions: [{key: .status.phase, operator: NotIn, values: [Running]}]}", false},
      {"{matchExpressions: [{key: .status.x, operator: NotIn, values: [Running]}]}", true},
      {"{matchExpressions: [{key: .status.phase, operator: Exists}]}", true},
      {"{matchExpressions: [{key: .status.x, operator: Exists}]}", false},
      {"{matchExpressions: [{key: .status.x, operator: DoesNotExist}]}", true},
      {"{matchExpressions: [{jq: {key: .status.phase, operator: In, values: [Running]}}]}", true},
      {"{matchExpressions: [{key: .status.phase, operator: Exists}, {key: .x, operator: Exists}]}",
       false},
      // A number of the object is no value of a list, a computed one is.
      {"{matchExpressions: [{key: .metadata.generation, operator: In, values: ['2']}]}", false},
      {"{matchExpressions: [{key: .metadata.labels | length, operator: In, values: ['1']}]}", true},
      {"{matchExpressions: [{key: .metadata.generation == 2, operator: In, values: ['true']}]}",
       true},
  };
  for (const auto& [selector, matches] : table) {
    const Stage stage = StageWith(fmt::format("  selector: {}\n", selector));
    EXPECT_EQ(stage.Matches(pod, pod.ToTree()), matches) << selector;
  }
}

// A jitter is where the range ends; one that is not beyond the delay takes its place.
TEST(Stage, KUBELET_STAGE_04_DelaysAsKwok) {
  const api::Object pod = Pod(R"({"metadata":{"annotations":{"d":"4s","t":"2025-01-01T00:00:30Z",
      "none":"","bad":"soon"}}})");
  const std::tuple<const char*, int, int> table[] = {
      {"{}", 0, 0},
      {"{durationMilliseconds: 1000}", 1000, 1000},
      {"{durationMilliseconds: 1000, jitterDurationMilliseconds: 5000}", 1000, 5000},
      {"{durationMilliseconds: 5000, jitterDurationMilliseconds: 1000}", 1000, 1000},
      {"{jitterDurationMilliseconds: 1000}", 0, 1000},
      {"{durationMilliseconds: 7, durationFrom: {expressionFrom: .metadata.annotations.d}}", 4000,
       4000},
      {"{durationMilliseconds: 7, durationFrom: {jq: {expression: .metadata.annotations.d}}}", 4000,
       4000},
      {"{durationMilliseconds: 7, durationFrom: {expressionFrom: .metadata.annotations.x}}", 7, 7},
      {"{durationMilliseconds: 7, durationFrom: {expressionFrom: .metadata.annotations.bad}}", 7,
       7},
      {"{durationMilliseconds: 7, durationFrom: {expressionFrom: .metadata.annotations.none}}", 0,
       0},
      {"{durationMilliseconds: 1000, jitterDurationFrom: {expressionFrom: "
       ".metadata.annotations.t}}",
       1000, 20000},
      {"{durationMilliseconds: 1000, jitterDurationFrom: {expressionFrom: "
       ".metadata.annotations.x}}",
       1000, 1000},
  };
  for (const auto& [delay, min, max] : table) {
    const Stage stage = StageWith(fmt::format("{}  delay: {}\n", kSelectAll, delay));
    const Stage::Range range = stage.DelayOf(pod.ToTree(), VirtualTime() + Seconds(10));
    EXPECT_EQ(range.min, Milliseconds(min)) << delay;
    EXPECT_EQ(range.max, Milliseconds(max)) << delay;
  }
  const Stage late = StageWith(fmt::format(
      "{}  delay: {{durationFrom: {{expressionFrom: .metadata.annotations.t}}}}\n", kSelectAll));
  EXPECT_EQ(late.DelayOf(pod.ToTree(), VirtualTime() + Seconds(99)).max, Duration());
}

// The weights with which the stages may be drawn, "-" for one that does not match.
TEST(Stage, KUBELET_STAGE_04_WeighsAsKwok) {
  const api::Object pod = Pod(R"({"metadata":{"annotations":{"w":"7","bad":"x"}}})");
  const std::string from = "  weight: 3\n  weightFrom: {expressionFrom: .metadata.annotations.";
  const std::string no = "  selector: {matchLabels: {a: b}}\n";
  const std::string all = kSelectAll;
  const std::pair<std::vector<std::string>, std::vector<std::uint64_t>> table[] = {
      {{no, all + "  weight: 5\n"}, {5}},
      {{all, all}, {1, 1}},  // none has a weight
      {{all + "  weight: 2\n", all + "  weight: 3\n"}, {2, 3}},
      {{all + "  weight: 2\n", all}, {2, 0}},
      {{all + from + "w}\n", all + from + "x}\n"}, {7, 3}},      // found, and not found
      {{all + from + "bad}\n", all + "  weight: 2\n"}, {0, 2}},  // no number: left out
      {{all + from + "bad}\n", all}, {0, 1}},
      {{all + from + "bad}\n", all + from + "bad}\n"}, {1, 1}},
  };
  for (const auto& [specs, weights] : table) {
    std::vector<Stage> stages;
    for (const std::string& spec : specs) stages.push_back(StageWith(spec));
    const StageSet set(std::move(stages));
    EXPECT_EQ(set.Match(pod, pod.ToTree()).weights, weights) << specs[0] << specs[1];
  }
}

// A pod is a stage's if all that it keeps for its life is as the selector says.
TEST(Stage, KUBELET_STAGE_03_PodsAreSelectedByWhatTheyKeep) {
  const api::Object pod = Pod(R"({"metadata":{"labels":{"a":"b"},
      "ownerReferences":[{"kind":"Job"}]},"status":{"phase":"Pending"}})");
  const std::pair<const char*, bool> table[] = {
      {"{matchExpressions: [{key: .status.phase, operator: In, values: [Running]}]}", true},
      {"{matchExpressions: [{key: .metadata.deletionTimestamp, operator: Exists}]}", true},
      {"{matchLabels: {a: c}}", false},
      {"{matchExpressions: [{key: '.metadata.ownerReferences.[].kind', operator: In, "
       "values: [Job]}]}",
       true},
      {"{matchExpressions: [{key: '.metadata.ownerReferences.[].kind', operator: NotIn, "
       "values: [Job]}]}",
       false},
  };
  for (const auto& [selector, selects] : table) {
    std::vector<Stage> stages;
    stages.push_back(StageWith(fmt::format("  selector: {}\n", selector)));
    EXPECT_EQ(StageSet(std::move(stages)).Selects(pod), selects) << selector;
  }
}

// "OP PATH VALUE" of each operation, after /metadata.
std::string OperationsOf(const value::Value& patch) {
  std::string out;
  for (const value::Value& o : patch.items()) {
    std::string path(o.Get("path").AsString());
    if (!out.empty()) out += ", ";
    out +=
        fmt::format("{} {}", o.Get("op").AsString(), path.substr(std::string("/metadata/").size()));
    if (o.Has("value")) out += " " + value::ToJson(o.Get("value"));
  }
  return out;
}

TEST(Stage, FinalizersAreChangedAsKwokChangesThem) {
  struct Row {
    std::vector<std::string> present, add, remove;
    bool empty;
    const char* patch;
  };
  const Row table[] = {
      {{}, {"a"}, {}, false, "add finalizers [\"a\"]"},
      {{"b"}, {"a", "b"}, {}, false, "add finalizers/- \"a\""},
      {{"a", "b", "c"}, {}, {"a", "c"}, false, "remove finalizers/2, remove finalizers/0"},
      {{"a"}, {}, {"a"}, false, "remove finalizers"},
      {{"a"}, {"b"}, {}, true, "remove finalizers, add finalizers [\"b\"]"},
      {{}, {}, {}, true, ""},
      {{"a"}, {}, {"b"}, false, ""},
  };
  for (const Row& row : table) {
    StageFinalizers wanted;
    wanted.add = row.add;
    wanted.remove = row.remove;
    wanted.empty = row.empty;
    EXPECT_EQ(OperationsOf(FinalizersPatch(row.present, wanted)), row.patch);
  }
}

TEST(Stage, KUBELET_STAGE_01_WhatIsNotReadIsAProblemAtItsField) {
  const std::string all = kSelectAll;
  const std::pair<std::string, const char*> table[] = {
      {all + "  next: {statusTemplte: x}\n",
       "spec.next.statusTemplte: a Stage has no field spec.next.statusTemplte"},
      {all + "  weight: -1\n", "spec.weight: spec.weight must be a whole number of at least 0"},
      {all + "  weight: '1'\n", "spec.weight: spec.weight must be a whole number of at least 0"},
      {all + "  delay: {durationMilliseconds: 1s}\n",
       "spec.delay.durationMilliseconds: spec.delay.durationMilliseconds must be a whole number of "
       "at least 0"},
      {all + "  delay: {durationFrom: {expressionFrom: .a +}}\n",
       "spec.delay.durationFrom.expressionFrom: jq's arithmetic (\"+\") is not read here @3"},
      {all + "  weightFrom: {cel: {expression: x}}\n", "spec.weightFrom.cel: CEL is not read here"},
      {"  selector: {matchExpressions: [{key: .a, operator: in, values: [b]}]}\n",
       "spec.selector.matchExpressions[0].operator: operator \"in\" is not supported"},
      {"  selector: {matchExpressions: [{key: .a, operator: In}]}\n",
       "spec.selector.matchExpressions[0]: values of the operator In can't be empty"},
      {"  selector: {matchExpressions: [{key: .a, operator: Exists, values: [b]}]}\n",
       "spec.selector.matchExpressions[0].values: values of the operator Exists must be empty"},
      {"  selector: {matchExpressions: [{cel: {expression: self.x}}]}\n",
       "spec.selector.matchExpressions[0].cel: CEL is not read here"},
      {"  selector: {matchExpressions: [{operator: Exists}]}\n",
       "spec.selector.matchExpressions[0]: spec.selector.matchExpressions[0] has no key"},
      {"  selector: {matchLabels: {a: 1}}\n",
       "spec.selector.matchLabels[a]: a of spec.selector.matchLabels must be a string"},
      {all + "  next: {statusTemplate: '{{ foo }}'}\n",
       "spec.next.statusTemplate: function \"foo\" is not read here @3"},
      {all + "  next: {patches: [{type: yaml, template: x}]}\n",
       "spec.next.patches[0].type: unknown patch type yaml"},
      {all + "  next: {patches: [{impersonation: {username: x}, template: x}]}\n",
       "spec.next.patches[0].impersonation: a Stage is played in the name of the pod's kubelet and "
       "of nobody else"},
      {all + "  steps: [{apply: {template: x}}]\n",
       "spec.steps[0].apply: a Stage applies no other objects here"},
      {all + "  next: {delete: 'yes'}\n",
       "spec.next.delete: spec.next.delete must be true or false"},
      {"  weight: 1\n", "W spec: the Stage s has no selector: it matches no pod"},
      {all + "  steps: []\n  next: {delete: true}\n",
       "W spec.next: spec.next does nothing beside spec.steps"},
      {all + "  next: {patches: [{template: x}], statusTemplate: y}\n",
       "W spec.next.statusTemplate: spec.next.statusTemplate does nothing beside patches"},
  };
  for (const auto& [spec, problem] : table) EXPECT_EQ(ProblemsOf(spec), problem) << spec;
  const std::string head = "apiVersion: kwok.x-k8s.io/v1alpha1\nkind: Stage\nmetadata: {name: s}\n";
  EXPECT_EQ(Problems(head + "spec: {resourceRef: {kind: Deployment}}\n"),
            "spec.resourceRef.kind: Stages are played for Pods alone, not for \"Deployment\"");
  EXPECT_EQ(Problems(head + "spec: {resourceRef: {apiGroup: v1, kind: Node}}\n"),
            "W spec.resourceRef.kind: the Stage s is not played: a node's kubelet itself registers "
            "it and keeps it alive");
  EXPECT_EQ(Problems(head + "spec: 3\n"), "spec: spec must be a mapping");
}

}  // namespace
}  // namespace ksim::kubelet
