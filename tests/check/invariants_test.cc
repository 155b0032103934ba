// Invariants in a scenario: each kind where it is broken, where it holds, and where there was
// nothing to judge; and that the run and its trace say the same.
#include <gtest/gtest.h>

#include "ksim/check/trace_law.h"
#include "ksim/check/verdict.h"
#include "recorded.h"

namespace ksim::check {
namespace {

// kubectl makes a and b, changes a, and deletes b in the end. Nobody else has a ConfigMap.
std::string Shop(const std::string& invariants) {
  return R"(
apiVersion: ksim.dev/v1
kind: Scenario
metadata: {name: shop}
spec:
  cluster: {nodes: 0, controllers: [namespace]}
  steps:
  - {at: 5s, create: {document: ConfigMap/a}}
  - {at: 10s, create: {document: ConfigMap/b}}
  - {at: 20s, patch: {resource: configmaps/a, patch: {data: {n: "2"}}}}
  - {at: 40s, delete: {resource: configmaps/b}}
  invariants:
)" + invariants +
         R"(
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: {app: shop}}, data: {n: "1"}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: b, labels: {app: shop}}, data: {n: "1"}}
)";
}

std::string One(const std::string& what, const std::string& objects = "{resource: configmaps}") {
  return "  - {name: it, for: " + objects + ", " + what + "}\n";
}

// The messages of the run, a line each; or why it judged nothing. The trace must say the same.
std::string Judge(const std::string& invariants) {
  const Trace t = RunOf(Shop(invariants), "1.30");
  std::string said, why;
  for (const trace::Violation& v : t.end->violations)
    if (v.oracle.starts_with(kInvariantPrefix)) said += v.message + "\n";
  for (const auto& [oracle, reason] : t.end->not_judged)
    if (oracle.starts_with(kInvariantPrefix)) why += reason + "\n";
  const auto checker = CheckTrace(t, {"*"});
  EXPECT_TRUE(checker.ok());
  EXPECT_EQ(said, Said(t, "invariant.it"));
  for (const Finding& f : ContradictionsIn(t, **checker)) ADD_FAILURE() << f.violation.message;
  return said + why;
}

// G-IN1, G-IN2.
TEST(Invariants, AlwaysIsJudgedAtEachWriteOfAnObject) {
  EXPECT_EQ(Judge(One("always: \"object.data.n == '1'\"")),
            "always object.data.n == '1': it is false of configmaps/default/a since kubectl wrote "
            "configmaps/default/a at revision 8; object.data.n = \"2\"\n");
  EXPECT_EQ(Judge(One("always: \"object.data.n != '3'\"")), "");
  // b was deleted before: nobody writes it.
  EXPECT_EQ(Judge(One("always: \"oldObject == null || object.metadata.name == 'a'\"")), "");
}

// G-IN1.
TEST(Invariants, NeverIsJudgedOfTheSetAtEachWriteOfOneOfIt) {
  EXPECT_EQ(Judge(One("never: \"size(objects) > 1\"")),
            "never size(objects) > 1: it is true of the 2 configmaps since kubectl created "
            "configmaps/default/b at revision 7; size(objects) = 2\n");
  EXPECT_EQ(Judge(One("never: count > 2")), "");
  EXPECT_EQ(
      Judge(One("never: \"objects.exists(o, o.data.n == '2')\"")),
      "never objects.exists(o, o.data.n == '2'): it is true of the 2 configmaps since kubectl "
      "wrote configmaps/default/a at revision 8; objects = [default/a, default/b]\n");
}

// G-IN1.
TEST(Invariants, WhoDeletesIsJudgedByWhoAsksForTheOperation) {
  EXPECT_EQ(
      Judge(One("never: \"operation == 'DELETE' && oldObject.data.n == '1' && "
                "actor.startsWith('kubectl')\"")),
      "never operation == 'DELETE' && oldObject.data.n == '1' && actor.startsWith('kubectl'): "
      "it is true of configmaps/default/b since kubectl deleted configmaps/default/b at "
      "revision 9; operation = \"DELETE\", oldObject.data.n = \"1\", actor = \"kubectl\"\n");
}

