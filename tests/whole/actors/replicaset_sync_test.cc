// One sync of the ReplicaSet controller: creates, deletes, the status, and their order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "ksim/client/core/payloads.h"
#include "ksim/client/rest/fault_hooks.h"
#include "tests/whole/actors/actor_world.h"

namespace ksim {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::size_t Count(const std::vector<std::string>& lines, const std::string& line) {
  return static_cast<std::size_t>(std::count(lines.begin(), lines.end(), line));
}

// CTRL-RS-17: the numbers of POSTs that the controller sends at once: 1, 2, 4, ...
TEST(ReplicaSetSync, CreatesInBatchesThatDouble) {
  ActorWorld w;
  w.Create("replicasets", ReplicaSetJson("web", 20));
  w.StartReplicaSets();
  std::map<VirtualTime, std::size_t> posts;
  for (const sim::Event& e : w.events()) {
    if (e.kind != sim::EventKind::kRequest) continue;
    const api::Request& r = e.payload.As<client::RequestPayload>().request;
    if (r.verb == api::Verb::kCreate && r.resource->resource == "pods") ++posts[e.time];
  }
  std::vector<std::size_t> batches;
  for (const auto& [time, n] : posts) batches.push_back(n);
  EXPECT_THAT(batches, ElementsAre(1, 2, 4, 8, 5));
  EXPECT_THAT(w.PodNames(), SizeIs(20));
}

// CTRL-RS-18, CLIENT-108
TEST(ReplicaSetSync, ACreateInATerminatingNamespaceCountsAsMade) {
  ActorWorld w;
  w.Create("namespaces", R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"doomed"}})");
  const auto in_doomed = [&](api::Verb verb, std::string_view name, std::string_view body) {
    api::Request r = w.api.Request(verb, "replicasets", "doomed", name);
    r.patch_type = api::PatchType::kStrategic;
    if (!body.empty()) r.body = apiserver::Json(body);
    return w.Do(std::move(r)).object;
  };
  in_doomed(api::Verb::kCreate, "", ReplicaSetJson("web", 0));
  w.StartReplicaSets();
  w.Delete("namespaces", "doomed");
  w.Settle();
  w.Forget();
  in_doomed(api::Verb::kPatch, "web", R"({"spec":{"replicas":1}})");
  w.Settle();
  const auto record = w.replicasets().expectations().Get("doomed/web");
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(record->add, 1) << "nobody lowers it";
  EXPECT_THAT(w.EventTexts(), IsEmpty());
  EXPECT_TRUE(in_doomed(api::Verb::kGet, "web", "").status().Get("conditions").is_null());
}

// CTRL-RS-19, CTRL-RS-30, CLIENT-108, CTRL-C-01: a refused creation leads to an Event and a
// condition, and the controller retries with growing delays.
TEST(ReplicaSetSync, ARefusedCreateIsToldAndTriedAgain) {
  for (const api::Compat compat : kCompats) {
    ActorWorld w(compat);
    w.Create("replicasets", ReplicaSetJson("web", 3, "", R"(,"priorityClassName":"nope")"));
    w.StartReplicaSets();
    EXPECT_EQ(w.replicasets().expectations().Get(kWeb)->add, 0);
    const value::Value conditions = w.Get("replicasets", "web").status().Get("conditions");
    ASSERT_EQ(conditions.size(), 1u);
    EXPECT_EQ(conditions.at(0).Get("type").AsString(), "ReplicaFailure");
    EXPECT_EQ(conditions.at(0).Get("reason").AsString(), "FailedCreate");
    const std::vector<std::string> texts = w.EventTexts();
    EXPECT_THAT(texts, Contains(testing::StartsWith("Warning FailedCreate Error creating: ")));
    w.Forget();
    w.Advance(Minutes(5));
    const std::vector<VirtualTime> times = w.ReconcileTimes(kWeb);
    ASSERT_GE(times.size(), 4u);
    for (std::size_t i = 2; i < times.size(); ++i) {
      const std::int64_t gap = (times[i] - times[i - 1]).ns();
      const std::int64_t before = (times[i - 1] - times[i - 2]).ns();
      EXPECT_NEAR(static_cast<double>(gap), 2.0 * static_cast<double>(before),
                  0.1 * static_cast<double>(gap));
    }
  }
}

