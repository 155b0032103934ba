// The ReplicaSet controller under faults: the state that a restart loses, and writes whose answers
// are lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ksim/client/rest/fault_hooks.h"
#include "tests/whole/actors/actor_world.h"

namespace ksim {
namespace {

using testing::SizeIs;

struct Failures {
  explicit Failures(api::Compat compat) : w(compat), hooks(w.api.sim) { w.env.faults = &hooks; }
  ~Failures() { w.api.sim.Shutdown(); }
  void Restart() {
    sim::Process* manager = w.api.sim.FindProcess("kube-controller-manager");
    manager->Kill();
    manager->Start();
    w.Settle();
  }
  ActorWorld w;
  client::FaultHooks hooks;
};

// CTRL-F-01: a restart loses the expectations, and the new cache is as old as its server's: the
// controller creates pods that exist already. When it sees them, it deletes the surplus.
TEST(ReplicaSetFailure, ARestartForgetsExpectations) {
  for (const api::Compat compat : {api::Compat::k1_25, api::Compat::k1_30}) {
    Failures f(compat);
    f.w.Create("replicasets", ReplicaSetJson("web", 1));
    f.w.StartReplicaSets();
    f.w.Settle();
    f.w.Freeze("pods");
    f.w.Patch("replicasets", "web", R"({"spec":{"replicas":3}})");
    f.w.Settle();
    EXPECT_THAT(f.w.PodNames(), SizeIs(3));
    f.w.Patch("replicasets", "web", R"({"metadata":{"labels":{"look":"again"}}})");
    f.w.Settle();
    EXPECT_THAT(f.w.PodNames(), SizeIs(3)) << "two are expected, and not seen yet";
    f.Restart();
    EXPECT_THAT(f.w.PodNames(), SizeIs(5)) << "nothing is expected any more";
    f.w.Freeze("pods", false);
    f.w.Settle();
    EXPECT_THAT(f.w.PodNames(), SizeIs(3));
  }
}

// CTRL-F-01: a restart loses the failure counts of the keys and the delayed keys too.
TEST(ReplicaSetFailure, ARestartForgetsTheQueueAndItsBackOff) {
  for (const api::Compat compat : kCompats) {
    Failures f(compat);
    f.hooks.AddJudge([](const api::Request& r) {
      client::Mishap mishap;
      if (r.verb != api::Verb::kCreate || r.resource->resource != "pods") return mishap;
      mishap.kind = client::Mishap::Kind::kRejected;
      mishap.status = api::InternalError("no");
      return mishap;
    });
    f.w.Create("replicasets", ReplicaSetJson("web", 1));
    f.w.StartReplicaSets();
    f.w.Advance(Minutes(3));
    EXPECT_GT(f.w.Reconciles(kWeb), 10u);
    f.w.Advance(Seconds(20));
    ASSERT_EQ(f.w.Reconciles(kWeb), 0u) << "it waits for more than a minute by now";
    f.Restart();
    EXPECT_GE(f.w.Reconciles(kWeb), 5u) << "from 5 ms on again";
  }
}

// CTRL-F-02: a write is committed and its answer is lost: the controller lowers the expectation,
// and the next sync creates another pod while the cache does not show the first. In the end the
// ReplicaSet has as many pods as it asks for.
TEST(ReplicaSetFailure, AWriteThatTimesOutButHappenedLeadsToASurplusThatGoes) {
  for (const api::Compat compat : kCompats) {
    Failures f(compat);
    int lost = 0;
    f.hooks.AddJudge([&lost](const api::Request& r) {
      client::Mishap mishap;
      const bool create = r.verb == api::Verb::kCreate && r.resource->resource == "pods";
      if (create && lost++ == 0) mishap.kind = client::Mishap::Kind::kAnswerLost;
      return mishap;
    });
    f.w.StartReplicaSets();
    f.w.Freeze("pods");
    f.w.Create("replicasets", ReplicaSetJson("web", 2));
    f.w.Settle();
    EXPECT_THAT(f.w.PodNames(), SizeIs(1)) << "slow start: the second waits for the first's answer";
    f.w.Advance(Seconds(70));
    EXPECT_THAT(f.w.PodNames(), SizeIs(3)) << "one too many";
    f.w.Freeze("pods", false);
    f.w.Settle();
    EXPECT_THAT(f.w.PodNames(), SizeIs(2));
    f.w.Advance(Minutes(10));
    EXPECT_THAT(f.w.PodNames(), SizeIs(2));
  }
}

}  // namespace
}  // namespace ksim