// G-IN3: what has no answer is no silence.
TEST(Invariants, AnErrorIsTold) {
  EXPECT_EQ(Judge(One("always: \"object.status.ready > 0\"", "{resource: configmaps/a}")),
            "always object.status.ready > 0: it has no answer (no such key: status) of "
            "configmaps/default/a since kubectl created configmaps/default/a at revision 6; "
            "object.status.ready is an error: no such key: status\n");
  EXPECT_EQ(Judge(One("finally: \"object.status.ready > 0\"")),
            "finally object.status.ready > 0: it has no answer (no such key: status) of "
            "configmaps/default/a at the end; object.status.ready is an error: no such key: "
            "status\n");
  EXPECT_EQ(Judge(One("always: \"!has(object.status) || object.status.ready > 0\"")), "");
}

// G-IN4.
TEST(Invariants, EventuallyIsJudgedOfEachObjectThatStays) {
  EXPECT_EQ(Judge(One("eventually: \"object.data.n == '2'\"")), "");  // b is deleted
  EXPECT_EQ(Judge(One("eventually: \"object.data.n == '3'\"")),
            "eventually object.data.n == '3': it never was true of configmaps/default/a; "
            "object.data.n = \"2\"\n");
  EXPECT_EQ(Judge(One("eventually: count == 2")), "");
  EXPECT_EQ(Judge(One("eventually: count == 3")),
            "eventually count == 3: it never was true of the 1 configmaps; count = 1\n");
}

// G-IN4.
TEST(Invariants, FinallyIsJudgedOfTheStateAtTheEnd) {
  EXPECT_EQ(Judge(One("finally: \"object.data.n == '2'\"")), "");
  EXPECT_EQ(Judge(One("finally: count == 2")),
            "finally count == 2: it is false of the 1 configmaps at the end; count = 1\n");
  EXPECT_EQ(Judge(One("finally: \"object.data.n == '1'\"", "{resource: configmaps, name: b}")),
            "vacuous: at the end none of the objects was there\n");
}

// G-IN5.
TEST(Invariants, OneThingLeadsToAnotherInTime) {
  const std::string one = "{when: \"object.data.n == '1'\", then: \"object.data.n == '2'\"";
  // b waits until it is deleted.
  EXPECT_EQ(Judge(One("leadsTo: " + one + ", within: 60s}")), "");
  EXPECT_EQ(
      Judge(One("leadsTo: " + one + ", within: 20s}")),
      "whenever object.data.n == '1', then object.data.n == '2' within 20s: it was true of "
      "configmaps/default/b at revision 7 (10.000842215s), and `then` was not by 30.000842215s; "
      "object.data.n = \"1\"\n");
  EXPECT_EQ(
      Judge(One("leadsTo: {when: \"object.data.n == '2'\", then: \"object.data.n == '3'\", "
                "within: 1h}")),
      "whenever object.data.n == '2', then object.data.n == '3' within 1h0m0s: it was true of "
      "configmaps/default/a at revision 8 (20.007530232s), and `then` was not when nothing was "
      "left "
      "to do; object.data.n = \"2\"\n");
  EXPECT_EQ(Judge(One("leadsTo: {when: count == 2, then: count == 1, within: 60s}")), "");
  EXPECT_EQ(Judge(One("leadsTo: {when: count == 2, then: count == 1, within: 10s}")),
            "whenever count == 2, then count == 1 within 10s: it was true of the 2 configmaps at "
            "revision 7 (10.000842215s), and `then` was not by 20.000842215s; count = 2\n");
  EXPECT_EQ(Judge(One("leadsTo: {when: count == 7, then: count == 1}")),
            "vacuous: `when` was never true\n");
}

