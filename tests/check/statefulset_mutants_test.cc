// oneAtATime: what upstream does is no violation, and each mutant is one. A Parallel set may have
// two pods that are being deleted; told of an OrderedReady one the same is wrong.
#include <gtest/gtest.h>

#include "recorded.h"

namespace ksim::check {
namespace {

using Kind = sim::EventKind;

bool CatchesTwoAtATime(const Trace& t) { return Violated(t).contains("oneAtATime"); }

bool JudgesOneAtATime(const Trace& t) {
  const auto checker = CheckTrace(t, {"*"});
  EXPECT_TRUE(checker.ok());
  const std::vector<std::string> judged = (*checker)->judged();
  return std::find(judged.begin(), judged.end(), "oneAtATime") != judged.end();
}

// Changes the leaves at `path` of the resource's commits.
void EditSetLeaves(Trace* t, std::string_view resource, std::string_view path, const Value& v) {
  for (Record& r : t->events) {
    if (r.kind != Kind::kCommit || r.Text("resource") != resource) continue;
    std::vector<Value> leaves;
    for (const Value& leaf : r.Get("changed").items())
      leaves.push_back(leaf.Get("path").AsString() == path ? leaf.Set("new", v) : leaf);
    SetField(&r, "changed", Value::Array(std::move(leaves)));
  }
}

// --- oneAtATime: a Parallel set may have two pods that are being deleted; told of an OrderedReady
// one the same is wrong ---

// A Parallel set of three, whose pods a finalizer keeps, with more steps.
Trace OfThree(const std::string& compat, const std::string& steps, const std::string& faults = "") {
  return RunOf(R"(
apiVersion: ksim.dev/v1
kind: Scenario
metadata: {name: shrinking}
spec:
  cluster: {nodes: 1, controllers: [statefulset]}
  steps:
  - {at: 0s, create: {document: StatefulSet/web}}
)" + steps + R"(
  faults: [)" + faults +
                   R"(]
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: web, namespace: default}
spec:
  serviceName: web
  replicas: 3
  podManagementPolicy: Parallel
  selector: {matchLabels: {app: web}}
  template:
    metadata:
      labels: {app: web}
      finalizers: [example.com/stay]
    spec:
      containers:
      - {name: c, image: nginx}
)",
               compat);
}

// It loses a pod at 30 s and another at 35 s.
Trace Shrinking(const std::string& compat, const std::string& faults = "") {
  return OfThree(compat, R"(
  - {at: 30s, scale: {resource: statefulsets/web, replicas: 2}}
  - {at: 35s, scale: {resource: statefulsets/web, replicas: 1}})",
                 faults);
}

Trace Ordered(Trace t) {
  EditSetLeaves(&t, "statefulsets", "spec.podManagementPolicy", Value::Of("OrderedReady"));
  return t;
}

// CTRL-STS-02, CTRL-STS-05, CTRL-STS-06
TEST(OneAtATime, AnUpdateWithAPartitionTakesOnePodAtATime) {
  for (const char* compat : {"1.25", "1.30", "1.36"}) {
    const Trace t = Recorded("statefulset-partition", compat);
    EXPECT_EQ(Messages(t), "") << compat;
    EXPECT_TRUE(JudgesOneAtATime(t)) << compat;
  }
}

TEST(OneAtATime, AParallelSetMayLoseSeveral) {
  for (const char* compat : {"1.25", "1.30", "1.36"}) {
    const Trace t = Shrinking(compat);
    EXPECT_EQ(Messages(t), "") << compat;
    EXPECT_FALSE(JudgesOneAtATime(t)) << compat;
  }
}

TEST(OneAtATime, AnOrderedSetMayNot) {
  for (const char* compat : {"1.25", "1.30", "1.36"})
    EXPECT_TRUE(CatchesTwoAtATime(Ordered(Shrinking(compat)))) << compat;
}

TEST(OneAtATime, OthersWhoDeleteWaitForNobody) {
  Trace t = Ordered(Shrinking("1.30"));
  for (Record& r : t.events) {
    if (r.actor != "kube-controller-manager/statefulset") continue;
    if (r.kind == Kind::kRequest && r.Text("verb") == "delete") r.actor = "kubectl";
  }
  EXPECT_FALSE(CatchesTwoAtATime(t));
}

TEST(OneAtATime, APodThatHasEndedGoesAtAnyTime) {
  Trace t = Ordered(Shrinking("1.30"));
  EditSetLeaves(&t, "pods", "status.phase", Value::Of("Failed"));
  EXPECT_FALSE(CatchesTwoAtATime(t));
}

TEST(OneAtATime, AControllerKnowsWhatItWasToldOf) {
  const Trace t = Ordered(Shrinking(
      "1.30",
      "{at: 29s, stallHandler: {actor: kube-controller-manager, resource: pods, for: 60s}}"));
  EXPECT_FALSE(CatchesTwoAtATime(t)) << Messages(t);
}

// --- esr ---

TEST(StatefulSetMutants, AStatusThatMiscountsIsCaught) {
  for (const char* count : {"status.replicas", "status.readyReplicas"}) {
    Trace t = Recorded("statefulset-partition", "1.30");
    EditSetLeaves(&t, "statefulsets", count, Value::Of(1));
    EXPECT_TRUE(Violated(t).contains("esr")) << count << Messages(t);
  }
}

TEST(StatefulSetMutants, APodTooFewIsCaught) {
  Trace t = OfThree("1.30", "");
  EXPECT_EQ(Messages(t), "");
  EditSetLeaves(&t, "statefulsets", "spec.replicas", Value::Of(4));
  EXPECT_TRUE(Violated(t).contains("esr")) << Messages(t);
}

TEST(StatefulSetMutants, APodOfAnotherRevisionIsCaught) {
  Trace t = Recorded("statefulset-partition", "1.30");
  EditSetLeaves(&t, "pods", "metadata.labels.controller-revision-hash", Value::Of("old"));
  EXPECT_TRUE(Violated(t).contains("esr")) << Messages(t);
}

}  // namespace
}  // namespace ksim::check
