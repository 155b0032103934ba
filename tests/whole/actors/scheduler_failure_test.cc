// An attempt of the scheduler that failed: what becomes of the pod, by what the informer's cache
// says of it then, and what the scheduler tells of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "ksim/client/core/payloads.h"
#include "ksim/client/rest/fault_hooks.h"
#include "tests/whole/actors/actor_world.h"

namespace ksim {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

struct SchedulerFailure : testing::TestWithParam<api::Compat> {
  SchedulerFailure() : w(GetParam()), hooks(w.api.sim) { w.env.faults = &hooks; }
  ~SchedulerFailure() override { w.api.sim.Shutdown(); }
  bool is(api::Compat compat) const { return GetParam() == compat; }

  // The scheduler's requests of that kind since the last Forget.
  std::vector<api::Request> Sent(api::Verb verb, std::string_view sub) {
    std::vector<api::Request> sent;
    for (std::size_t i = w.from(); i < w.events().size(); ++i) {
      if (w.events()[i].kind != sim::EventKind::kRequest) continue;
      const api::Request& r = w.events()[i].payload.As<client::RequestPayload>().request;
      if (r.client == "kube-scheduler" && r.verb == verb && r.subresource == sub) sent.push_back(r);
    }
    return sent;
  }
  std::vector<api::Request> Patches() { return Sent(api::Verb::kPatch, "status"); }
  std::size_t Bindings() { return Sent(api::Verb::kCreate, "binding").size(); }

  // The scheduler wants to bind the pod p to the node n1 and is held up. Somebody does `change` to
  // p meanwhile, which the scheduler sees before its request fails.
  void FailToBind(const std::function<void()>& change) {
    if (w.Get("pods", "p").empty()) w.Create("pods", PodJson("p"));
    w.AddNode("n1", "1");
    client::Gate& gate = hooks.AccessGate("kube-scheduler", client::Access::kWrite);
    gate.Close();
    w.StartScheduler();
    w.Settle();
    change();
    w.Settle();
    w.Forget();
    gate.Open();
    w.Advance(Milliseconds(300));
    EXPECT_GE(Bindings(), 1u);
  }
  // The Warning and the condition, and no more than one of each.
  void ExpectTold(std::string_view reason) {
    const std::vector<api::Request> patches = Patches();
    ASSERT_THAT(patches, SizeIs(1));
    const value::Value& condition = patches[0].body.Get("status").Get("conditions").at(0);
    EXPECT_EQ(condition.Get("type").AsString(), "PodScheduled");
    EXPECT_EQ(condition.Get("status").AsString(), "False");
    EXPECT_EQ(condition.Get("reason").AsString(), reason);
    const std::string message(condition.Get("message").AsString());
    EXPECT_THAT(w.EventTexts(), Contains("Warning FailedScheduling " + message));
  }

  // Neither a binding nor a word.
  void ExpectNoOtherAttempt() {
    w.Advance(Seconds(1));
    w.Forget();
    w.Advance(Minutes(7));
    EXPECT_EQ(Bindings(), 0u);
    EXPECT_THAT(Patches(), IsEmpty());
    EXPECT_THAT(w.Requests({"events"}), IsEmpty());
  }

