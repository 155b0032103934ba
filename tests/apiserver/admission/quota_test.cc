// ResourceQuota admission. Nobody counts here: the tests write the quotas' status themselves.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "ksim/value/json.h"
#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

using api::Compat;
using testing::ElementsAre;
using value::Path;
using value::Value;

struct Quotas : World {
  explicit Quotas(Compat compat = Compat::k1_36, int servers = 1)
      : World(WorldOptions(compat).Servers(servers)) {}
  // A quota whose status says that `used` of `hard` is used.
  void Add(std::string_view name, std::string_view hard, std::string_view used,
           std::string_view scopes = "") {
    const Value quota = Json(fmt::format(
        R"({{"apiVersion":"v1","kind":"ResourceQuota","metadata":{{"name":"{}"}},
             "spec":{{"hard":{}{}}}}})",
        name, hard, scopes));
    const api::Response made = Create("resourcequotas", "default", quota);
    EXPECT_EQ(made.code, 201) << made.status.message;
    Value tree = made.object.ToTree();
    tree = tree.Set(Path{"status", "hard"}, Json(hard)).Set(Path{"status", "used"}, Json(used));
    EXPECT_EQ(Update("resourcequotas", tree, "status").code, 200);
    Advance(Seconds(1));
  }
  std::string Used(std::string_view name) {
    const api::Object quota = Get("resourcequotas", "default", name).object;
    return value::ToJson(quota.status().Get("used"));
  }
  api::Response AddPod(std::string_view name, std::string_view containers,
                       std::string_view more = "") {
    return Create("pods", "default",
                  Json(fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{"containers":{}{}}}}})",
                                   name, containers, more)));
  }
  static std::string Asking(std::string_view requests, std::string_view limits = "{}") {
    return fmt::format(
        R"([{{"name":"c","image":"i:1","resources":{{"requests":{},"limits":{}}}}}])", requests,
        limits);
  }
};

// API-133, API-222
TEST(Quota, ChargesAPodAndRefusesTheNextOne) {
  for (const Compat compat : kProfiles) {
    Quotas w(compat);
    w.Add("q", R"({"pods":"2","requests.cpu":"1"})", R"({"pods":"1","requests.cpu":"200m"})");
    EXPECT_EQ(w.AddPod("a", Quotas::Asking(R"({"cpu":"500m"})")).code, 201);
    EXPECT_EQ(w.Used("q"), R"({"pods":"2","requests.cpu":"700m"})");
    const api::Response r = w.AddPod("b", Quotas::Asking(R"({"cpu":"400m"})"));
    EXPECT_EQ(r.code, 403);
    EXPECT_EQ(r.status.reason, "Forbidden");
    EXPECT_EQ(r.status.message,
              "pods \"b\" is forbidden: exceeded quota: q, requested: pods=1,requests.cpu=400m, "
              "used: pods=2,requests.cpu=700m, limited: pods=2,requests.cpu=1");
    EXPECT_EQ(w.Used("q"), R"({"pods":"2","requests.cpu":"700m"})");
    EXPECT_EQ(w.Get("pods", "default", "b").code, 404);
  }
}

// API-133: only the names that are exceeded are told.
TEST(Quota, TellsWhatIsExceeded) {
  Quotas w;
  w.Add("q", R"({"pods":"10","requests.cpu":"1"})", R"({"pods":"0","requests.cpu":"1"})");
  EXPECT_EQ(w.AddPod("a", Quotas::Asking(R"({"cpu":"100m"})")).status.message,
            "pods \"a\" is forbidden: exceeded quota: q, requested: requests.cpu=100m, used: "
            "requests.cpu=1, limited: requests.cpu=1");
}

// API-133
TEST(Quota, WantsContainersToSayWhatTheyAskFor) {
  Quotas w;
  w.Add("q", R"({"cpu":"1","limits.memory":"1Gi"})", R"({"cpu":"0","limits.memory":"0"})");
  const api::Response r = w.AddPod("a", R"([{"name":"y","image":"i:1"},
               {"name":"x","image":"i:1","resources":{"requests":{"cpu":"1m"}}}])");
  EXPECT_EQ(r.code, 403);
  EXPECT_EQ(r.status.message,
            "pods \"a\" is forbidden: failed quota: q: must specify cpu for: y; limits.memory for: "
            "x,y");
  EXPECT_EQ(w.AddPod("b", Quotas::Asking(R"({"cpu":"1m"})", R"({"memory":"1Mi"})")).code, 201);
}

