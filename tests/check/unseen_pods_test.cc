#include "ksim/check/unseen_pods.h"

#include <gtest/gtest.h>

#include <string>

#include "ksim/base/time.h"
#include "ksim/check/process_clocks.h"
#include "ksim/value/json.h"

namespace ksim::check {
namespace {

constexpr const char* kPod =
    R"({"metadata":{"name":"web-1","namespace":"default","uid":"p1","ownerReferences":[
        {"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web","uid":"rs","controller":true}]}})";

// A run with only some of its events, each at its time.
class UnseenPodsTest : public testing::Test {
 protected:
  void Requested(const char* by) {
    Observation o = At(Duration(), sim::EventKind::kRequest);
    o.actor = by;
    o.verb = "create";
    o.resource = "pods";
    o.request = 1;
    pods_.On(clocks_, o);
  }
  void Answered(int code, bool lost) {
    Observation o = At(Duration(), sim::EventKind::kResponse);
    o.request = 1;
    o.code = code;
    o.lost = lost;
    pods_.On(clocks_, o);
  }
  void Created(const char* by) {
    Requested(by);
    Committed(by);
    Answered(201, false);
  }
  void Committed(const char* by) {
    Observation o = At(Duration(), sim::EventKind::kCommit);
    o.request = 1;
    o.resource = "pods";
    o.ns = "default";
    o.uid = "p1";
    o.by = by;
    o.after = &pod_;
    pods_.On(clocks_, o);
  }
  void Marked(std::int64_t rv) {
    Observation o = At(Seconds(1), sim::EventKind::kCommit);
    o.resource = "pods";
    o.op = CommitOp::kUpdate;
    o.uid = "p1";
    o.rv = rv;
    o.after = &marked_;
    pods_.On(clocks_, o);
  }
  void Handled(const char* listener, HandlerCall call = HandlerCall::kAdd, std::int64_t rv = 1) {
    Observation o = At(Seconds(1), sim::EventKind::kHandler);
    o.resource = "pods";
    o.uid = "p1";
    o.call = call;
    o.rv = rv;
    o.listener = listener;
    pods_.On(clocks_, o);
  }
  void Reconciled(Duration at, const char* key) {
    Observation o = At(at, sim::EventKind::kReconcile);
    o.actor = "kube-controller-manager/replicaset";
    o.target = key;
    o.state = "begin";
    pods_.On(clocks_, o);
  }
  void Gone() {
    Observation o = At(Seconds(1), sim::EventKind::kCommit);
    o.resource = "pods";
    o.op = CommitOp::kDelete;
    o.uid = "p1";
    o.after = &none_;
    pods_.On(clocks_, o);
  }
  void Synced(const char* key) {
    Observation o = At(Seconds(2), sim::EventKind::kReconcile);
    o.actor = "kube-controller-manager/statefulset";
    o.target = key;
    o.state = "begin";
    pods_.On(clocks_, o);
  }
  void Started(const char* process) {
    Observation o = At(Seconds(2), sim::EventKind::kActor);
    o.target = process;
    o.state = "start";
    pods_.On(clocks_, o);
  }
  static Observation At(Duration at, sim::EventKind kind) {
    Observation o;
    o.t = at.ns();
    o.kind = kind;
    return o;
  }

  value::Value pod_ = value::ParseJson(kPod).value();
  value::Value marked_ = pod_.Set(value::Path{"metadata", "deletionTimestamp"},
                                  value::Value::Of("2000-01-01T00:00:00Z"));
  value::Value none_;
  ProcessClocks clocks_;
  UnseenPods pods_;
};

TEST_F(UnseenPodsTest, ItsMakerWaitsForAPodThatItWasNotToldOf) {
  Created("kube-controller-manager/replicaset");
  Handled("kube-scheduler");
  EXPECT_TRUE(pods_.AwaitedBy("rs"));
  EXPECT_FALSE(pods_.AwaitedBy("another"));
}

TEST_F(UnseenPodsTest, NotForOneThatItWasToldOf) {
  Created("kube-controller-manager/replicaset");
  Handled("kube-controller-manager/replicaset");
  EXPECT_FALSE(pods_.AwaitedBy("rs"));
}

TEST_F(UnseenPodsTest, NotForOneThatSomebodyElseHasMade) {
  Created("kubectl");
  EXPECT_FALSE(pods_.AwaitedBy("rs"));
}

