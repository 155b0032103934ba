// The resource quota controller against real API servers.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ksim/client/rest/fault_hooks.h"
#include "ksim/controllers/common/controller_info.h"
#include "ksim/controllers/resourcequota/resource_quota_controller.h"
#include "ksim/value/json.h"
#include "tests/whole/actors/actor_world.h"

namespace ksim {
namespace {

using api::Compat;
using testing::IsEmpty;

struct Quotas {
  explicit Quotas(Compat compat = Compat::k1_36) : w(compat), hooks(w.api.sim) {
    w.env.faults = &hooks;
  }
  ~Quotas() { w.api.sim.Shutdown(); }
  void Start() {
    w.StartController("resourcequota",
                      &controllers::MakeController<controllers::ResourceQuotaController>);
    w.Forget();
  }
  void Add(std::string_view hard, std::string_view more = "") {
    w.Create("resourcequotas",
             fmt::format(R"({{"metadata":{{"name":"q"}},"spec":{{"hard":{}{}}}}})", hard, more));
  }
  std::string Status() { return value::ToJson(w.Get("resourcequotas", "q").status()); }
  std::string Used() { return value::ToJson(w.Get("resourcequotas", "q").status().Get("used")); }
  ActorWorld w;
  client::FaultHooks hooks;
};

// CTRL-QUOTA-01, CTRL-QUOTA-02
TEST(ResourceQuota, IsCountedWhenItIsMade) {
  for (const Compat compat : kCompats) {
    Quotas q(compat);
    q.w.Create("pods", PodJson("a"));
    q.w.Create("configmaps", R"({"metadata":{"name":"m"}})");
    q.Start();
    q.Add(R"({"pods":"3","count/configmaps":"5","requests.cpu":"1","bad.example.com/x":"1"})");
    q.w.Settle();
    EXPECT_EQ(
        q.Status(),
        R"({"hard":{"bad.example.com/x":"1","count/configmaps":"5","pods":"3",)"
        R"("requests.cpu":"1"},"used":{"count/configmaps":"1","pods":"1","requests.cpu":"0"}})");
  }
}

// CTRL-QUOTA-01: a change of hard is counted, one of the status is not.
TEST(ResourceQuota, FollowsItsSpec) {
  Quotas q;
  q.Start();
  q.Add(R"({"pods":"3"})");
  q.w.Settle();
  q.w.Patch("resourcequotas", "q", R"({"spec":{"hard":{"pods":"5","services":"1"}}})");
  q.w.Settle();
  EXPECT_EQ(q.Status(),
            R"({"hard":{"pods":"5","services":"1"},"used":{"pods":"0","services":"0"}})");
  q.w.Forget();
  q.w.Patch("resourcequotas", "q", R"({"status":{"used":{"pods":"4"}}})", "status");
  q.w.Settle();
  EXPECT_EQ(q.w.Reconciles("default/q"), 0u);
}

// CTRL-QUOTA-03
TEST(ResourceQuota, IsCountedAgainWhenSomethingGoes) {
  Quotas q;
  q.Start();
  q.Add(
      R"({"pods":"9","configmaps":"9","services.nodeports":"9","count/websites.example.com":"1"})");
  q.w.Settle();
  q.w.Create("pods", PodJson("a"));
  q.w.Create("pods", PodJson("b"));
  q.w.Create("configmaps", R"({"metadata":{"name":"m"}})");
  q.w.Create("services", R"({"metadata":{"name":"s"},"spec":{"type":"NodePort","ports":[
                             {"port":80}]}})");
  q.w.Settle();
  // The API server has counted these.
  EXPECT_EQ(q.Used(), R"({"configmaps":"1","pods":"2","services.nodeports":"1"})");
  EXPECT_EQ(q.w.Reconciles("default/q"), 1u) << "what is added is not counted again";
  q.w.Delete("pods", "a", Grace(0));
  q.w.Settle();
  EXPECT_EQ(q.Used(), R"({"configmaps":"1","pods":"1","services.nodeports":"1"})");
  q.w.Patch("pods", "b", R"({"status":{"phase":"Succeeded"}})", "status");
  q.w.Delete("configmaps", "m");
  q.w.Patch("services", "s", R"({"spec":{"type":"ClusterIP"}})");
  q.w.Settle();
  EXPECT_EQ(q.Used(), R"({"configmaps":"0","pods":"0","services.nodeports":"0"})");
  // Objects that it does not count are not its affair.
  q.w.Create("secrets", R"({"metadata":{"name":"x"}})");
  q.w.Settle();
  q.w.Forget();
  q.w.Delete("secrets", "x");
  q.w.Settle();
  EXPECT_EQ(q.w.Reconciles("default/q"), 0u);
}

