// The scheduler on real API servers: the pods that it takes, the events that wake it, and its
// binding.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "ksim/client/core/payloads.h"
#include "ksim/client/rest/fault_hooks.h"
#include "tests/whole/actors/actor_world.h"

namespace ksim {
namespace {

using testing::Contains;
using testing::ElementsAre;

// The pod `first` takes the only place, and the scheduler rejects the pod `second`.
void CrowdOut(ActorWorld& w) {
  w.AddNode("n1", "1");
  w.StartScheduler();
  w.Create("pods", PodJson("first"));
  w.Settle();
  w.Create("pods", PodJson("second"));
  w.Advance(Seconds(20));
}

// SCHED-01
TEST(SchedulerActor, TakesWhatIsItsOwnAndHasNoNode) {
  for (const api::Compat compat : kCompats) {
    ActorWorld w(compat);
    w.AddNode("n1");
    w.StartScheduler();
    w.Create("pods", PodJson("mine"));
    w.Create("pods", PodJson("named", "{}", "", R"(,"schedulerName":"default-scheduler")"));
    w.Create("pods", PodJson("others", "{}", "", R"(,"schedulerName":"another")"));
    w.Create("pods", PodJson("bound", "{}", "", R"(,"nodeName":"elsewhere")"));
    w.Settle();
    EXPECT_EQ(w.NodeOf("mine"), "n1");
    EXPECT_EQ(w.NodeOf("named"), "n1");
    EXPECT_EQ(w.NodeOf("others"), "");
    EXPECT_EQ(w.NodeOf("bound"), "elsewhere");
    EXPECT_THAT(w.Writes(), ElementsAre("create pods/mine/binding", "create pods/named/binding"));
  }
}

// SCHED-01: a waiting pod that somebody else binds leaves the queue and counts on its node.
TEST(SchedulerActor, APodBoundByAnotherLeavesTheQueueAndTakesItsRoom) {
  ActorWorld w;
  w.StartScheduler();
  w.Create("pods", PodJson("p"));
  w.Settle();
  w.Bind("p", "n1");
  w.Writes();
  w.AddNode("n1", "1");
  w.Create("pods", PodJson("q"));
  w.Advance(Seconds(30));
  EXPECT_THAT(w.Writes(), testing::Not(Contains("create pods/p/binding")));
  EXPECT_EQ(w.NodeOf("q"), "") << "p has the only place";
}

// SCHED-09, SCHED-06: events in the cluster make the scheduler try a rejected pod again, in all
// versions.
TEST(SchedulerActor, AChangeThatMayHelpTriesARejectedPodAgain) {
  struct Case {
    const char* name;
    std::function<void(ActorWorld&)> change;
  };
  for (const api::Compat compat : kCompats) {
    for (const Case& c : std::vector<Case>{
             {"a new node", [](ActorWorld& w) { w.AddNode("n2"); }},
             {"a node that can be scheduled again",
              [](ActorWorld& w) { w.Patch("nodes", "n1", R"({"spec":{"unschedulable":null}})"); }},
         }) {
      ActorWorld w(compat);
      w.AddNode("n1");
      w.Patch("nodes", "n1", R"({"spec":{"unschedulable":true}})");
      w.StartScheduler();
      w.Create("pods", PodJson("p"));
      w.Advance(Seconds(20));
      EXPECT_EQ(w.NodeOf("p"), "") << c.name;
      c.change(w);
      w.Settle();
      EXPECT_NE(w.NodeOf("p"), "") << c.name;
    }
    ActorWorld w(compat);
    CrowdOut(w);
    EXPECT_EQ(w.NodeOf("second"), "");
    api::DeleteOptions now;
    now.grace_period_seconds = 0;
    w.Delete("pods", "first", now);
    w.Advance(Seconds(15));  // the mark before the delete may have cost it an attempt
    EXPECT_EQ(w.NodeOf("second"), "n1") << "a pod that made room";
  }
}

// SCHED-06, SCHED-05: in a cluster without nodes no plugin has rejected the pod. From 1.30 on the
// pod returns after its back-off alone, which a new node does not cut short in 1.36; in 1.25 it
// waits for an event.
TEST(SchedulerActor, WithoutNodesAPodIsTriedAgainByItsBackoff) {
  for (const api::Compat compat : kCompats) {
    ActorWorld w(compat);
    w.StartScheduler();
    w.Create("pods", PodJson("p"));
    w.Settle();
    w.Forget();
    w.Advance(Seconds(5));
    const bool tried = compat != api::Compat::k1_25;
    EXPECT_EQ(!w.Requests({"events"}).empty(), tried) << "an attempt is told";
    w.Forget();
    // The node comes right after an attempt.
    for (int i = 0; tried && i < 200 && w.Requests({"events"}).empty(); ++i)
      w.Advance(Milliseconds(50));
    w.AddNode("n1");
    w.Advance(Milliseconds(500));
    EXPECT_EQ(w.NodeOf("p"), compat == api::Compat::k1_25 ? "n1" : "");
    w.Advance(Seconds(10));
    EXPECT_EQ(w.NodeOf("p"), "n1");
  }
}

// SCHED-07: with hints (1.36) only an event that can help leads to another attempt; before, any
// event that the rejecting plugin registered for does, if the pod has a chance on the event's node.
TEST(SchedulerActor, AChangeThatCannotHelpIsTriedOnlyWithoutHints) {
  for (const api::Compat compat : kCompats) {
    ActorWorld w(compat);
    w.AddNode("n1");
    w.Patch("nodes", "n1", R"({"spec":{"unschedulable":true}})");
    w.StartScheduler();
    w.Create("pods", PodJson("p", "{}", "", R"(,"nodeSelector":{"disk":"ssd"})"));
    w.Advance(Seconds(20));
    const auto tried = [&](const char* taints) {
      w.Forget();
      w.Patch("nodes", "n1", fmt::format(R"({{"spec":{{"taints":[{}]}}}})", taints));
      w.Advance(Seconds(15));
      return !w.Requests({"events"}).empty();  // an attempt is told
    };
    constexpr const char* kTaint = R"({"key":"k","effect":"PreferNoSchedule"})";
    EXPECT_FALSE(tried(kTaint)) << "no disk";
    w.Patch("nodes", "n1", R"({"metadata":{"labels":{"disk":"ssd"}}})");
    w.Advance(Seconds(15));
    EXPECT_EQ(tried(""), compat != api::Compat::k1_36) << "a disk";
    w.Patch("nodes", "n1", R"({"spec":{"unschedulable":null}})");
    w.Advance(Seconds(15));
    EXPECT_EQ(w.NodeOf("p"), "n1");
  }
}

// SCHED-09, SCHED-07: the scheduler does not try a waiting pod again after an update that changes
// nothing for it: one of another pod, of a node that stays full, of its own labels. Without hints
// any update of the pod itself leads to another attempt.
TEST(SchedulerActor, AnUpdateThatChangesNothingTriesNoPod) {
  struct Case {
    const char* name;
    std::function<void(ActorWorld&)> change;
    bool tried_without_hints = false;
  };
  for (const api::Compat compat : kCompats) {
    ActorWorld w(compat);
    CrowdOut(w);
    for (const Case& c : std::vector<Case>{
             {"the status of a running pod",
              [](ActorWorld& w) { w.Patch("pods", "first", R"({"status":{"phase":"Running"}})"); }},
             {"the labels of a pod with a place",
              [](ActorWorld& w) {
                w.Patch("pods", "first", R"({"metadata":{"labels":{"a":"b"}}})");
              }},
             {"the labels of a full node",
              [](ActorWorld& w) {
                w.Patch("nodes", "n1", R"({"metadata":{"labels":{"a":"b"}}})");
              }},
             {"a full node is cordoned",
              [](ActorWorld& w) { w.Patch("nodes", "n1", R"({"spec":{"unschedulable":true}})"); }},
             {"a node without room", [](ActorWorld& w) { w.AddNode("n2", "0"); }},
             {"its own labels",
              [](ActorWorld& w) {
                w.Patch("pods", "second", R"({"metadata":{"labels":{"a":"b"}}})");
              },
              true}}) {
      w.Forget();
      c.change(w);
      w.Advance(Seconds(15));
      const bool tried = c.tried_without_hints && compat != api::Compat::k1_36;
      EXPECT_EQ(!w.Requests({"events"}).empty(), tried) << c.name;
    }
  }
}

// SCHED-12, SCHED-13: the scheduler takes one pod at a time; the second attempt sees the first
// pod's node as taken before the binding is written.
TEST(SchedulerActor, PodsThatComeTogetherDoNotShareAPlace) {
  for (const api::Compat compat : kCompats) {
    ActorWorld w(compat);
    w.AddNode("n1", "1");
    w.AddNode("n2", "1");
    for (const char* pod : {"a", "b", "c"}) w.Create("pods", PodJson(pod));
    w.StartScheduler();
    w.Settle();
    std::vector<std::string> nodes;
    for (const char* pod : {"a", "b", "c"}) nodes.push_back(w.NodeOf(pod));
    std::sort(nodes.begin(), nodes.end());
    EXPECT_THAT(nodes, ElementsAre("", "n1", "n2"));
  }
}

// SCHED-13, SCHED-25: the next cycle begins once the API server has received this pod's request.
TEST(SchedulerActor, SaysOfOnePodAtATimeThatItFitsNowhere) {
  for (const api::Compat compat : kCompats) {
    ActorWorld w(compat);
    w.AddNode("n1", "0");
    for (const char* pod : {"a", "b", "c"}) w.Create("pods", PodJson(pod));
    w.StartScheduler();
    w.Settle();
    std::set<std::uint64_t> open;
    std::size_t patches = 0;
    for (const sim::Event& e : w.events()) {
      if (e.kind == sim::EventKind::kResponse)
        open.erase(e.payload.As<client::ResponsePayload>().id);
      if (e.kind != sim::EventKind::kRequest) continue;
      const api::Request& r = e.payload.As<client::RequestPayload>().request;
      if (r.verb != api::Verb::kPatch || r.client != "kube-scheduler") continue;
      EXPECT_TRUE(open.empty()) << r.name.view();
      open.insert(r.id);
      ++patches;
    }
    EXPECT_EQ(patches, 3u);
  }
}

// SCHED-25: the versions differ in the refusals of the PATCH that they retry, four tries in all.
TEST(SchedulerActor, TriesAgainToSayThatAPodFitsNowhere) {
  struct Case {
    api::Status refusal;
    std::size_t tries[3];  // 1.25, 1.30, 1.36
  };
  api::Status refused = api::ConnectionRefused();
  for (const Case& c : {Case{refused, {4, 4, 4}}, Case{api::InternalError("no"), {1, 4, 4}},
                        Case{api::ServiceUnavailable("no"), {1, 4, 4}},
                        Case{api::Conflict({"", "pods"}, "p", "no"), {1, 1, 4}},
                        Case{api::BadRequest("no"), {1, 1, 1}}}) {
    for (std::size_t i = 0; i < 3; ++i) {
      ActorWorld w(kCompats[i]);
      client::FaultHooks hooks(w.api.sim);
      w.env.faults = &hooks;
      w.AddNode("n1", "0");
      w.StartScheduler();
      std::vector<VirtualTime> tries;
      hooks.AddJudge([&](const api::Request& r) {
        client::Mishap mishap;
        if (r.verb != api::Verb::kPatch || r.name != "p") return mishap;
        tries.push_back(w.api.sim.now());
        const bool refuse = c.refusal.code == 0;
        mishap.kind = refuse ? client::Mishap::Kind::kRefused : client::Mishap::Kind::kRejected;
        mishap.status = c.refusal;
        return mishap;
      });
      w.Create("pods", PodJson("p"));
      w.Settle();
      ASSERT_EQ(tries.size(), c.tries[i]) << c.refusal.reason << i;
      for (std::size_t n = 1; n < tries.size(); ++n) {
        const Duration least = Milliseconds(n == 1 ? 10 : n == 2 ? 50 : 250);
        EXPECT_GE(tries[n] - tries[n - 1], least);
        EXPECT_LT(tries[n] - tries[n - 1], least * 2);
      }
      w.api.sim.Shutdown();
    }
  }
}

// SCHED-15: 1.25 has no gates.
TEST(SchedulerActor, APodWithAGateWaitsFrom130On) {
  for (const api::Compat compat : kCompats) {
    ActorWorld w(compat);
    w.AddNode("n1");
    w.StartScheduler();
    w.Create("pods", PodJson("p", "{}", "", R"(,"schedulingGates":[{"name":"example.dev/wait"}])"));
    w.Advance(Seconds(30));
    EXPECT_EQ(w.NodeOf("p"), compat == api::Compat::k1_25 ? "n1" : "");
  }
}

// SCHED-13: a bind that fails forgets the assumed pod, and others get its place.
TEST(SchedulerActor, AFailedBindGivesThePlaceBack) {
  for (const api::Compat compat : kCompats) {
    ActorWorld w(compat);
    w.StartScheduler();
    w.Create("pods", PodJson("p"));
    w.Settle();
    w.Freeze("pods");
    api::DeleteOptions now;
    now.grace_period_seconds = 0;
    w.Delete("pods", "p", now);
    w.AddNode("n1", "1");
    w.Advance(Seconds(15));
    std::string message;  // of the last condition that it sent
    for (const sim::Event& e : w.events()) {
      if (e.kind != sim::EventKind::kRequest) continue;
      const api::Request& r = e.payload.As<client::RequestPayload>().request;
      const value::Value& condition = r.body.Get("status").Get("conditions").at(0);
      if (!condition.is_null()) message = condition.Get("message").AsString();
    }
    EXPECT_EQ(message, std::string(compat == api::Compat::k1_25 ? "binding rejected: " : "") +
                           R"(running Bind plugin "DefaultBinder": pods "p" not found)");
    w.Freeze("pods", false);
    w.Settle();
    w.Create("pods", PodJson("q"));
    w.Settle();
    EXPECT_EQ(w.NodeOf("q"), "n1");
  }
}

// SCHED-25: the scheduler cuts the note of the event and marks the cut; it leaves the condition
// whole.
TEST(SchedulerActor, ALongReasonIsCutInTheEvent) {
  ActorWorld w(api::Compat::k1_30);
  for (int i = 10; i < 30; ++i) {
    const std::string node = fmt::format("n{}", i);
    w.AddNode(node);
    w.Patch("nodes", node,
            fmt::format(R"({{"spec":{{"taints":[{{"key":"key-{}","value":"{}",
                             "effect":"NoSchedule"}}]}}}})",
                        i, std::string(30, 'v')));
  }
  w.StartScheduler();
  w.Forget();
  w.Create("pods", PodJson("p"));
  w.Settle();
  const std::string message(
      w.Get("pods", "p").status().Get("conditions").at(0).Get("message").AsString());
  ASSERT_GT(message.size(), 1024u);
  EXPECT_THAT(w.EventTexts(),
              ElementsAre("Warning FailedScheduling " + message.substr(0, 1020) + " ..."));
}

