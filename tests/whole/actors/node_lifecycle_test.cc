// The node lifecycle controller against real API servers; the test is the kubelets.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ksim/api/node.h"
#include "ksim/api/pod.h"
#include "ksim/client/core/payloads.h"
#include "ksim/controllers/common/node_writes.h"
#include "ksim/controllers/nodelifecycle/node_lifecycle_controller.h"
#include "ksim/value/json.h"
#include "ksim/value/timestamp.h"
#include "tests/whole/actors/actor_world.h"

namespace ksim {
namespace {

using controllers::NodeLifecycleController;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

class NodeLifecycle : public testing::Test {
 protected:
  void Begin(api::Compat compat) {
    compat_ = compat;
    w_ = std::make_unique<ActorWorld>(compat);
  }
  ActorWorld& w() { return *w_; }

  void StartController() {
    start_ = w().api.sim.now();
    w().StartController("nodes", [this](controllers::ControllerContext context) {
      auto controller = std::make_unique<NodeLifecycleController>(std::move(context));
      controller_ = controller.get();
      return controller;
    });
  }
  Duration Grace() const { return compat_ == api::Compat::k1_36 ? Seconds(50) : Seconds(40); }

  // A heartbeat of a kubelet that says that its node is ready, or is not.
  void Beat(const std::string& node, const char* status = "True") {
    w().Patch("nodes", node,
              fmt::format(R"({{"status":{{"conditions":[{{"type":"Ready","status":"{}",
                  "reason":"Kubelet","lastHeartbeatTime":"{}"}}]}}}})",
                          status, value::FormatTimestamp(w().api.sim.now())),
              "status");
  }
  // Time passes in which these nodes are alive.
  void Run(Duration d, const std::vector<std::string>& alive) {
    const VirtualTime end = w().api.sim.now() + d;
    while (w().api.sim.now() < end) {
      for (const std::string& node : alive) Beat(node);
      w().Advance(std::min(Seconds(9), end - w().api.sim.now()));
    }
  }
  std::string Ready(std::string_view node) {
    return std::string(api::NodeView(w().Get("nodes", node)).ready_status());
  }
  bool HasTaint(std::string_view node, const char* key, const char* effect) {
    return api::NodeView(w().Get("nodes", node))
        .HasTaint(std::string("node.kubernetes.io/") + key, effect);
  }
  // When the controller sent writes of that kind.
  std::vector<Duration> TimesOf(api::Verb verb, std::string_view resource, std::string_view name,
                                std::string_view has = "") {
    std::vector<Duration> times;
    for (const sim::Event& e : w().events()) {
      if (e.kind != sim::EventKind::kRequest) continue;
      const api::Request& r = e.payload.As<client::RequestPayload>().request;
      if (r.verb != verb || r.resource->resource != resource || r.name.view() != name) continue;
      if (!has.empty() && value::ToJson(r.body).find(has) == std::string::npos) continue;
      times.push_back(e.time - start_);
    }
    return times;
  }

  api::Compat compat_{};
  std::unique_ptr<ActorWorld> w_;
  NodeLifecycleController* controller_ = nullptr;
  VirtualTime start_;
};

