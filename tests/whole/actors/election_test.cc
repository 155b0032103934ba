// `controllers: [{name: replicaset, replicas: 2}]`: one of two processes leads; fail-over, and
// requests of a former leader.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ksim/client/core/payloads.h"
#include "ksim/scenario/runner.h"
#include "ksim/store/events.h"
#include "ksim/trace/events.h"
#include "tests/scenario/from_text.h"

namespace ksim::scenario {
namespace {

using testing::ElementsAre;

constexpr const char* kTwoReplicas = R"(
apiVersion: ksim.dev/v1
kind: Scenario
spec:
  cluster:
    controllers: [{name: replicaset, replicas: 2}]
  expect:
  - {eventually: {resource: pods, where: "status.phase == Running", count: 3}}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: nginx}]}
)";

Scenario TwoReplicas(api::Compat compat) {
  Scenario scenario = Only(LoadText(kTwoReplicas));
  scenario.compat = compat;
  return scenario;
}

struct Leading {
  std::string process, state;
  VirtualTime at;
};

std::vector<Leading> LeadingOf(const Runner& runner) {
  std::vector<Leading> out;
  for (const sim::Event& e : runner.events()) {
    if (e.kind != sim::EventKind::kActor) continue;
    const auto& actor = e.payload.As<trace::ActorPayload>();
    if (actor.state == "lead" || actor.state == "lose")
      out.push_back({actor.process, actor.state, e.time});
  }
  return out;
}

// CLIENT-141: only the leader runs its controllers and their informers.
TEST(Election, OneOfTwoReplicasLeadsAndOnlyItWatches) {
  for (const api::Compat compat : {api::Compat::k1_25, api::Compat::k1_30, api::Compat::k1_36}) {
    Runner runner(TwoReplicas(compat), RunnerOptions());
    EXPECT_EQ(runner.Run().exit_code, 0);
    const std::vector<Leading> leading = LeadingOf(runner);
    ASSERT_EQ(leading.size(), 1u);
    const std::string leader = leading[0].process;
    EXPECT_THAT(leader, testing::AnyOf("replicaset-0", "replicaset-1"));
    for (const sim::Event& e : runner.events()) {
      const bool replica = e.actor.name().starts_with("replicaset-");
      if (!replica || e.actor.name().starts_with(leader)) continue;
      EXPECT_NE(e.kind, sim::EventKind::kRelist);
      EXPECT_NE(e.kind, sim::EventKind::kReconcile);
    }
  }
}

// CLIENT-120: the leader is killed after it sent its first pod creation, which arrives all the
// same. The other replica takes over when the lease has expired, and creates the missing pods.
TEST(Election, ADeadLeadersLastWriteArrivesAndTheOtherReplicaGoesOn) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Scenario scenario = TwoReplicas(api::Compat::k1_30);
    scenario.seed = seed;
    std::string dead;
    VirtualTime killed;
    Runner runner(scenario, RunnerOptions());  // emits to the end of its life
    sim::Simulation& sim = runner.world().sim();
    sim.bus().Subscribe(sim::Bus::Stage::kTrigger, [&](const sim::Event& e) {
      if (!dead.empty() || e.kind != sim::EventKind::kRequest) return;
      const api::Request& r = e.payload.As<client::RequestPayload>().request;
      if (r.verb != api::Verb::kCreate || r.resource->resource != "pods") return;
      dead = r.client;
      killed = e.time;
      sim.Defer([&sim, dead] { sim.FindProcess(dead)->Kill(); });
    });
    const RunReport report = runner.Run();
    EXPECT_EQ(report.exit_code, 0) << "seed " << seed;
    ASSERT_FALSE(dead.empty());
    std::vector<std::string> made_by;  // the pods, in order
    for (const sim::Event& e : runner.events()) {
      if (e.kind != sim::EventKind::kCommit) continue;
      const auto& commit = e.payload.As<store::CommitPayload>();
      if (commit.op != store::CommitOp::kCreate || !commit.key().starts_with("/registry/pods/"))
        continue;
      if (made_by.empty()) {
        EXPECT_GT(e.time, killed);
      }
      made_by.push_back(std::string(commit.by.name()));
    }
    const std::string other = dead == "replicaset-0" ? "replicaset-1" : "replicaset-0";
    EXPECT_THAT(made_by,
                ElementsAre(dead + "/replicaset", other + "/replicaset", other + "/replicaset"));
    const std::vector<Leading> leading = LeadingOf(runner);
    ASSERT_EQ(leading.size(), 2u);
    EXPECT_EQ(leading[1].process, other);
    EXPECT_GE(leading[1].at - killed, Seconds(10));
    EXPECT_LE(leading[1].at - killed, Seconds(22));
  }
}

// A leader that cannot renew its lease exits, and restarts as a candidate.
TEST(Election, ALeaderCutOffEndsAndComesBackAsACandidate) {
  Scenario scenario = TwoReplicas(api::Compat::k1_30);
  scenario.cluster.api_servers = 2;
  scenario.until = Seconds(60);
  Runner runner(scenario, RunnerOptions());
  sim::Simulation& sim = runner.world().sim();
  const auto set_down = [&](bool down) { runner.world().servers().at(0)->faults().SetDown(down); };
  sim.After(Seconds(10), sim::TimerKind::kPeriodic, "down", [&] { set_down(true); });
  sim.After(Seconds(40), sim::TimerKind::kPeriodic, "up", [&] { set_down(false); });
  EXPECT_EQ(runner.Run().exit_code, 0);
  const std::vector<Leading> leading = LeadingOf(runner);
  ASSERT_GE(leading.size(), 1u);
  if (leading[0].process == "replicaset-0") {  // its server is the one that goes
    ASSERT_EQ(leading.size(), 3u);
    EXPECT_EQ(leading[1].process + " " + leading[1].state, "replicaset-0 lose");
    EXPECT_GE(leading[1].at, VirtualTime() + Seconds(20));
    EXPECT_LE(leading[1].at, VirtualTime() + Milliseconds(22100));
    EXPECT_EQ(leading[2].process + " " + leading[2].state, "replicaset-1 lead");
    EXPECT_GT(leading[2].at, leading[1].at) << "never two at once";
    EXPECT_TRUE(sim.FindProcess("replicaset-0")->alive());
  }
}

}  // namespace
}  // namespace ksim::scenario