// API-133
TEST(Quota, RefusesWhileTheUsageIsNotKnown) {
  Quotas w;
  w.Add("q", R"({"pods":"3","services":"1"})", R"({"services":"0"})");
  const api::Response r = w.AddPod("a", Quotas::Asking("{}"));
  EXPECT_EQ(r.code, 403);
  EXPECT_EQ(r.status.message,
            "pods \"a\" is forbidden: status unknown for quota: q, resources: pods");
}

// API-133: what was never counted limits nothing, nor does a quota of another namespace.
TEST(Quota, WithoutAStatusLimitsNothing) {
  Quotas w;
  w.Create("resourcequotas", "default",
           Json(R"({"metadata":{"name":"q"},"spec":{"hard":{"pods":"0"}}})"));
  w.Advance(Seconds(1));
  EXPECT_EQ(w.AddPod("a", Quotas::Asking("{}")).code, 201);
}

// API-133, CTRL-QUOTA-06
TEST(Quota, CountsObjectsOfAnyKindButEvents) {
  Quotas w;
  w.Add("q", R"({"count/replicasets.apps":"0","configmaps":"1","count/configmaps":"5",
                 "count/events":"0"})",
        R"({"count/replicasets.apps":"0","configmaps":"0","count/configmaps":"0",
            "count/events":"0"})");
  EXPECT_EQ(w.Create("configmaps", "default", ConfigMap("default", "a")).code, 201);
  EXPECT_EQ(w.Create("configmaps", "default", ConfigMap("default", "b")).status.message,
            "configmaps \"b\" is forbidden: exceeded quota: q, requested: configmaps=1, used: "
            "configmaps=1, limited: configmaps=1");
  EXPECT_EQ(w.Create("configmaps", "kube-system", ConfigMap("kube-system", "b")).code, 201);
  const Value rs = Json(
      R"({"metadata":{"name":"r"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{
          "metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i:1"}]}}}})");
  EXPECT_EQ(w.Create("replicasets", "default", rs).status.message,
            "replicasets.apps \"r\" is forbidden: exceeded quota: q, requested: "
            "count/replicasets.apps=1, used: count/replicasets.apps=0, limited: "
            "count/replicasets.apps=0");
  const Value event =
      Json(R"({"metadata":{"name":"e"},"involvedObject":{"kind":"Pod","namespace":"default"}})");
  EXPECT_EQ(w.Create("events", "default", event).code, 201);
}

// API-222: the usage is taken before the object is stored, and not given back.
TEST(Quota, IsTakenThoughTheObjectIsNotStored) {
  Quotas w;
  w.Create("configmaps", "default", ConfigMap("default", "a"));
  w.Add("q", R"({"configmaps":"5"})", R"({"configmaps":"1"})");
  EXPECT_EQ(w.Create("configmaps", "default", ConfigMap("default", "a")).code, 409);
  EXPECT_EQ(w.Used("q"), R"({"configmaps":"2"})");
}

// API-222
TEST(Quota, ADryRunTakesNothing) {
  Quotas w;
  w.Add("q", R"({"configmaps":"1"})", R"({"configmaps":"0"})");
  api::Request r = w.Request(api::Verb::kCreate, "configmaps", "default", "");
  r.body = ConfigMap("default", "a");
  r.dry_run = true;
  EXPECT_EQ(w.Do(r).code, 201);
  EXPECT_EQ(w.Used("q"), R"({"configmaps":"0"})");
  w.Create("configmaps", "default", ConfigMap("default", "a"));
  EXPECT_EQ(w.Do(r).code, 403) << "but it is judged";
}

// API-222: ten at once: as many as there is room for, by two servers, each with a cache of its own.
TEST(Quota, ManyAtOnceAreCharged) {
  for (const int servers : {1, 2}) {
    Quotas w(Compat::k1_36, servers);
    w.Add("q", R"({"configmaps":"4"})", R"({"configmaps":"0"})");
    std::vector<std::shared_ptr<api::Response>> answers;
    for (int i = 0; i < 10; ++i) {
      api::Request r = w.Request(api::Verb::kCreate, "configmaps", "default", "");
      r.body = ConfigMap("default", fmt::format("m{}", i));
      answers.push_back(w.Start(std::move(r), i % servers));
    }
    w.Advance(Seconds(5));
    int stored = 0;
    for (const auto& answer : answers) stored += answer->code == 201 ? 1 : 0;
    EXPECT_LE(stored, 4) << servers;
    EXPECT_GE(stored, servers == 1 ? 4 : 1) << servers;
    EXPECT_EQ(w.List("configmaps", "default").items.size(), static_cast<std::size_t>(stored));
  }
}