// CTRL-NL-01, CTRL-NL-03, CTRL-NL-04, CTRL-NL-09: a node falls silent among others.
TEST_F(NodeLifecycle, ASilentNodeIsMarkedTaintedAndItsPodsAreNotReady) {
  for (const api::Compat compat : kCompats) {
    Begin(compat);
    w().AddNode("a");
    w().AddNode("b");
    w().Create("pods", PodJson("p"));
    w().Bind("p", "a");
    w().MakeReady("p");
    w().Create("pods", PodJson("pending"));
    StartController();
    const controllers::Heartbeats silent_a = [] {
      controllers::Heartbeats h;
      h.silent.insert("a");
      h.heard.insert("b");
      return h;
    }();
    EXPECT_TRUE(controller_->HasWorkAhead(silent_a));
    EXPECT_FALSE(controller_->HasWorkAhead({}));
    Run(Grace() - Seconds(2), {"b"});
    EXPECT_EQ(Ready("a"), "True");
    w().Forget();
    Run(Seconds(12), {"b"});
    EXPECT_EQ(Ready("a"), "Unknown");
    EXPECT_EQ(Ready("b"), "True");

    // The look after the one at which the grace was exactly over.
    const std::vector<Duration> marked = TimesOf(api::Verb::kUpdate, "nodes", "a");
    ASSERT_EQ(marked.size(), 1u);
    EXPECT_GT(marked[0], Grace());
    EXPECT_LT(marked[0], Grace() + Seconds(6));

    EXPECT_FALSE(api::PodView(w().Get("pods", "p")).ready());
    EXPECT_TRUE(HasTaint("a", "unreachable", "NoSchedule"));
    EXPECT_TRUE(HasTaint("a", "unreachable", "NoExecute"));
    EXPECT_FALSE(HasTaint("b", "unreachable", "NoSchedule"));
    EXPECT_THAT(w().EventTexts(), testing::UnorderedElementsAre(
                                      "Normal NodeNotReady Node a status is now: NodeNotReady",
                                      "Warning NodeNotReady Node is not ready"));
    EXPECT_FALSE(controller_->HasWorkAhead(silent_a)) << "all is done";

    // The NoExecute taint comes with the same look in 1.36, with the next one before.
    const std::vector<Duration> tainted = TimesOf(api::Verb::kPatch, "nodes", "a", "NoExecute");
    ASSERT_GE(tainted.size(), 1u);
    if (compat == api::Compat::k1_36)
      EXPECT_LT(tainted[0] - marked[0], Seconds(1));
    else
      EXPECT_GT(tainted[0] - marked[0], Seconds(4));

    // Back again: the kubelet says so, and the taints go.
    Beat("a");
    w().Advance(Seconds(6));
    EXPECT_EQ(w().Get("nodes", "a").spec().Get("taints").size(), 0u);
    w().Forget();
    Run(Seconds(30), {"a", "b"});
    EXPECT_THAT(w().Requests({"nodes", "pods"}), IsEmpty());
  }
}

// CTRL-NL-14
TEST_F(NodeLifecycle, LooksThatFindNothingAskNobody) {
  Begin(api::Compat::k1_30);
  w().AddNode("a");
  StartController();
  w().Forget();
  Run(Minutes(3), {"a"});
  EXPECT_THAT(w().Requests({"nodes", "pods", "leases", "events"}), IsEmpty());
  EXPECT_EQ(w().api.sim.pending_work(), 0u);
}

// CTRL-NL-02: a lease alone keeps a node alive.
TEST_F(NodeLifecycle, ALeaseIsASignOfLife) {
  Begin(api::Compat::k1_30);
  w().AddNode("a");
  w().AddNode("b");
  api::Request make = w().api.Request(api::Verb::kCreate, "leases", "kube-node-lease", "");
  make.body = apiserver::Json(fmt::format(
      R"({{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{{"name":"a"}},
          "spec":{{"holderIdentity":"a","renewTime":"{}"}}}})",
      value::FormatMicroTime(w().api.sim.now())));
  ASSERT_EQ(w().Do(std::move(make)).code, 201);
  StartController();
  for (int i = 0; i < 8; ++i) {
    api::Request renew = w().api.Request(api::Verb::kPatch, "leases", "kube-node-lease", "a");
    renew.patch_type = api::PatchType::kMerge;
    // A clock that is far behind is no matter, as long as it goes on.
    renew.body = apiserver::Json(fmt::format(
        R"({{"spec":{{"renewTime":"{}"}}}})",
        value::FormatMicroTime(w().api.sim.now() + (i == 0 ? Duration() : Seconds(1)))));
    ASSERT_EQ(w().Do(std::move(renew)).code, 200);
    w().Advance(Seconds(10));
  }
  EXPECT_EQ(Ready("a"), "True");
  EXPECT_EQ(Ready("b"), "Unknown");
}

