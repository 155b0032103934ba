// The pods that a ReplicaSet keeps, adopts and releases.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ksim/client/core/payloads.h"
#include "ksim/value/json.h"
#include "tests/whole/actors/actor_world.h"

namespace ksim {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

std::string Owner(const api::Object& rs) {
  return R"({"apiVersion":"apps/v1","kind":"ReplicaSet","name":")" + std::string(rs.name()) +
         R"(","uid":")" + std::string(rs.uid()) + R"(","controller":true})";
}

// CTRL-RS-12, CTRL-RS-13, CTRL-RS-16
TEST(ReplicaSetClaim, CountsWhatIsActiveItsOwnAndMatching) {
  struct Case {
    const char* name;
    const char* labels;
    bool owned;
    const char* phase;
    std::size_t created;  // beside it, for replicas: 1
    std::size_t patched;
  };
  for (const api::Compat compat : kCompats) {
    for (const Case& c : std::vector<Case>{
             {"orphan that matches is adopted", R"({"app":"web"})", false, "Running", 0, 1},
             {"orphan that does not", R"({"app":"x"})", false, "Running", 1, 0},
             {"own that does not match is released", R"({"app":"x"})", true, "Running", 1, 1},
             {"own and failed does not count", R"({"app":"web"})", true, "Failed", 1, 0},
             {"own and succeeded does not count", R"({"app":"web"})", true, "Succeeded", 1, 0},
             {"own and running counts", R"({"app":"web"})", true, "Running", 0, 0}}) {
      ActorWorld w(compat);
      const api::Object rs = w.Create("replicasets", ReplicaSetJson("web", 1));
      w.Create("pods", PodJson("p", c.labels, c.owned ? Owner(rs) : ""));
      w.Patch("pods", "p", R"({"status":{"phase":")" + std::string(c.phase) + R"("}})", "status");
      w.StartReplicaSets();
      const std::vector<std::string> writes = w.Writes();
      EXPECT_EQ(std::count(writes.begin(), writes.end(), "create pods"), c.created) << c.name;
      EXPECT_EQ(std::count(writes.begin(), writes.end(), "patch pods/p"), c.patched) << c.name;
    }
  }
}

// CTRL-RS-12: the controller leaves pods of other owners alone, whatever their labels.
TEST(ReplicaSetClaim, LeavesThePodsOfOthersAlone) {
  ActorWorld w;
  const api::Object other = w.Create("replicasets", ReplicaSetJson("api", 1));
  w.Create("pods", PodJson("p", R"({"app":"web"})",
                           R"({"apiVersion":"apps/v1","kind":"ReplicaSet","name":"x","uid":"y",)"
                           R"("controller":true})"));
  w.Create("replicasets", ReplicaSetJson("web", 0));
  w.StartReplicaSets();
  EXPECT_THAT(w.Writes(), testing::Not(testing::Contains("patch pods/p")));
  EXPECT_FALSE(w.Get("pods", "p").empty());
}

// CTRL-RS-14: a sync reads the ReplicaSet live once, before its first adoption.
TEST(ReplicaSetClaim, AsksTheServerOnceBeforeItAdopts) {
  ActorWorld w;
  w.Create("replicasets", ReplicaSetJson("web", 2));
  w.Create("pods", PodJson("a"));
  w.Create("pods", PodJson("b"));
  w.StartReplicaSets();
  const std::vector<std::string> requests = w.Requests({"replicasets", "pods"});
  ASSERT_GE(requests.size(), 3u);
  EXPECT_EQ(requests[0], "get replicasets/web");
  EXPECT_EQ(std::count(requests.begin(), requests.end(), "get replicasets/web"), 1);
  EXPECT_EQ(requests[1], "patch pods/a");
}

// CTRL-RS-14: if the live ReplicaSet has another uid, the sync adopts nothing and ends.
TEST(ReplicaSetClaim, DoesNotAdoptForAReplicaSetThatIsNoMore) {
  ActorWorld w;
  w.Create("replicasets", ReplicaSetJson("web", 1));
  w.StartReplicaSets();
  w.Freeze("replicasets");
  w.Delete("replicasets", "web");
  w.Create("replicasets", ReplicaSetJson("web", 1));
  w.Writes();
  w.Create("pods", PodJson("orphan"));
  w.Create("pods", PodJson("orphan-2"));
  w.Settle();
  std::set<std::string> results;
  for (std::size_t i = w.from(); i < w.events().size(); ++i) {
    if (w.events()[i].kind != sim::EventKind::kReconcile) continue;
    results.insert(w.events()[i].payload.As<client::ReconcilePayload>().result);
  }
  const auto refused = [](const char* name) {
    return std::string("can't adopt Pod default/") + name +
           " \\([-0-9a-f]+\\): can't recheck DeletionTimestamp: original ReplicaSet default/web is "
           "gone: got uid [-0-9a-f]+, wanted [-0-9a-f]+";
  };
  EXPECT_THAT(results, testing::Contains(testing::MatchesRegex(
                           "error: \\[" + refused("orphan") + ", " + refused("orphan-2") + "\\]")));
  std::vector<std::string> writes = w.Writes();
  EXPECT_THAT(writes, IsEmpty());
  EXPECT_TRUE(w.Get("pods", "orphan").controller() == std::nullopt);
}