  ActorWorld w;
  client::FaultHooks hooks;
};

INSTANTIATE_TEST_SUITE_P(Compat, SchedulerFailure, testing::ValuesIn(kCompats),
                         [](const auto& info) { return std::to_string(int(info.param)); });

// SCHED-25: a pod that is gone by now, or has a node, is not queued again; the event and the PATCH
// are sent all the same.
TEST_P(SchedulerFailure, APodThatIsGoneIsToldOfAndNotQueued) {
  FailToBind([this] { w.Delete("pods", "p", Grace(0)); });
  ExpectTold("SchedulerError");
  ExpectNoOtherAttempt();
}

TEST_P(SchedulerFailure, APodThatIsBoundByNowIsToldOfAndNotQueued) {
  FailToBind([this] { w.Bind("p", "elsewhere"); });
  ExpectTold("SchedulerError");
  ExpectNoOtherAttempt();
}

// SCHED-25: a pod that is there and has no node is queued again, as the cache has it.
TEST_P(SchedulerFailure, APodThatIsStillThereIsQueuedAgain) {
  int refusals = 1;
  hooks.AddJudge([&](const api::Request& r) {
    client::Mishap mishap;
    if (r.subresource != "binding" || refusals-- <= 0) return mishap;
    mishap.kind = client::Mishap::Kind::kRejected;
    mishap.status = api::InternalError("no");
    return mishap;
  });
  FailToBind([this] { w.Patch("pods", "p", R"({"metadata":{"labels":{"seen":"late"}}})"); });
  ExpectTold("SchedulerError");
  w.Advance(Minutes(7));
  EXPECT_EQ(w.NodeOf("p"), "n1");
}

// SCHED-25: another pod of that name is there. 1.36 goes by the UID and says nothing; before, the
// scheduler takes the new pod for the old one.
TEST_P(SchedulerFailure, OfAPodMadeAnewNothingIsToldFrom136On) {
  FailToBind([this] {
    w.Delete("pods", "p", Grace(0));
    w.Create("pods", PodJson("p"));
  });
  if (is(api::Compat::k1_36)) {
    EXPECT_THAT(Patches(), IsEmpty());
    EXPECT_THAT(w.EventTexts(), Not(Contains(testing::HasSubstr("FailedScheduling"))));
  } else {
    ExpectTold("SchedulerError");
  }
  w.Advance(Seconds(30));
  EXPECT_EQ(w.NodeOf("p"), "n1") << "the new pod has an attempt of its own";
}

// SCHED-25: the condition of a pod that fits nowhere. A second attempt that ends in the same way is
// an event and no PATCH.
TEST_P(SchedulerFailure, TheConditionIsPatchedOnlyIfItChanges) {
  w.AddNode("n1", "0");
  w.AddNode("n2", "0");
  w.StartScheduler();
  w.Forget();
  const api::Object pod = w.Create("pods", PodJson("p"));
  w.Settle();
  const std::vector<api::Request> patches = Patches();
  ASSERT_THAT(patches, SizeIs(1));
  const value::Value condition = w.Get("pods", "p").status().Get("conditions").at(0);
  EXPECT_EQ(condition.Get("type").AsString(), "PodScheduled");
  EXPECT_EQ(condition.Get("status").AsString(), "False");
  EXPECT_EQ(condition.Get("reason").AsString(), "Unschedulable");
  const std::string message(condition.Get("message").AsString());
  EXPECT_THAT(message, testing::StartsWith("0/2 nodes are available: 2 Too many pods. "));
  EXPECT_THAT(message, testing::HasSubstr("preemption: 0/2 nodes are available: "));
  EXPECT_EQ(condition.Get("observedGeneration").AsInt(), is(api::Compat::k1_36) ? 1 : 0);
  EXPECT_THAT(w.EventTexts(), ElementsAre("Warning FailedScheduling " + message));
  w.Advance(Minutes(7));
  EXPECT_THAT(Sent(api::Verb::kCreate, "").size() + Sent(api::Verb::kPatch, "").size(),
              testing::Ge(1u))
      << "another attempt, which an event tells";
  EXPECT_THAT(Patches(), IsEmpty());
  w.Forget();
  w.AddNode("n3", "0");
  w.Advance(Minutes(7));
  EXPECT_THAT(Patches(), SizeIs(1)) << "0/3 nodes is another message";
}

// SCHED-25: an error takes the nomination back, in the pod's status too.
TEST_P(SchedulerFailure, AnErrorTakesTheNominationBack) {
  w.Create("pods", PodJson("p"));
  w.Patch("pods", "p", R"({"status":{"nominatedNodeName":"n9"}})", "status");
  FailToBind([this] { w.Delete("pods", "p", Grace(0)); });
  const std::vector<api::Request> patches = Patches();
  ASSERT_THAT(patches, SizeIs(1));
  const value::Value& status = patches[0].body.Get("status");
  EXPECT_TRUE(status.Has("nominatedNodeName"));
  EXPECT_TRUE(status.Get("nominatedNodeName").is_null());
}

}  // namespace
}  // namespace ksim