// CTRL-RS-21, CTRL-RS-22, CTRL-C-09
TEST(ReplicaSetSync, DeletesAllAtOnceWithoutPreconditionsAndTellsOfEach) {
  for (const api::Compat compat : kCompats) {
    ActorWorld w(compat);
    w.Create("replicasets", ReplicaSetJson("web", 4));
    w.StartReplicaSets();
    EXPECT_THAT(w.EventTexts(),
                testing::Each(testing::StartsWith("Normal SuccessfulCreate Created pod: web-")));
    w.Patch("replicasets", "web", R"({"spec":{"replicas":1}})");
    w.Settle();
    std::map<VirtualTime, std::size_t> deletes;
    for (std::size_t i = w.from(); i < w.events().size(); ++i) {
      const sim::Event& e = w.events()[i];
      if (e.kind != sim::EventKind::kRequest) continue;
      const api::Request& r = e.payload.As<client::RequestPayload>().request;
      if (r.verb != api::Verb::kDelete) continue;
      ++deletes[e.time];
      EXPECT_FALSE(r.del.uid.has_value() || r.del.resource_version.has_value());
    }
    ASSERT_THAT(deletes, SizeIs(1));
    EXPECT_EQ(deletes.begin()->second, 3u);
    const std::vector<std::string> texts = w.EventTexts();
    EXPECT_THAT(texts, Contains(testing::StartsWith("Normal SuccessfulDelete Deleted pod: web-")));
  }
}

// CTRL-RS-22: the deletion of a pod that is gone already is no error.
TEST(ReplicaSetSync, AVictimThatIsGoneIsDeletedToo) {
  ActorWorld w;
  w.Create("replicasets", ReplicaSetJson("web", 1));
  w.StartReplicaSets();
  w.Freeze("pods");
  api::DeleteOptions now;
  now.grace_period_seconds = 0;
  w.Delete("pods", w.TheOnlyPod(), now);
  w.Forget();
  w.Patch("replicasets", "web", R"({"spec":{"replicas":0}})");
  w.Settle();
  EXPECT_EQ(w.replicasets().expectations().Get(kWeb)->del, 0);
  for (const sim::Event& e : w.events()) {
    if (e.kind != sim::EventKind::kReconcile) continue;
    EXPECT_THAT(e.payload.As<client::ReconcilePayload>().result, testing::AnyOf("", "ok"));
  }
  EXPECT_THAT(w.EventTexts(), testing::Not(Contains(testing::HasSubstr("FailedDelete"))));
}

// CLIENT-108: no event will tell of a deletion that the server refuses.
TEST(ReplicaSetSync, ARefusedDeletionIsNotWaitedFor) {
  ActorWorld w;
  client::FaultHooks hooks(w.api.sim);
  w.env.faults = &hooks;
  w.Create("replicasets", ReplicaSetJson("web", 1));
  w.StartReplicaSets();
  ASSERT_THAT(w.PodNames(), SizeIs(1));
  int refusals = 1;
  hooks.AddJudge([&](const api::Request& r) {
    client::Mishap mishap;
    if (r.verb != api::Verb::kDelete || refusals-- <= 0) return mishap;
    mishap.kind = client::Mishap::Kind::kRejected;
    mishap.status = api::InternalError("no");
    return mishap;
  });
  w.Patch("replicasets", "web", R"({"spec":{"replicas":0}})");
  w.Advance(Seconds(5));
  EXPECT_LT(refusals, 1);
  EXPECT_THAT(w.PodNames(), SizeIs(0));
  w.api.sim.Shutdown();
}

// CTRL-RS-29: of the pods that are being deleted one has ended, and one has other labels.
TEST(ReplicaSetSync, TerminatingPodsAreThoseSelectedAndNotOver) {
  ActorWorld w(api::Compat::k1_36);
  w.AddNode("n1");
  w.Create("replicasets", ReplicaSetJson("web", 3));
  w.StartReplicaSets();
  const std::vector<std::string> pods = w.PodNames();
  for (const std::string& pod : pods) {
    w.Bind(pod, "n1");
    w.Patch("pods", pod, R"({"metadata":{"finalizers":["example.dev/wait"]}})");
  }
  w.Patch("pods", pods[0], R"({"status":{"phase":"Failed"}})", "status");
  for (const std::string& pod : pods) w.Delete("pods", pod, Grace(600));
  w.Patch("pods", pods[1], R"({"metadata":{"labels":{"app":"other"}}})");
  w.Settle();
  EXPECT_EQ(w.Get("replicasets", "web").status().Get("terminatingReplicas").AsInt(), 1);
}

