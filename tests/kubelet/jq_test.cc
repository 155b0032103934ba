#include "ksim/kubelet/stages/jq.h"

#include <gtest/gtest.h>

#include <string>

#include "ksim/value/json.h"

namespace ksim::kubelet {
namespace {

const char kPodJson[] = R"({
  "metadata": {"name": "p", "labels": {"app": "web", "a.b/c": "d"}, "generation": 3,
               "ownerReferences": [{"kind": "Job"}, {"kind": "Other"}]},
  "spec": {"nodeName": "n", "hostNetwork": false},
  "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"},
                                                {"type": "Initialized", "status": "False"}],
             "containerStatuses": [{"name": "c", "restartCount": 2}]}})";

// The outputs as JSON, computed numbers behind a '#', separated by spaces; or the problem.
std::string Ran(std::string_view text) {
  Jq jq;
  TextProblem problem;
  if (!Jq::Parse(text, &jq, &problem))
    return std::to_string(problem.offset) + ": " + problem.message;
  std::string out;
  for (const Jq::Output& o : jq.Run(*value::ParseJson(kPodJson))) {
    if (!out.empty()) out += ' ';
    if (o.computed && o.value.is_number()) out += '#';
    out += value::ToJson(o.value);
  }
  return out;
}

// KUBELET-STAGE-01: what gojq makes of these.
TEST(Jq, KUBELET_STAGE_01_FindsWhatJqFinds) {
  const std::pair<const char*, const char*> table[] = {
      {".status.phase", "\"Running\""},
      {".metadata.deletionTimestamp", ""},
      {".metadata.labels[\"a.b/c\"]", "\"d\""},
      {".metadata.labels.\"a.b/c\"", "\"d\""},
      {".metadata.annotations[\"x\"]", ""},
      {".metadata.ownerReferences.[].kind", "\"Job\" \"Other\""},
      {".metadata.ownerReferences[0].kind", "\"Job\""},
      {".metadata.ownerReferences[-1].kind", "\"Other\""},
      {".metadata.ownerReferences | length", "#2"},
      {".metadata.generation", "3"},
      {".spec.hostNetwork", "false"},
      {".status.conditions.[] | select( .type == \"Ready\" ) | .status", "\"True\""},
      {".status.conditions[] | select(.type == \"Ready\" or .status == \"False\") | .type",
       "\"Ready\" \"Initialized\""},
      {".status.conditions.[] | select(.type | startswith(\"Init\")) | .status", "\"False\""},
      {".status.containerStatuses.[] | select(.restartCount >= 2) | .name", "\"c\""},
      {".status.containerStatuses.[] | select(.restartCount < 2) | .name", ""},
      {".status.containerStatuses.[].state.running.startedAt", ""},
      {".status.nothing.[].state", ""},        // null cannot be iterated over
      {".status.phase.x", ""},                 // a string has no fields
      {".status.phase, .status.phase.x", ""},  // one error and nothing is found
      {".status.phase, .status.phase.x?", "\"Running\""},
      {".status.reason // \"none\"", "\"none\""},
      {".status.conditions | any(.type == \"Ready\")", "true"},
      {".status.conditions | all(.status == \"True\")", "false"},
      {".status.conditions | map(.type) | contains([\"Ready\"])", "true"},
      {".metadata.labels | has(\"app\")", "true"},
      {".metadata.labels | keys", "[\"a.b/c\",\"app\"]"},
      {"[.status.conditions[].type] | length", "#2"},
      {".spec.hostNetwork | not", "true"},
      {"first(.status.conditions[].type)", "\"Ready\""},
      {"\"a\" < \"b\" and 1 != 2", "true"},
      {". | .spec.nodeName", "\"n\""},
      {"(.spec).nodeName", "\"n\""},
      {"null, empty", ""},
  };
  for (const auto& [text, found] : table) EXPECT_EQ(Ran(text), found) << text;
}

TEST(Jq, KUBELET_STAGE_01_RefusesWhatItDoesNotRead) {
  const std::pair<const char*, const char*> table[] = {
      {"", "0: the jq expression ends too soon"},
      {".status.", "7: the jq expression ends too soon"},
      {"status", "0: jq's \"status\" is not read here"},
      {".a + 1", "3: jq's arithmetic (\"+\") is not read here"},
      {".a | test(\"x\")", "5: jq's \"test\" is not read here"},
      {".a | select(", "11: the jq expression ends too soon"},
      {".a | select(.b", "13: \")\" is missing in the jq expression"},
      {".a | select", "5: jq's \"select\" takes 1 argument, got 0"},
      {".a | has(1; 2)", "5: jq's \"has\" takes 1 argument, got 2"},
      {".a[1:2]", "4: jq's slices are not read here"},
      {"..", "1: jq's \"..\" is not read here"},
      {"{a: 1}", "0: jq's object constructors are not read here"},
      {"$x", "0: jq's variables are not read here"},
      {".a == \"b", "6: the string does not end"},
      {".a == \"\\(.b)\"", "7: jq's string interpolation is not read here"},
      {".a == 1.5", "6: of numbers only whole ones are read here"},
      {"if .a then 1 else 2 end", "0: jq's \"if\" is not read here"},
      {".a }", "3: \"}\" is not expected in the jq expression here"},
      {".a.b c", "5: \"c\" is not expected in the jq expression here"},
  };
  for (const auto& [text, problem] : table) EXPECT_EQ(Ran(text), problem) << text;
  std::string deep(1000, '(');
  EXPECT_EQ(Ran(deep).substr(0, 4), "100:");
}

TEST(Jq, NearNamesAreSuggested) {
  Jq jq;
  TextProblem problem;
  EXPECT_FALSE(Jq::Parse(".a | selct(.b)", &jq, &problem));
  EXPECT_EQ(problem.hint, "did you mean \"select\"?");
}

// A pod keeps its names, labels, owners and spec; all else may come and go.
TEST(Jq, KUBELET_STAGE_03_KnowsWhatAPodKeeps) {
  const std::pair<const char*, bool> table[] = {
      {".metadata.labels[\"x\"]", true},
      {".metadata.annotations.x", true},
      {".metadata.ownerReferences.[].kind", true},
      {".metadata.name", true},
      {".spec.nodeName", true},
      {".spec.containers.[0].name", true},
      {".spec.containers | length", true},
      {".metadata.labels | has(\"x\")", true},
      {".metadata.labels.x == \"y\"", true},
      {".metadata.deletionTimestamp", false},
      {".metadata.finalizers", false},
      {".metadata", false},
      {".status.phase", false},
      {".status.conditions.[] | select(.type == \"Ready\") | .status", false},
      {".metadata.labels.x == .status.phase", false},
      {".", false},
      {"length", false},
  };
  for (const auto& [text, kept] : table) {
    Jq jq;
    TextProblem problem;
    ASSERT_TRUE(Jq::Parse(text, &jq, &problem)) << text;
    EXPECT_EQ(jq.IsOfIdentity(), kept) << text;
  }
}

}  // namespace
}  // namespace ksim::kubelet