// CTRL-NL-03
TEST_F(NodeLifecycle, AConflictIsAnsweredByALiveRead) {
  Begin(api::Compat::k1_30);
  w().AddNode("a");
  w().AddNode("b");
  StartController();
  Run(Seconds(30), {"b"});
  w().Freeze("nodes");
  w().Patch("nodes", "a", R"({"metadata":{"labels":{"x":"y"}}})");
  w().Forget();
  w().Advance(Seconds(17));
  EXPECT_EQ(Ready("a"), "Unknown");
  EXPECT_THAT(
      w().Requests({"nodes"}),
      testing::IsSupersetOf({"update nodes/a/status", "get nodes/a", "update nodes/a/status"}));
  EXPECT_EQ(w().Get("nodes", "a").Label("x"), "y");
}

// CTRL-NL-05
TEST_F(NodeLifecycle, APodThatComesToASilentNodeIsMarked) {
  Begin(api::Compat::k1_36);
  w().AddNode("a");
  w().AddNode("b");
  StartController();
  Run(Seconds(70), {"b"});
  ASSERT_EQ(Ready("a"), "Unknown");
  w().Create("pods", PodJson("p"));
  w().MakeReady("p");
  w().Forget();
  w().Bind("p", "a");
  w().Settle();
  EXPECT_FALSE(api::PodView(w().Get("pods", "p")).ready());
  EXPECT_THAT(w().EventTexts(), ElementsAre("Warning NodeNotReady Node is not ready"));
}

// CTRL-NL-06
TEST_F(NodeLifecycle, NodesThatComeAndGoAreTold) {
  Begin(api::Compat::k1_30);
  w().AddNode("a");
  w().Patch("nodes", "a", R"({"spec":{"taints":[
      {"key":"node.kubernetes.io/unreachable","effect":"NoExecute"},
      {"key":"mine","effect":"NoExecute"}]}})");
  StartController();
  EXPECT_FALSE(HasTaint("a", "unreachable", "NoExecute"));
  EXPECT_EQ(w().Get("nodes", "a").spec().Get("taints").size(), 1u);
  w().Delete("nodes", "a");
  w().Advance(Seconds(6));
  EXPECT_THAT(w().EventTexts(),
              ElementsAre("Normal RegisteredNode Node a event: Registered Node a in Controller",
                          "Normal RemovingNode Node a event: Removing Node a from Controller"));
}

// CTRL-NL-07
TEST_F(NodeLifecycle, NoScheduleTaintsFollowConditions) {
  for (const api::Compat compat : kCompats) {
    Begin(compat);
    w().AddNode("a");
    w().Patch("nodes", "a", R"({"spec":{"taints":[
        {"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"},
        {"key":"mine","effect":"NoSchedule"}]}})");
    StartController();
    EXPECT_FALSE(HasTaint("a", "not-ready", "NoSchedule"));
    w().Forget();
    w().Patch("nodes", "a", R"({"spec":{"unschedulable":true}})");
    w().Settle();
    EXPECT_TRUE(HasTaint("a", "unschedulable", "NoSchedule"));
    EXPECT_THAT(w().Requests({"nodes"}), ElementsAre("get nodes/a", "patch nodes/a"));
    const value::Value taints = w().Get("nodes", "a").spec().Get("taints");
    EXPECT_EQ(taints.size(), 2u);
    EXPECT_EQ(taints.at(0).Get("key").AsString(), "mine");
    EXPECT_TRUE(taints.at(1).Has("timeAdded"));
    w().Patch("nodes", "a", R"({"spec":{"unschedulable":false},"status":{}})");
    w().Patch("nodes", "a",
              R"({"status":{"conditions":[{"type":"DiskPressure","status":"True"}]}})", "status");
    w().Settle();
    EXPECT_FALSE(HasTaint("a", "unschedulable", "NoSchedule"));
    EXPECT_TRUE(HasTaint("a", "disk-pressure", "NoSchedule"));
  }
}

// CTRL-NL-07: the read from the watch cache is old, and the next one is not.
TEST_F(NodeLifecycle, AConflictOfTaintsIsTriedAgain) {
  Begin(api::Compat::k1_30);
  w().AddNode("a");
  StartController();
  w().Forget();
  w().Patch("nodes", "a", R"({"spec":{"unschedulable":true}})");
  w().Patch("nodes", "a", R"({"metadata":{"labels":{"x":"y"}}})");
  w().Settle();
  EXPECT_TRUE(HasTaint("a", "unschedulable", "NoSchedule"));
  EXPECT_EQ(w().Get("nodes", "a").Label("x"), "y");
}

