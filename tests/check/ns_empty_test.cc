// ns.empty catches a namespace that goes before what is in it, and keeps silent where that may be.
#include <gtest/gtest.h>

#include <string>

#include "recorded.h"

namespace ksim::check {
namespace {

using Kind = sim::EventKind;

constexpr const char* kEmptiedRun = R"(
apiVersion: ksim.dev/v1
kind: Scenario
metadata: {name: emptied}
spec:
  cluster: {nodes: 1, controllers: [namespace]}
  steps:
  - {at: 0s, create: {document: Namespace/x}}
  - {at: 1s, create: {document: ConfigMap/a}}
  - {at: 2s, delete: {resource: namespaces/x}}
---
apiVersion: v1
kind: Namespace
metadata: {name: x}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: a, namespace: x}
)";

Is NsCommit(std::string op, std::string resource, std::string name) {
  return [=](const Record& r) {
    return r.kind == Kind::kCommit && r.Text("op") == op && r.Text("resource") == resource &&
           r.Text("name") == name;
  };
}

Record TakeOut(Trace* t, const Is& is) {
  const std::size_t i = Find(*t, is);
  EXPECT_LT(i, t->events.size());
  Record taken = t->events.at(i);
  t->events.erase(t->events.begin() + static_cast<std::ptrdiff_t>(i));
  return taken;
}

bool CatchesNsEmpty(const Trace& t) { return Violated(t).contains("ns.empty"); }

TEST(NsEmpty, IsSilentWhereTheNamespaceIsEmptied) {
  for (const char* compat : {"1.25", "1.30", "1.36"}) {
    const Trace run = RunOf(kEmptiedRun, compat);
    EXPECT_EQ(Messages(run), "") << compat;
    EXPECT_LT(Find(run, NsCommit("delete", "namespaces", "x")), run.events.size());
  }
}

TEST(NsEmpty, CatchesWhatIsLeft) {
  Trace run = RunOf(kEmptiedRun, "1.36");
  TakeOut(&run, NsCommit("delete", "configmaps", "a"));
  EXPECT_TRUE(CatchesNsEmpty(run));
  EXPECT_NE(Messages(run).find("ns.empty: namespace x is gone, and configmaps/x/a is left in it"),
            std::string::npos)
      << Messages(run);
}

TEST(NsEmpty, CatchesWhatGoesTooLate) {
  Trace run = RunOf(kEmptiedRun, "1.36");
  Record late = TakeOut(&run, NsCommit("delete", "configmaps", "a"));
  const std::size_t gone = Find(run, NsCommit("delete", "namespaces", "x"));
  late.seq = run.events.at(gone).seq;
  run.events.insert(run.events.begin() + static_cast<std::ptrdiff_t>(gone) + 1, late);
  EXPECT_TRUE(CatchesNsEmpty(run));
}

// The user takes the finalizer away.
TEST(NsEmpty, WhatAUserLeavesIsLegal) {
  Trace run = RunOf(kEmptiedRun, "1.36");
  TakeOut(&run, NsCommit("delete", "configmaps", "a"));
  for (Record& r : run.events)
    if (r.kind == Kind::kCommit && r.Text("resource") == "namespaces" && r.Text("name") == "x")
      SetField(&r, "by", Value::Of("kubectl"));
  EXPECT_FALSE(CatchesNsEmpty(run));
}

// A server that has not heard of the deletion takes an object after the last look.
TEST(NsEmpty, WhatIsMadeAfterTheLastLookIsLegal) {
  Trace run = RunOf(kEmptiedRun, "1.36");
  TakeOut(&run, NsCommit("delete", "configmaps", "a"));
  Record made = TakeOut(&run, NsCommit("create", "configmaps", "a"));
  const std::size_t gone = Find(run, NsCommit("delete", "namespaces", "x"));
  made.seq = run.events.at(gone).seq;
  run.events.insert(run.events.begin() + static_cast<std::ptrdiff_t>(gone), made);
  EXPECT_FALSE(CatchesNsEmpty(run));
}

}  // namespace
}  // namespace ksim::check