// CTRL-RS-25: pods of a Deployment's ReplicaSets that share a node are the first to go.
TEST(ReplicaSetSync, TheFullerNodeLosesItsPodFirst) {
  ActorWorld w;
  w.AddNode("crowded");
  w.AddNode("empty");
  const std::string owner =
      R"("ownerReferences":[{"apiVersion":"apps/v1","kind":"Deployment","name":"d","uid":"d1",)"
      R"("controller":true}])";
  for (const char* name : {"web", "old"})
    w.Create("replicasets", ReplicaSetJson(name, std::string_view(name) == "web" ? 2 : 1));
  for (const char* name : {"web", "old"})
    w.Patch("replicasets", name, "{\"metadata\":{" + owner + "}}");
  w.StartReplicaSets();
  std::string crowded;
  bool first = true;
  for (const std::string& pod : w.PodNames()) {
    const bool web = pod.starts_with("web-");
    if (web && first) crowded = pod;
    w.Bind(pod, !web || first ? "crowded" : "empty");
    if (web) first = false;
  }
  w.Settle();
  w.Writes();
  w.Patch("replicasets", "web", R"({"spec":{"replicas":1}})");
  w.Settle();
  EXPECT_THAT(w.Writes(), Contains("delete pods/" + crowded));
}

// CTRL-RS-31, CTRL-RS-28
TEST(ReplicaSetSync, NothingNewIsNotWritten) {
  ActorWorld w;
  w.Create("replicasets", ReplicaSetJson("web", 1));
  w.StartReplicaSets();
  EXPECT_EQ(w.Get("replicasets", "web").status().Get("replicas").AsInt(), 1);
  w.Writes();
  w.Patch("replicasets", "web", R"({"metadata":{"labels":{"a":"b"}}})");
  w.Settle();
  EXPECT_THAT(w.Writes(), ElementsAre());
}

// CTRL-RS-32: a status update that conflicts makes the controller read live and write the same
// status once more.
TEST(ReplicaSetSync, AStatusThatConflictsIsWrittenOnceMoreOnWhatIsThere) {
  ActorWorld w;
  w.Create("replicasets", ReplicaSetJson("web", 1));
  w.StartReplicaSets();
  const std::string pod = w.TheOnlyPod();
  w.Freeze("replicasets");
  w.Patch("replicasets", "web", R"({"metadata":{"labels":{"a":"b"}}})");
  w.Requests({});
  w.MakeReady(pod);
  w.Advance(Milliseconds(500));
  EXPECT_THAT(w.Requests({"replicasets"}),
              ElementsAre("update replicasets/web/status", "get replicasets/web",
                          "update replicasets/web/status"));
  EXPECT_EQ(w.Get("replicasets", "web").status().Get("readyReplicas").AsInt(), 1);
}

// CTRL-RS-32: observedGeneration is that of the cached object, whatever is there by now, and the
// second PUT goes over a newer status.
TEST(ReplicaSetSync, TheStatusIsThatOfTheObjectActedOn) {
  ActorWorld w;
  w.Create("replicasets", ReplicaSetJson("web", 1));
  w.StartReplicaSets();
  const std::string pod = w.TheOnlyPod();
  w.Freeze("replicasets");
  w.Patch("replicasets", "web", R"({"spec":{"minReadySeconds":1}})");
  w.Patch("replicasets", "web", R"({"status":{"replicas":7,"observedGeneration":2}})", "status");
  w.MakeReady(pod);
  w.Advance(Milliseconds(500));
  const api::Object web = w.Get("replicasets", "web");
  EXPECT_EQ(web.generation(), 2);
  EXPECT_EQ(web.status().Get("observedGeneration").AsInt(), 1);
  EXPECT_EQ(web.status().Get("replicas").AsInt(), 1);
  EXPECT_EQ(web.status().Get("readyReplicas").AsInt(), 1);
}

// CTRL-RS-32: any error, not a conflict alone, leads to one GET and one more PUT; a second error is
// the sync's.
TEST(ReplicaSetSync, AStatusIsTriedTwiceWhateverTheErrorAndNotAThirdTime) {
  for (const std::size_t refusals : {1u, 2u}) {
    for (const api::Status& error :
         {api::InternalError("no"), api::BadRequest("no"), api::ServiceUnavailable("no"),
          api::Conflict({"apps", "replicasets"}, "web", "no")}) {
      ActorWorld w;
      client::FaultHooks hooks(w.api.sim);
      w.env.faults = &hooks;
      w.Create("replicasets", ReplicaSetJson("web", 1));
      w.StartReplicaSets();
      const std::string pod = w.TheOnlyPod();
      std::size_t left = refusals;
      std::vector<value::Value> sent;
      hooks.AddJudge([&](const api::Request& r) {
        client::Mishap mishap;
        if (r.verb != api::Verb::kUpdate || r.resource->resource != "replicasets") return mishap;
        sent.push_back(r.body.Get("status"));
        if (left == 0) return mishap;
        --left;
        mishap.kind = client::Mishap::Kind::kRejected;
        mishap.status = error;
        return mishap;
      });
      w.Forget();
      w.MakeReady(pod);
      std::string result;  // of the sync
      w.api.RunUntil([&] {
        const sim::Event& last = w.events().back();
        if (last.kind == sim::EventKind::kReconcile && sent.size() == 2)
          result = last.payload.As<client::ReconcilePayload>().result;
        return !result.empty();
      });
      EXPECT_EQ(result == "ok", refusals == 1) << error.message << result;
      EXPECT_THAT(w.Requests({"replicasets"}),
                  ElementsAre("update replicasets/web/status", "get replicasets/web",
                              "update replicasets/web/status"));
      EXPECT_EQ(sent[0], sent[1]);
      w.Advance(Seconds(5));
      EXPECT_EQ(w.Get("replicasets", "web").status().Get("readyReplicas").AsInt(), 1);
      w.api.sim.Shutdown();
    }
  }
}