// CTRL-QUOTA-04
TEST(ResourceQuota, IsCountedEveryFiveMinutes) {
  Quotas q;
  q.Start();
  q.Add(R"({"pods":"9"})");
  q.w.Settle();
  q.w.Patch("resourcequotas", "q", R"({"status":{"used":{"pods":"4"}}})", "status");
  q.w.Advance(Seconds(290));
  EXPECT_EQ(q.Used(), R"({"pods":"4"})");
  q.w.Advance(Seconds(15));
  EXPECT_EQ(q.Used(), R"({"pods":"0"})");
}

// CTRL-QUOTA-05
TEST(ResourceQuota, CountsKindsThatAreNew) {
  Quotas q;
  q.Start();
  q.w.env.kinds.AddGeneric("example.com/v1", "Website");
  q.w.Create("websites", R"({"apiVersion":"example.com/v1","kind":"Website",
                             "metadata":{"name":"w"}})");
  q.Add(R"({"count/websites.example.com":"3"})");
  q.w.Settle();
  EXPECT_EQ(q.Used(), "null");
  q.w.Advance(Seconds(32));
  q.w.Patch("resourcequotas", "q", R"({"spec":{"hard":{"count/websites.example.com":"4"}}})");
  q.w.Settle();
  EXPECT_EQ(q.Used(), R"({"count/websites.example.com":"1"})");
}

// CTRL-QUOTA-08
TEST(ResourceQuota, CountsWhatItsScopesMean) {
  Quotas q;
  q.w.Create("pods", PodJson("a"));
  q.w.Create("pods", PodJson("b", "{}", "", R"(,"activeDeadlineSeconds":5)"));
  q.Start();
  q.Add(R"({"pods":"9"})", R"(,"scopes":["Terminating"])");
  q.w.Settle();
  EXPECT_EQ(q.Used(), R"({"pods":"1"})");
}

// CTRL-QUOTA-02: an error is tried again.
TEST(ResourceQuota, TriesAgainAfterAnError) {
  Quotas q;
  q.Start();
  int refused = 2;
  q.hooks.AddJudge([&refused](const api::Request& r) {
    client::Mishap mishap;
    if (r.subresource != "status" || refused-- <= 0) return mishap;
    mishap.kind = client::Mishap::Kind::kRejected;
    mishap.status = api::InternalError("no");
    return mishap;
  });
  q.Add(R"({"pods":"9"})");
  q.w.Settle();
  EXPECT_EQ(q.Used(), R"({"pods":"0"})");
}

// A quota that is reached, and what comes of it when a pod goes: the two halves together.
TEST(ResourceQuota, LimitsAndGivesBack) {
  for (const Compat compat : kCompats) {
    Quotas q(compat);
    q.Start();
    q.Add(R"({"pods":"1"})");
    q.w.Settle();
    q.w.Create("pods", PodJson("a"));
    api::Request second = q.w.api.Request(api::Verb::kCreate, "pods", "default", "");
    second.body = apiserver::Json(PodJson("b"));
    EXPECT_EQ(q.w.Do(second).code, 403);
    q.w.Delete("pods", "a", Grace(0));
    q.w.Settle();
    EXPECT_EQ(q.w.Do(second).code, 201);
  }
}

// It does nothing where there is nothing to do.
TEST(ResourceQuota, WithoutQuotasItOnlyWatches) {
  Quotas q;
  q.Start();
  q.w.Create("pods", PodJson("a"));
  q.w.Delete("pods", "a", Grace(0));
  q.w.Advance(Minutes(12));
  for (const sim::Event& e : q.w.events()) EXPECT_NE(e.kind, sim::EventKind::kReconcile);
  EXPECT_THAT(q.w.Writes(), IsEmpty());
}

}  // namespace
}  // namespace ksim