// CTRL-C-04
TEST_F(UnseenPodsTest, UntilItLooksAgainAfterFiveMinutes) {
  Created("kube-controller-manager/replicaset");
  Reconciled(Minutes(5), "default/web");
  EXPECT_TRUE(pods_.AwaitedBy("rs")) << "expectations expire after more than five minutes";
  Reconciled(Minutes(5) + Milliseconds(1), "default/other");
  EXPECT_TRUE(pods_.AwaitedBy("rs"));
  Reconciled(Minutes(5) + Milliseconds(1), "default/web");
  EXPECT_FALSE(pods_.AwaitedBy("rs"));
}

TEST_F(UnseenPodsTest, UntilItsMakerStartsAnew) {
  Created("kube-controller-manager/replicaset");
  Started("kube-scheduler");
  EXPECT_TRUE(pods_.AwaitedBy("rs"));
  Started("kube-controller-manager");
  EXPECT_FALSE(pods_.AwaitedBy("rs")) << "expectations are nowhere but in memory";
}

TEST_F(UnseenPodsTest, NotForOneThatWasOnItsWayWhenItsMakerDied) {
  Requested("kube-controller-manager/replicaset");
  Started("kube-controller-manager");
  Committed("kube-controller-manager/replicaset");
  EXPECT_FALSE(pods_.AwaitedBy("rs")) << "the process that is there now did not ask for it";
}

// CTRL-RS-04: a pod that is first seen with a deletionTimestamp is no observed creation, and
// neither are its later events.
TEST_F(UnseenPodsTest, AlsoForOneThatWasGoingWhenItWasFirstSeen) {
  Created("kube-controller-manager/replicaset");
  Marked(7);
  Handled("kube-controller-manager/replicaset", HandlerCall::kAdd, 7);
  Handled("kube-controller-manager/replicaset", HandlerCall::kUpdate, 8);
  Handled("kube-controller-manager/replicaset", HandlerCall::kDelete, 9);
  EXPECT_TRUE(pods_.AwaitedBy("rs"));

  Created("kube-controller-manager/replicaset");
  Marked(7);
  Handled("kube-controller-manager/replicaset", HandlerCall::kAdd, 6);
  EXPECT_FALSE(pods_.AwaitedBy("rs")) << "it was seen as it was before";
}

// CTRL-RS-19: a controller that got no answer expects nothing, whatever the outcome of its request.
TEST_F(UnseenPodsTest, NotForOneWhoseAnswerWasLost) {
  Requested("kube-controller-manager/replicaset");
  Committed("kube-controller-manager/replicaset");
  EXPECT_TRUE(pods_.AwaitedBy("rs")) << "the answer is on its way";
  Answered(201, true);
  EXPECT_FALSE(pods_.AwaitedBy("rs"));

  Requested("kube-controller-manager/replicaset");
  Answered(0, true);
  Committed("kube-controller-manager/replicaset");
  EXPECT_FALSE(pods_.AwaitedBy("rs"));
}

// No event tells a StatefulSet controller of a pod that is gone before its informer could see it;
// the next sync makes it again.
TEST_F(UnseenPodsTest, AStatefulSetWaitsForAPodThatWasGoneUnseen) {
  constexpr const char* kSets = "kube-controller-manager/statefulset";
  Committed(kSets);
  EXPECT_FALSE(pods_.MissedBy("rs")) << "it is there";
  Gone();
  EXPECT_TRUE(pods_.MissedBy("rs"));
  EXPECT_FALSE(pods_.MissedBy("another"));
  Synced("default/another");
  EXPECT_TRUE(pods_.MissedBy("rs"));
  Synced("default/web");
  EXPECT_FALSE(pods_.MissedBy("rs"));

  Committed(kSets);
  Handled("kube-scheduler");
  EXPECT_FALSE(pods_.MissedBy("rs"));
  Handled(kSets);
  Gone();
  EXPECT_FALSE(pods_.MissedBy("rs")) << "it was told";

  Committed(kSets);
  Gone();
  Started("kube-controller-manager");
  EXPECT_FALSE(pods_.MissedBy("rs")) << "a process that starts looks at all";
}

}  // namespace
}  // namespace ksim::check