// CTRL-RS-35, CTRL-RS-13
TEST(ReplicaSetClaim, AReplicaSetBeingDeletedOnlyKeepsItsStatus) {
  for (const api::Compat compat : kCompats) {
    ActorWorld w(compat);
    w.Create("replicasets", ReplicaSetJson("web", 2));
    w.StartReplicaSets();
    const std::vector<std::string> pods = w.PodNames();
    ASSERT_THAT(pods, SizeIs(2));
    w.Patch("replicasets", "web", R"({"metadata":{"finalizers":["example.dev/wait"]}})");
    w.Delete("replicasets", "web");
    w.Settle();
    w.Writes();
    w.Create("pods", PodJson("orphan"));
    w.Patch("pods", pods[0], R"({"metadata":{"labels":{"app":"x"}}})");
    api::DeleteOptions now;
    now.grace_period_seconds = 0;
    w.Delete("pods", pods[1], now);
    w.Settle();
    for (const std::string& write : w.Writes()) EXPECT_EQ(write, "update replicasets/web/status");
    EXPECT_TRUE(w.Get("pods", pods[0]).controller().has_value());
    EXPECT_FALSE(w.Get("pods", "orphan").controller().has_value());
    EXPECT_EQ(w.Get("replicasets", "web").status().Get("replicas").AsInt(), 0);
  }
}

// CTRL-RS-29, CTRL-RS-12: the sync counts active and terminating pods in the list that it began
// with, so a pod that is marked for deletion during the claims does not count twice.
TEST(ReplicaSetClaim, APodDeletedDuringTheClaimsCountsOnce) {
  ActorWorld w(api::Compat::k1_36);
  w.AddNode("n1");
  w.StartReplicaSets();
  w.Freeze("replicasets");
  const api::Object rs = w.Create("replicasets", ReplicaSetJson("web", 11));
  w.Create("pods", PodJson("own", R"({"app":"web"})", Owner(rs)));
  w.Bind("own", "n1");
  for (char c = 'a'; c <= 'j'; ++c) w.Create("pods", PodJson(std::string("orphan-") + c));
  w.Settle();
  w.Forget();
  const auto first = [&](api::Verb verb) -> const api::Request* {
    for (std::size_t i = w.from(); i < w.events().size(); ++i) {
      const sim::Event& e = w.events()[i];
      if (e.kind != sim::EventKind::kRequest) continue;
      const api::Request& r = e.payload.As<client::RequestPayload>().request;
      if (r.client != "test" && r.verb == verb && r.resource->resource == "replicasets") return &r;
    }
    return nullptr;
  };
  w.Freeze("replicasets", false);
  w.api.RunUntil([&] { return first(api::Verb::kGet) != nullptr; });
  w.Delete("pods", "own");
  w.Settle();
  ASSERT_NE(first(api::Verb::kUpdate), nullptr);
  const value::Value& status = first(api::Verb::kUpdate)->body.Get("status");
  EXPECT_EQ(status.Get("replicas").AsInt(), 11);
  EXPECT_EQ(status.Get("terminatingReplicas").AsInt(), 0);
}

// CTRL-RS-36
TEST(ReplicaSetClaim, TheGenerationMovesWithTheSpecOnly) {
  ActorWorld w;
  w.Create("replicasets", ReplicaSetJson("web", 1));
  w.StartReplicaSets();
  EXPECT_EQ(w.Get("replicasets", "web").generation(), 1);
  EXPECT_EQ(w.Get("replicasets", "web").status().Get("observedGeneration").AsInt(), 1);
  w.Patch("replicasets", "web", R"({"metadata":{"labels":{"a":"b"}}})");
  EXPECT_EQ(w.Get("replicasets", "web").generation(), 1);
  w.Patch("replicasets", "web", R"({"spec":{"replicas":2}})");
  w.Settle();
  EXPECT_EQ(w.Get("replicasets", "web").generation(), 2);
  EXPECT_EQ(w.Get("replicasets", "web").status().Get("observedGeneration").AsInt(), 2);
}

}  // namespace
}  // namespace ksim