// CTRL-RS-34, CTRL-RS-16: a sync claims pods, then creates or deletes pods, then writes the status.
TEST(ReplicaSetSync, ClaimsThenCreatesThenTells) {
  ActorWorld w;
  w.Create("replicasets", ReplicaSetJson("web", 2));
  w.Create("pods", PodJson("orphan"));
  w.StartReplicaSets();
  const std::vector<std::string> writes = w.Writes();
  ASSERT_GE(writes.size(), 3u);
  EXPECT_EQ(writes[0], "patch pods/orphan");
  EXPECT_EQ(writes[1], "create pods");
  EXPECT_EQ(writes[2], "update replicasets/web/status");
}

// CTRL-C-07, CLIENT-106: unmet expectations hold back creates and deletes, not claims and not the
// status.
TEST(ReplicaSetSync, UnmetExpectationsHoldBackPodsOnly) {
  ActorWorld w;
  w.Create("replicasets", ReplicaSetJson("web", 1));
  w.StartReplicaSets();
  const std::string pod = w.TheOnlyPod();
  w.Freeze("pods");
  w.Patch("replicasets", "web", R"({"spec":{"replicas":2}})");
  w.Settle();
  w.Writes();
  w.Patch("replicasets", "web", R"({"spec":{"replicas":3}})");
  w.Settle();
  EXPECT_THAT(w.Writes(), ElementsAre("update replicasets/web/status"));
  EXPECT_EQ(w.Get("replicasets", "web").status().Get("observedGeneration").AsInt(), 3);
  w.Freeze("pods", false);
  w.Settle();
  EXPECT_EQ(Count(w.Writes(), "create pods"), 1u);
  EXPECT_THAT(w.PodNames(), SizeIs(3));
}

// CTRL-RS-33: a pod becomes available when minReadySeconds are over, without another event.
TEST(ReplicaSetSync, AvailabilityComesByItself) {
  for (const api::Compat compat : kCompats) {
    ActorWorld w(compat);
    w.Create("replicasets", ReplicaSetJson("web", 1, R"(,"minReadySeconds":60)"));
    w.StartReplicaSets();
    w.MakeReady(w.TheOnlyPod());
    w.Advance(Seconds(58));
    EXPECT_EQ(w.Get("replicasets", "web").status().Get("readyReplicas").AsInt(), 1);
    EXPECT_EQ(w.Get("replicasets", "web").status().Get("availableReplicas").AsInt(), 0);
    w.Advance(Seconds(6));
    EXPECT_EQ(w.Get("replicasets", "web").status().Get("availableReplicas").AsInt(), 1);
  }
}

// CTRL-C-03
TEST(ReplicaSetSync, NothingIsDoneBeforeAllCachesAreFilled) {
  ActorWorld w;
  w.Create("replicasets", ReplicaSetJson("web", 1));
  const auto down = [&](bool is) { w.api.server(0).faults().SetDown(is); };
  down(true);
  w.StartReplicaSets();
  w.Advance(Seconds(30));
  EXPECT_EQ(w.Reconciles(kWeb), 0u);
  down(false);
  w.Advance(Minutes(1));
  VirtualTime synced, began;
  std::set<std::string> listed;
  for (const sim::Event& e : w.events()) {
    if (e.kind == sim::EventKind::kRelist) {
      listed.insert(e.payload.As<client::RelistPayload>().resource->resource);
      if (listed.size() == 2 && synced == VirtualTime()) synced = e.time;
    }
    if (e.kind == sim::EventKind::kReconcile && began == VirtualTime()) began = e.time;
  }
  EXPECT_THAT(listed, ElementsAre("pods", "replicasets"));
  EXPECT_GE(began, synced);
  EXPECT_THAT(w.PodNames(), SizeIs(1));
}

}  // namespace
}  // namespace ksim
