// The verdict of `ksim check` on the run's own expectations and limits.
#include "ksim/check/verdict.h"

#include <gtest/gtest.h>

#include "recorded.h"

namespace ksim::check {
namespace {

using State = Verdict::State;

Verdict VerdictOf(const Trace& t, const std::string& oracle) {
  const auto checker = CheckTrace(t, {"*"});
  EXPECT_TRUE(checker.ok());
  for (Verdict& v : VerdictsOf(**checker, t))
    if (v.oracle == oracle) return v;
  ADD_FAILURE() << oracle;
  return Verdict();
}

// A ReplicaSet is scaled from one pod to three, then to none.
Trace Expecting(const std::string& expectations) {
  return RunOf(R"(
apiVersion: ksim.dev/v1
kind: Scenario
metadata: {name: expects}
spec:
  cluster: {nodes: 1}
  steps:
  - {at: 5s, create: {documents: all}}
  - {at: 20s, scale: {resource: replicasets/web, replicas: 3}}
  - {at: 40s, scale: {resource: replicasets/web, replicas: 0}}
  expect: [)" + expectations +
                   R"(]
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web, namespace: default}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: nginx}]}
)",
               "1.30");
}

// The oracle is the run itself, which judged its expectations as it went.
TEST(Verdict, ExpectationsAreJudgedAsTheRunJudgedThem) {
  struct Case {
    const char* expectation;
    bool met;
  };
  const Case cases[] = {
      {"{always: {resource: pods, count: {max: 3}}}", true},
      {"{always: {resource: pods, count: {max: 2}}}", false},
      {"{always: {resource: po, selector: app=web, count: {max: 2}}}", false},
      {"{always: {resource: pods, selector: app=other, count: 0}}", true},
      {"{always: {resource: pods, namespace: other, count: {max: 0}}}", true},
      {"{always: {resource: pods, where: spec.nodeName exists}}", false},
      {"{always: {resource: pods, where: metadata.labels.app == web}}", true},
      {"{eventually: {resource: pods, count: 3}}", true},
      {"{eventually: {resource: pods, count: 3}, within: 30s}", true},
      {"{eventually: {resource: pods, count: 3}, within: 10s}", false},
      {"{eventually: {resource: pods, count: 4}}", false},
      {"{eventually: {resource: replicasets.apps/web, where: spec.replicas == 3}}", true},
      {"{eventually: {resource: replicasets/none}}", false},
      {"{eventually: {resource: secrets, count: 0}}", true},
      {"{eventually: {resource: nodes, count: 1}}", true},
      {"{eventually: {resource: pods, count: 3}, lasts: false}", true},
      {"{eventually: {resource: pods, count: 3}, lasts: true}", false},
      {"{eventually: {resource: pods, count: 0}, lasts: true}", true},
      {"{eventually: {resource: pods, count: 0}, lasts: true, within: 30s}", false},
      {"{finally: {resource: pods, count: 0}}", true},
      {"{finally: {resource: pods, count: 3}}", false},
      {"{finally: {resource: secrets}}", false},
      {"{never: {resource: pods, count: {min: 4}}}", true},
      {"{never: {resource: pods, count: {min: 3}}}", false},
      {"{never: {resource: pods, where: status.phase == Running}}", false},
      {"{never: {resource: pods, where: status.phase == Running}, after: 50s}", true},
      {"{never: {resource: pods, where: status.phase == Running}, after: 30s}", false},
      {"{always: {resource: pods, count: 3}, after: 30s}", false},
      {"{always: {resource: pods, count: 0}, after: 50s}", true},
      {"{always: {resource: pods, count: 1}, after: 39s}", false},
      {"{always: {resource: pods, count: 1}, after: 1h}", true},  // the run is over before
      {"{always: {resource: secrets, count: {min: 1}}, after: 1s}", false},
  };
  for (const Case& c : cases) {
    Trace t = Expecting(c.expectation);
    const State met = c.met ? State::kOk : State::kViolated;
    EXPECT_EQ(t.end->violations.empty(), c.met) << c.expectation;
    const std::vector<trace::Violation> told = std::exchange(t.end->violations, {});
    const Verdict v = VerdictOf(t, "expect");
    EXPECT_EQ(v.state, met) << c.expectation;
    if (c.met || v.findings.empty()) continue;
    EXPECT_EQ(v.findings[0].violation.first, told[0].first) << c.expectation;
    EXPECT_EQ(v.findings[0].violation.objects, told[0].objects) << c.expectation;
  }
}

TEST(Verdict, ExpectationsThatSayLittleAreToldAsByTheRun) {
  const std::pair<const char*, const char*> cases[] = {
      {"{eventually: {resource: pods, count: 3}}",
       "expectation 1 (eventually, pods) held first at 2"},
      {"{eventually: {resource: pods, count: 3}, lasts: false}", ""},
      {"{always: {resource: pods, selector: app=other, count: {max: 1}}}",
       "expectation 1 (always, pods) is vacuous: no object that it speaks of was ever there"},
      {"{never: {resource: pods, selector: app=other}}", ""},
      {"{never: {resource: pods, where: status.phase == Failed}, after: 1h}",
       "expectation 1 (never, pods) is vacuous: the run was over before 1h0m0s"}};
  for (const auto& [expectation, told] : cases) {
    const std::vector<std::string> notes = VerdictOf(Expecting(expectation), "expect").notes;
    const std::string first = notes.empty() ? "" : notes.front();
    EXPECT_EQ(first.substr(0, std::string(told).size()), told) << expectation;
    EXPECT_EQ(notes.empty(), std::string(told).empty()) << expectation;
  }
}

TEST(Verdict, WhatATraceDoesNotShowIsNotJudged) {
  Trace t = Expecting("{eventually: {resource: pods, count: 4}}");
  t.end->violations.clear();
  EXPECT_EQ(VerdictOf(t, "limit").state, State::kNotJudged);
  t.header.mode = "fuzz";  // faults may have kept it from coming, and the end is its own
  EXPECT_EQ(VerdictOf(t, "expect").state, State::kNotJudged);
  t.end->judged.clear();
  EXPECT_EQ(VerdictOf(t, "expect").why, "the run did not judge it");
  t.end.reset();
  EXPECT_EQ(VerdictOf(t, "expect").why, "the trace is cut short");
}

TEST(Verdict, AViolationThatTheRunRecordedStands) {
  Trace t = Expecting("");
  for (const char* own : {"limit", "expect"}) {
    trace::Violation v;
    v.oracle = own;
    t.end->violations = {v};
    EXPECT_EQ(VerdictOf(t, own).state, State::kViolated) << own;
  }
}

// `always` expectations are judged in every trace, even in one that is cut short.
TEST(Verdict, ATraceThatIsCutShortMayBreakWhatAlwaysHolds) {
  Trace t = Expecting("{always: {resource: pods, count: {max: 2}}}");
  t.end.reset();
  EXPECT_EQ(VerdictOf(t, "expect").state, State::kViolated);
}

}  // namespace
}  // namespace ksim::check
