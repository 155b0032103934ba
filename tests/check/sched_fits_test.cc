// sched.fits judges a restarted scheduler only by the pods that it learned of since.
#include <gtest/gtest.h>

#include <algorithm>

#include "recorded.h"

namespace ksim::check {
namespace {

using Kind = sim::EventKind;

// One pod is bound, the scheduler starts anew, and binds a second: both fit.
Trace BoundBeforeAndAfter() {
  return RunOf(R"(
apiVersion: ksim.dev/v1
kind: Scenario
metadata: {name: started-anew}
spec:
  cluster: {nodes: [{name: n, count: 1, capacity: {cpu: "1"}}]}
  steps:
  - {at: 5s, create: {documents: all}}
  - {at: 40s, scale: {resource: replicasets/web, replicas: 2}}
  faults:
  - {at: 20s, restart: {process: kube-scheduler, down: 1s}}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web, namespace: default}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: nginx, resources: {requests: {cpu: 400m}}}]}
)",
               "1.30");
}

// Each pod asks for more than half of the node.
void Larger(Trace* t) {
  for (Record& r : t->events) {
    if (r.kind != Kind::kCommit || r.Text("resource") != "pods" || r.Text("op") != "create")
      continue;
    std::vector<Value> leaves;
    for (const Value& leaf : r.Get("changed").items())
      leaves.push_back(leaf.Get("path").AsString().ends_with("requests.cpu")
                           ? leaf.Set("new", Value::Of("600m"))
                           : leaf);
    SetField(&r, "changed", Value::Array(std::move(leaves)));
  }
}

bool TellsTheSchedulerOfAPod(const Record& r) {
  return r.kind == Kind::kHandler && r.Text("resource") == "pods" &&
         r.Text("informer").starts_with("kube-scheduler");
}

bool Binds(const Record& r) {
  return r.kind == Kind::kRequest && r.Text("subresource") == "binding";
}

bool Caught(const Trace& t) { return Violated(t).contains("sched.fits"); }

TEST(SchedFits, AfterARestartOnlyDeliveredPodsCount) {
  const Trace base = BoundBeforeAndAfter();
  EXPECT_EQ(Messages(base), "");
  Trace told = base;
  Larger(&told);
  EXPECT_TRUE(Caught(told)) << "it was told of the first in its list";
  Trace untold = told;
  std::erase_if(untold.events, TellsTheSchedulerOfAPod);
  EXPECT_FALSE(Caught(untold)) << Messages(untold);
  // Within one life a scheduler knows the pods that it bound, delivered to it or not.
  std::erase_if(untold.events, [](const Record& r) {
    return r.kind == Kind::kActor && r.Text("process") == "kube-scheduler" && r.t > 0;
  });
  EXPECT_TRUE(Caught(untold)) << Messages(untold);
}

// The scheduler got the pod as it was before its binding, or too late.
TEST(SchedFits, ADeliveryBeforeTheBindingDoesNotShowTheNode) {
  Trace early = BoundBeforeAndAfter();
  Larger(&early);
  Trace late = early;
  std::int64_t started = 0;
  for (const Record& r : early.events)
    if (r.kind == Kind::kActor && r.Text("process") == "kube-scheduler") started = r.t;
  const Is first = [started](const Record& r) {
    return TellsTheSchedulerOfAPod(r) && r.t >= started;
  };
  Record* told = &early.events[Find(early, first)];
  SetField(told, "rv", Value::Of(1));
  EXPECT_FALSE(Caught(early)) << Messages(early);

  const std::size_t at = Find(late, first);
  const Record call = late.events[at];
  late.events.erase(late.events.begin() + static_cast<std::ptrdiff_t>(at));
  const std::size_t asked = Find(late, Binds, 1);
  ASSERT_LT(asked, late.events.size());
  late.events.insert(late.events.begin() + static_cast<std::ptrdiff_t>(asked + 1), call);
  late.events[asked + 1].seq = late.events[asked].seq + 1;
  EXPECT_FALSE(Caught(late)) << Messages(late);
}

// The index of the answer to the first binding, which gets lost.
std::size_t LoseTheAnswer(Trace* t) {
  const std::int64_t id = t->events[Find(*t, Binds)].Int("id");
  const std::size_t at =
      Find(*t, [id](const Record& r) { return r.kind == Kind::kResponse && r.Int("id") == id; });
  SetField(&t->events[at], "lost", Value::Of(true));
  SetField(&t->events[at], "code", Value::Of(0));
  return at;
}

// G-SC1: a scheduler that got no answer to a binding forgets the pod, until its informer tells of
// it.
TEST(SchedFits, ABindingThatSeemedToFailDoesNotCount) {
  Trace t = BoundBeforeAndAfter();
  Larger(&t);
  std::erase_if(t.events, [](const Record& r) {
    return r.kind == Kind::kActor && r.Text("process") == "kube-scheduler" && r.t > 0;
  });
  const Trace told = t;
  std::erase_if(t.events, TellsTheSchedulerOfAPod);
  ASSERT_TRUE(Caught(t)) << Messages(t);
  const Trace untold = t;
  LoseTheAnswer(&t);
  EXPECT_FALSE(Caught(t)) << Messages(t);
  Trace still_told = told;
  LoseTheAnswer(&still_told);
  EXPECT_TRUE(Caught(still_told)) << "its informer told it where the pod is";
  Trace too_late = untold;
  const std::size_t answer = LoseTheAnswer(&too_late), next = Find(too_late, Binds, 1);
  const auto at = [&too_late](std::size_t i) {
    return too_late.events.begin() + static_cast<std::ptrdiff_t>(i);
  };
  std::rotate(at(answer), at(answer + 1), at(next + 1));
  too_late.events[next].seq = too_late.events[next - 1].seq + 1;
  EXPECT_TRUE(Caught(too_late)) << "it counted the pod when it decided on the next";
}

}  // namespace
}  // namespace ksim::check
