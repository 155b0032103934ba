// evict.sane: what upstream's controllers do is no violation, and each mutant is one.
#include <gtest/gtest.h>

#include "ksim/value/json.h"
#include "recorded.h"

namespace ksim::check {
namespace {

using Kind = sim::EventKind;

// A node falls silent, and its pod tolerates that for `seconds`.
Trace Silent(const std::string& compat, const std::string& seconds = "60",
             const std::string& more_faults = "") {
  const std::string eviction = compat == "1.25" ? "" : ", tainteviction";
  return RunOf(R"(
apiVersion: ksim.dev/v1
kind: Scenario
metadata: {name: silent}
spec:
  cluster:
    nodes: 2
    controllers: [nodelifecycle)" +
                   eviction + R"(]
  steps:
  - {at: 1s, create: {document: Pod/p}}
  faults:
  - {at: 20s, nodeSilent: {node: node-1, for: 6m}}
)" + more_faults +
                   R"(---
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: default}
spec:
  nodeSelector: {kubernetes.io/hostname: node-1}
  tolerations:
  - {key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute,
     tolerationSeconds: )" +
                   seconds + R"(}
  containers: [{name: c, image: nginx}]
)",
               compat);
}

bool Caught(const Trace& t) { return Violated(t).contains("evict.sane"); }

bool IsEviction(const Record& r) {
  const std::string by(r.Text("by"));
  return r.kind == Kind::kCommit && r.Text("resource") == "pods" &&
         (by.ends_with("/tainteviction") || by.ends_with("/nodelifecycle")) &&
         value::ToJson(r.Get("changed")).find("deletionTimestamp") != std::string::npos;
}

// Leaves of the commits of a resource: `edit` returns what a leaf is to be; null takes it out.
void EditLeaves(Trace* t, std::string_view resource, std::string_view name,
                const std::function<Value(const std::string& path, const Value& leaf)>& edit) {
  for (Record& r : t->events) {
    if (r.kind != Kind::kCommit || r.Text("resource") != resource || r.Text("name") != name)
      continue;
    std::vector<Value> leaves;
    for (const Value& leaf : r.Get("changed").items()) {
      const Value edited = edit(std::string(leaf.Get("path").AsString()), leaf);
      if (!edited.is_null()) leaves.push_back(edited);
    }
    SetField(&r, "changed", Value::Array(std::move(leaves)));
  }
}

// The commit that gives node-1 up.
Record& GivenUp(Trace* t) {
  for (Record& r : t->events)
    if (r.kind == Kind::kCommit && r.Text("name") == "node-1" &&
        std::string(r.Text("by")).ends_with("/nodelifecycle") &&
        value::ToJson(r.Get("changed")).find("Unknown") != std::string::npos)
      return r;
  ADD_FAILURE() << "node-1 is not given up";
  return t->events.back();
}

TEST(EvictSane, ATimeThatIsNotOverIsFound) {
  for (const char* compat : {"1.25", "1.30", "1.36"}) {
    Trace t = Silent(compat);
    EditLeaves(&t, "pods", "p", [](const std::string& path, const Value& leaf) {
      const bool time = path.ends_with(".tolerationSeconds") && leaf.Get("new").AsInt() == 60;
      return time ? leaf.Set("new", Value::Of(6000)) : leaf;
    });
    EXPECT_TRUE(Caught(t)) << compat << Messages(t);
  }
}

TEST(EvictSane, ATaintThatIsToleratedForEverIsFound) {
  Trace t = Silent("1.30");
  EditLeaves(&t, "pods", "p", [](const std::string& path, const Value& leaf) {
    return path.ends_with(".tolerationSeconds") ? Value() : leaf;
  });
  EXPECT_TRUE(Caught(t)) << Messages(t);
}

TEST(EvictSane, ANodeWithoutTaintsIsFound) {
  for (const char* compat : {"1.25", "1.30", "1.36"}) {
    Trace t = Silent(compat);
    EditLeaves(&t, "nodes", "node-1", [](const std::string&, const Value& leaf) {
      return leaf.Get("new").AsString() == "NoExecute"
                 ? leaf.Set("new", Value::Of("PreferNoSchedule"))
                 : leaf;
    });
    EXPECT_TRUE(Caught(t)) << compat << Messages(t);
  }
}

TEST(EvictSane, ANodeThatIsGivenUpSoonAfterALeaseIsFound) {
  Trace t = Silent("1.30");
  const std::size_t lease = Find(t, DeliverTo("kube-controller-manager", "leases"), 1);
  ASSERT_LT(lease, t.events.size());
  std::int64_t last = 0;
  for (const Record& r : t.events)
    if (DeliverTo("kube-controller-manager", "leases")(r) && r.Text("name") == "node-1" &&
        r.t < GivenUp(&t).t)
      last = r.t;
  const std::int64_t request = GivenUp(&t).Get("request").AsInt();
  for (Record& r : t.events)
    if (r.kind == Kind::kRequest && r.Get("id").AsInt() == request) r.t = last + Seconds(20).ns();
  EXPECT_TRUE(Caught(t)) << Messages(t);
}

// G-CK2: by a clock of twice the rate the grace and the toleration are over after half the time.
TEST(EvictSane, TheControllersMeasureByTheirOwnClock) {
  for (const char* compat : {"1.25", "1.30", "1.36"}) {
    Trace t = Silent(compat, "60",
                     "  - {at: 5s, skewClock: {process: kube-controller-manager, rate: 200%}}\n");
    EXPECT_FALSE(Caught(t)) << compat << Messages(t);
    for (Record& r : t.events)
      if (r.kind == Kind::kFault && r.Text("verb") == "skewClock")
        SetField(&r, "verb", Value::Of("restart"));
    EXPECT_TRUE(Caught(t)) << compat;
  }
}

TEST(EvictSane, ANodeThatANewControllerGivesUpIsFound) {
  Trace t = Silent("1.30");
  const std::int64_t given_up = GivenUp(&t).t;
  for (Record& r : t.events)
    if (r.kind == Kind::kActor && r.Text("process") == "kube-controller-manager")
      r.t = given_up - Seconds(30).ns();
  EXPECT_TRUE(Caught(t)) << Messages(t);
}

TEST(EvictSane, AnEvictionWhileNobodyReportsIsFound) {
  for (const char* compat : {"1.25", "1.30", "1.36"}) {
    Trace t = Silent(compat, "200");
    EXPECT_FALSE(Caught(t)) << Messages(t);
    EditLeaves(&t, "nodes", "node-2", [](const std::string& path, const Value& leaf) {
      const bool ready = path.ends_with(".status") && leaf.Get("new").AsString() == "True";
      return ready ? leaf.Set("new", Value::Of("False")) : leaf;
    });
    EXPECT_TRUE(Caught(t)) << compat << Messages(t);
  }
}

TEST(EvictSane, WhatUpstreamDoesIsSane) {
  for (const char* compat : {"1.25", "1.30", "1.36"}) {
    const Trace t = Silent(compat);
    EXPECT_FALSE(Caught(t)) << compat << Messages(t);
    EXPECT_LT(Find(t, IsEviction), t.events.size()) << compat << ": the pod is evicted";
  }
}

}  // namespace
}  // namespace ksim::check