// CTRL-NL-08
TEST_F(NodeLifecycle, OldLabelsAreAdded) {
  Begin(api::Compat::k1_30);
  w().AddNode("a");
  w().Patch("nodes", "a", R"({"metadata":{"labels":{"kubernetes.io/os":"linux"}}})");
  StartController();
  EXPECT_EQ(w().Get("nodes", "a").Label("beta.kubernetes.io/os"), "linux");
}

// CTRL-NL-09
TEST_F(NodeLifecycle, TheTwoNoExecuteTaintsAreSwappedAtOnce) {
  Begin(api::Compat::k1_36);
  w().AddNode("a");
  w().AddNode("b");
  StartController();
  Run(Seconds(70), {"b"});
  ASSERT_TRUE(HasTaint("a", "unreachable", "NoExecute"));
  for (int i = 0; i < 2; ++i) {
    Beat("a", "False");
    Beat("b");
    w().Advance(Seconds(6));
  }
  EXPECT_TRUE(HasTaint("a", "not-ready", "NoExecute"));
  EXPECT_FALSE(HasTaint("a", "unreachable", "NoExecute"));
  EXPECT_TRUE(HasTaint("a", "not-ready", "NoSchedule"));
}

// CTRL-NL-10: three of ten nodes fall silent at once.
TEST_F(NodeLifecycle, NoExecuteTaintsComeAtTheZonesRate) {
  for (const api::Compat compat : kCompats) {
    Begin(compat);
    std::vector<std::string> alive;
    for (int i = 0; i < 10; ++i) {
      const std::string name = fmt::format("n{}", i);
      w().AddNode(name);
      if (i >= 3) alive.push_back(name);
    }
    StartController();
    Run(Seconds(90), alive);
    std::vector<Duration> times;
    for (const char* name : {"n0", "n1", "n2"}) {
      const std::vector<Duration> of = TimesOf(api::Verb::kPatch, "nodes", name, "NoExecute");
      ASSERT_FALSE(of.empty()) << name;
      times.push_back(of.front());
    }
    std::sort(times.begin(), times.end());  // they are asked for as their writes are answered
    for (std::size_t i = 1; i < times.size(); ++i) {
      EXPECT_GE(times[i] - times[i - 1], Milliseconds(9'900));
      EXPECT_LE(times[i] - times[i - 1], Milliseconds(10'200));
    }
  }
}

// CTRL-NL-12: four of six are silent: the zone is partially disrupted and small.
TEST_F(NodeLifecycle, ASmallZoneOfWhichMostIsSilentKeepsItsPods) {
  Begin(api::Compat::k1_30);
  for (int i = 0; i < 6; ++i) w().AddNode(fmt::format("n{}", i));
  StartController();
  Run(Minutes(3), {"n4", "n5"});
  EXPECT_EQ(Ready("n0"), "Unknown");
  for (int i = 0; i < 4; ++i)
    EXPECT_FALSE(HasTaint(fmt::format("n{}", i), "unreachable", "NoExecute"));
  controllers::Heartbeats none;
  EXPECT_FALSE(controller_->HasWorkAhead(none)) << "nobody will be tainted";
}

// CTRL-NL-13: nobody is ready, then one is again.
TEST_F(NodeLifecycle, WhenAllAreSilentNobodyIsTainted) {
  for (const api::Compat compat : kCompats) {
    Begin(compat);
    for (const char* name : {"a", "b", "c"}) w().AddNode(name);
    StartController();
    w().Advance(Minutes(3));
    for (const char* name : {"a", "b", "c"}) {
      EXPECT_EQ(Ready(name), "Unknown");
      EXPECT_FALSE(HasTaint(name, "unreachable", "NoExecute")) << name;
      EXPECT_TRUE(HasTaint(name, "unreachable", "NoSchedule")) << name;
    }
    Run(Seconds(25), {"a"});
    EXPECT_EQ(Ready("a"), "True");
    EXPECT_TRUE(HasTaint("b", "unreachable", "NoExecute") ||
                HasTaint("c", "unreachable", "NoExecute"));
  }
}

}  // namespace
}  // namespace ksim