// G-IN6.
TEST(Invariants, StableCountsTheWritesAfterTheLastStep) {
  EXPECT_EQ(Judge(One("stable: {writes: 0}")), "");  // kubectl's own come before its step ends
  EXPECT_EQ(Judge(One("stable: {writes: 0}", "{resource: secrets}")),
            "vacuous: no secrets was ever there\n");
  const std::string writer = R"(
apiVersion: ksim.dev/v1
kind: Scenario
metadata: {name: rs}
spec:
  cluster: {nodes: 1}
  steps: [{at: 5s, create: {documents: all}}]
  invariants:
  - {name: it, for: {resource: pods}, stable: {writes: WRITES, by: BY}}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: nginx}]}
)";
  const auto with = [&writer](const std::string& writes, const std::string& by) {
    std::string text = writer;
    text.replace(text.find("WRITES"), 6, writes);
    text.replace(text.find("BY"), 2, by);
    return Said(RunOf(text, "1.30"), "invariant.it");
  };
  EXPECT_EQ(with("2", "kube-scheduler"), "");
  const std::string said = with("1", "kube-scheduler");
  EXPECT_EQ(said.substr(0, said.find(": there")),
            "at most 1 writes from 0s after the last step and fault on");
  EXPECT_NE(said.find("there were 2 of the pods, 1 of pods/default/web-"), std::string::npos)
      << said;
  EXPECT_EQ(with("0", "kube-scheduler-2"), "");
}

// G-IN7.
TEST(Invariants, WhatSelectsNothingIsVacuous) {
  for (const std::string what : {"always: count == 0", "eventually: \"object.data.n == '1'\"",
                                 "finally: \"object.data.n == '1'\"", "finally: count == 0"})
    EXPECT_EQ(Judge(One(what, "{resource: configmaps, selector: app=other}")),
              "vacuous: no configmaps with app=other was ever there\n");
  EXPECT_EQ(Judge(One("finally: count == 1", "{resource: configmaps, namespace: other}")),
            "finally count == 1: it is false of the 0 configmaps in other at the end; count = 0\n");
}

// G-IN2: the variables of time.
TEST(Invariants, TheClockIsTheVirtualOne) {
  EXPECT_EQ(Judge(One("never: \"age > duration('14s') && unchanged > duration('14s') && now < "
                      "timestamp('2026-01-01T00:00:00Z')\"")),
            "never age > duration('14s') && unchanged > duration('14s') && now < "
            "timestamp('2026-01-01T00:00:00Z'): it is true of configmaps/default/a since kubectl "
            "wrote configmaps/default/a at revision 8; age = \"15.007530232s\", unchanged = "
            "\"15.005538734s\", now = \"2025-01-01T00:00:20.007530232Z\"\n");
}

// G-IN2: the owner is the one of the store, by its uid.
TEST(Invariants, TheOwnerIsTheControllerInTheStore) {
  const auto said = [](const std::string& expression) {
    return Said(RunOf(R"(
apiVersion: ksim.dev/v1
kind: Scenario
metadata: {name: rs}
spec:
  cluster: {nodes: 1}
  steps: [{at: 5s, create: {documents: all}}]
  invariants:
  - {name: it, for: {resource: pods}, always: ")" +
                          expression + R"("}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: nginx}]}
)",
                      "1.30"),
                "invariant.it");
  };
  EXPECT_EQ(said("owner != null && owner.spec.replicas == 2 && owner.kind == 'ReplicaSet'"), "");
  EXPECT_NE(said("owner.spec.replicas == 3").find("owner.spec.replicas = 2"), std::string::npos);
}

// G-IN8: others over an old trace, also in the place of one that it has.
TEST(Invariants, OthersAreJudgedOverAnOldTrace) {
  const Trace t = RunOf(Shop(One("never: count > 2")), "1.30");
  Invariant stricter;
  stricter.name = "it";
  stricter.resource = "configmaps";
  stricter.kind = InvariantKind::kNever;
  stricter.expression = "count > 1";
  Invariant other = stricter;
  other.name = "other";
  other.kind = InvariantKind::kFinally;
  const auto checker = CheckTrace(t, {"*"}, {stricter, other});
  ASSERT_TRUE(checker.ok());
  std::vector<std::string> found;
  for (const Finding& f : (*checker)->findings()) found.push_back(f.violation.oracle);
  EXPECT_EQ(found, (std::vector<std::string>{"invariant.it", "invariant.other"}));
  EXPECT_TRUE(ContradictionsIn(t, **checker).empty());
  std::vector<std::string> named;
  for (const Verdict& v : VerdictsOf(**checker, t))
    if (v.oracle.starts_with(kInvariantPrefix)) named.push_back(v.oracle);
  EXPECT_EQ(named, found);
}

}  // namespace
}  // namespace ksim::check