// SCHED-26
TEST(SchedulerActor, BindsByNameAndUidAndTellsOfIt) {
  for (const api::Compat compat : kCompats) {
    ActorWorld w(compat);
    w.AddNode("n1");
    w.StartScheduler();
    w.Forget();
    const api::Object pod = w.Create("pods", PodJson("p"));
    w.Settle();
    const api::Request* bind = nullptr;
    for (std::size_t i = w.from(); i < w.events().size(); ++i) {
      if (w.events()[i].kind != sim::EventKind::kRequest) continue;
      const api::Request& r = w.events()[i].payload.As<client::RequestPayload>().request;
      if (r.subresource == "binding") bind = &r;
    }
    ASSERT_NE(bind, nullptr);
    EXPECT_EQ(bind->body.Get("metadata").Get("uid").AsString(), pod.uid());
    EXPECT_EQ(bind->body.Get("target").Get("name").AsString(), "n1");
    EXPECT_THAT(w.EventTexts(), Contains("Normal Scheduled Successfully assigned default/p to n1"));
    const api::Object bound = w.Get("pods", "p");
    EXPECT_EQ(bound.generation(), pod.generation());
    const value::Value& condition = bound.status().Get("conditions").at(0);
    EXPECT_EQ(condition.Get("type").AsString(), "PodScheduled");
    EXPECT_EQ(condition.Get("status").AsString(), "True");
    EXPECT_FALSE(condition.Has("observedGeneration"));
  }
}

}  // namespace
}  // namespace ksim