// API-222: a server whose cache is behind goes by what it has written itself.
TEST(Quota, RemembersWhatItHasWritten) {
  Quotas w;
  w.Add("q", R"({"configmaps":"2"})", R"({"configmaps":"0"})");
  w.server().faults().watch_cache(w.Kind("resourcequotas")).Freeze();
  EXPECT_EQ(w.Create("configmaps", "default", ConfigMap("default", "a")).code, 201);
  EXPECT_EQ(w.Create("configmaps", "default", ConfigMap("default", "b")).code, 201);
  EXPECT_EQ(w.Create("configmaps", "default", ConfigMap("default", "c")).code, 403);
  EXPECT_EQ(w.Used("q"), R"({"configmaps":"2"})");
}

// API-222: somebody else has written it, and the cache does not say so: four tries, then 409.
TEST(Quota, GivesUpAfterFourConflicts) {
  Quotas w;
  w.Add("q", R"({"configmaps":"2"})", R"({"configmaps":"0"})");
  w.server().faults().watch_cache(w.Kind("resourcequotas")).Freeze();
  w.Patch("resourcequotas", "default", "q", api::PatchType::kMerge,
          R"({"metadata":{"labels":{"a":"b"}}})");
  const api::Response r = w.Create("configmaps", "default", ConfigMap("default", "a"));
  EXPECT_EQ(r.code, 409);
  EXPECT_EQ(r.status.message,
            "Operation cannot be fulfilled on resourcequotas \"q\": the object has been modified; "
            "please apply your changes to the latest version and try again");
}

// API-133: of an update only what it adds is charged.
TEST(Quota, AnUpdateTakesWhatItAdds) {
  Quotas w;
  w.Add("q", R"({"services.nodeports":"3","services":"1"})",
        R"({"services.nodeports":"0","services":"0"})");
  const Value service = Json(R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{
      "ports":[{"name":"a","port":1},{"name":"b","port":2}]}})");
  const api::Response made = w.Create("services", "default", service);
  ASSERT_EQ(made.code, 201) << made.status.message;
  EXPECT_EQ(w.Used("q"), R"({"services":"1","services.nodeports":"0"})");
  w.Advance(Seconds(1));
  EXPECT_EQ(
      w.Patch("services", "default", "s", api::PatchType::kMerge, R"({"spec":{"type":"NodePort"}})")
          .code,
      200);
  EXPECT_EQ(w.Used("q"), R"({"services":"1","services.nodeports":"2"})");
  w.Advance(Seconds(1));
  const api::Response r = w.Patch(
      "services", "default", "s", api::PatchType::kMerge,
      R"({"spec":{"ports":[{"name":"a","port":1},{"name":"b","port":2},{"name":"c","port":3},
                           {"name":"d","port":4}]}})");
  EXPECT_EQ(r.code, 403);
  EXPECT_EQ(
      r.status.message,
      "services \"s\" is forbidden: exceeded quota: q, requested: services.nodeports=2, used: "
      "services.nodeports=2, limited: services.nodeports=3");
}

// API-133, CTRL-QUOTA-08
TEST(Quota, CountsThePodsThatItsScopesMean) {
  Quotas w;
  w.Add("best", R"({"pods":"1"})", R"({"pods":"0"})", R"(,"scopes":["BestEffort"])");
  w.Add("ending", R"({"pods":"1"})", R"({"pods":"0"})", R"(,"scopes":["Terminating"])");
  EXPECT_EQ(w.AddPod("a", Quotas::Asking(R"({"cpu":"1m"})")).code, 201);
  EXPECT_EQ(w.Used("best") + w.Used("ending"), R"({"pods":"0"}{"pods":"0"})");
  EXPECT_EQ(w.AddPod("b", Quotas::Asking("{}"), R"(,"activeDeadlineSeconds":5)").code, 201);
  EXPECT_EQ(w.Used("best") + w.Used("ending"), R"({"pods":"1"}{"pods":"1"})");
  EXPECT_EQ(w.AddPod("c", Quotas::Asking("{}")).code, 403);
}

// API-133: from 1.36 on a pod that comes into a quota's scope is charged.
TEST(Quota, AnUpdateMayBringAPodIntoScope) {
  for (const Compat compat : {Compat::k1_30, Compat::k1_36}) {
    Quotas w(compat);
    w.Add("ending", R"({"pods":"0"})", R"({"pods":"0"})", R"(,"scopes":["Terminating"])");
    EXPECT_EQ(w.AddPod("a", Quotas::Asking("{}")).code, 201);
    const api::Response r = w.Patch("pods", "default", "a", api::PatchType::kMerge,
                                    R"({"spec":{"activeDeadlineSeconds":5}})");
    EXPECT_EQ(r.code, compat == Compat::k1_36 ? 403 : 200) << r.status.message;
  }
}

}  // namespace
}  // namespace ksim::apiserver
