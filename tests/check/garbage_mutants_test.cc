// The oracles of garbage collection, gc.safe and noLeak: mutants that they catch, and what may
// legally happen.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/check/recorded.h"

namespace ksim::check {
namespace {

using testing::Contains;
using testing::Not;

constexpr const char* kCompats[] = {"1.25", "1.30", "1.36"};
constexpr const char* kCollector = "kube-controller-manager/garbagecollector";

// A trace in which the garbage collector did what kubectl did: its one deletion.
Trace CollectorDeletes(Trace trace) {
  for (Record& r : trace.events) {
    const bool asks = r.kind == sim::EventKind::kRequest && r.Text("verb") == "delete";
    if (asks && r.actor == "kubectl") r.actor = kCollector;
    if (r.kind == sim::EventKind::kCommit && r.Text("by") == "kubectl" && r.Text("op") != "create")
      SetField(&r, "by", Value::Of(kCollector));
  }
  return trace;
}

TEST(GarbageMutants, ADeletionOfWhatAnOwnerWantsIsCaught) {
  for (const char* compat : kCompats) {
    const Trace trace = Recorded("delete-pod", compat);
    EXPECT_THAT(Violated(trace), Not(Contains("gc.safe")));
    const Trace mutant = CollectorDeletes(trace);
    EXPECT_THAT(Violated(mutant), Contains("gc.safe")) << Messages(mutant);
    EXPECT_THAT(Messages(mutant), testing::HasSubstr("its owner replicasets/default/"));
  }
}

// The reference names a kind of which the owner with that uid is none.
TEST(GarbageMutants, AReferenceThatOnlyHasTheUidDoesNotCount) {
  Trace mutant = CollectorDeletes(Recorded("delete-pod", "1.30"));
  for (Record& r : mutant.events) {
    if (r.kind != sim::EventKind::kCommit || r.Text("resource") != "replicasets") continue;
    std::vector<Value> changed;
    for (const Value& leaf : r.Get("changed").items()) {
      const bool kind = leaf.Get("path").AsString() == "kind";
      changed.push_back(kind ? leaf.Set("new", Value::Of("Other")) : leaf);
    }
    SetField(&r, "changed", Value::Array(std::move(changed)));
  }
  EXPECT_THAT(Violated(mutant), Not(Contains("gc.safe"))) << Messages(mutant);
}

// Deletion in the background, in the foreground and with orphans: the garbage collector deletes
// pods of an owner that is gone, or that waits, or none.
TEST(GarbageMutants, WhatItDoesIsLegal) {
  for (const char* compat : kCompats) {
    for (const char* name : {"delete-background", "delete-foreground", "delete-orphan"})
      EXPECT_EQ(Messages(Recorded(name, compat)), "") << name << " " << compat;
  }
}

constexpr const char* kLeftBehind = R"(apiVersion: ksim.dev/v1
kind: Scenario
metadata: {{name: left}}
spec:
  cluster: {{nodes: 1, controllers: [replicaset, garbagecollector]}}
  steps:
  - at: 1s
    create:
      object:
        apiVersion: {}
        kind: {}
        metadata:
          name: left
          {}
          ownerReferences: [{{apiVersion: v1, kind: ConfigMap, name: nobody, uid: nobody}}]
)";

std::string LeftBehind(const char* api_version, const char* kind, const char* more) {
  return fmt::format(kLeftBehind, api_version, kind, more);
}

// An object that is being deleted and keeps a finalizer, an Event, and an object of cluster scope
// whose owner is of a namespaced kind.
TEST(GarbageMutants, WhatMayStayIsNoLeak) {
  const std::string cases[] = {
      LeftBehind("v1", "ConfigMap", "finalizers: [example.dev/mine]"),
      LeftBehind("v1", "Event", "namespace: default") + "        involvedObject: {}\n",
      LeftBehind("rbac.authorization.k8s.io/v1", "ClusterRole", "labels: {a: b}")};
  for (const std::string& yaml : cases) EXPECT_EQ(Messages(RunOf(yaml, "1.36")), "") << yaml;
}

// The same without the garbage collector's work.
TEST(GarbageMutants, WhatIsLeftBehindIsCaught) {
  Trace mutant = RunOf(LeftBehind("v1", "ConfigMap", "labels: {a: b}"), "1.36");
  EXPECT_EQ(Messages(mutant), "");
  std::erase_if(mutant.events, [](const Record& r) {
    return r.Text("resource") == "configmaps" && r.Text("name") == "left" &&
           r.kind == sim::EventKind::kCommit && r.Text("op") == "delete";
  });
  EXPECT_THAT(Violated(mutant), Contains("noLeak")) << Messages(mutant);
}

}  // namespace
}  // namespace ksim::check
