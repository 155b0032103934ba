// The filters before the handlers: the order of refusals, their texts, and the limits of requests
// in flight.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ksim/value/json.h"
#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

using api::Verb;

DenyRule Deny(std::string user, std::string verb, std::string resource, std::string ns = "",
              std::string name = "") {
  DenyRule rule;
  rule.user = std::move(user);
  rule.verb = std::move(verb);
  rule.resource = std::move(resource);
  rule.ns = std::move(ns);
  rule.name = std::move(name);
  return rule;
}

WorldOptions With(std::vector<DenyRule> deny, int reading = 0, int mutating = 0) {
  WorldOptions options;
  options.server.policy.deny = std::move(deny);
  options.server.policy.in_flight.reading = reading;
  options.server.policy.in_flight.mutating = mutating;
  return options;
}

api::Response Ask(World& world, std::string user, Verb verb, std::string resource, std::string ns,
                  std::string name, std::string sub = "") {
  api::Request r = world.Request(verb, resource, ns, name);
  r.user = std::move(user);
  r.subresource = std::move(sub);
  if (verb == Verb::kCreate && r.subresource.empty()) r.body = ConfigMap(ns, "m");
  return world.Do(std::move(r));
}

// API-137
TEST(Deny, ARuleForbidsWhatItNames) {
  struct Row {
    DenyRule rule;
    bool list, get, create, status, other_ns, other_user;  // allowed
  };
  const std::string me = "system:kube-scheduler";
  const Row rows[] = {
      {Deny(me, "*", "*"), false, false, false, false, false, true},
      {Deny(me, "list", "pods"), false, true, true, true, false, true},
      {Deny("", "list", "pods"), false, true, true, true, false, false},
      {Deny("system:authenticated", "get", ""), true, false, true, false, true, true},
      {Deny(me, "get", "pods/status"), true, true, true, false, true, true},
      {Deny(me, "get", "pods/*"), true, true, true, false, true, true},
      {Deny(me, "", "pods", "default"), false, false, true, true, true, true},
      {Deny(me, "get", "pods", "", "a"), true, false, true, true, true, true},
      {Deny(me, "get", "pods", "", "b"), true, true, true, true, true, true},
      {Deny(me, "create", "configmaps"), true, true, false, true, true, true},
      {Deny(me, "list", "replicasets.apps"), true, true, true, true, true, true}};
  for (const Row& row : rows) {
    World world(With({row.rule}));
    const std::string what = fmt::format("{} {} {} {} {}", row.rule.user, row.rule.verb,
                                         row.rule.resource, row.rule.ns, row.rule.name);
    const auto allowed = [](const api::Response& r) { return r.code != 403; };
    EXPECT_EQ(allowed(Ask(world, me, Verb::kList, "pods", "default", "")), row.list) << what;
    EXPECT_EQ(allowed(Ask(world, me, Verb::kGet, "pods", "default", "a")), row.get) << what;
    EXPECT_EQ(allowed(Ask(world, me, Verb::kGet, "pods", "default", "a", "status")), row.status)
        << what;
    EXPECT_EQ(allowed(Ask(world, me, Verb::kCreate, "configmaps", "default", "")), row.create)
        << what;
    EXPECT_EQ(allowed(Ask(world, me, Verb::kList, "pods", "kube-system", "")), row.other_ns)
        << what;
    EXPECT_EQ(allowed(Ask(world, "somebody", Verb::kList, "pods", "default", "")), row.other_user)
        << what;
  }
}

// API-137
// API-21
TEST(Deny, TheRefusalIsKubernetes) {
  World world(With({Deny("", "*", "")}));
  struct Row {
    Verb verb;
    const char *resource, *ns, *name, *sub, *json;
  };
  for (const Row& row :
       {Row{Verb::kGet, "replicasets", "default", "web", "",
            R"({"apiVersion":"v1","code":403,"details":{"group":"apps","kind":"replicasets",)"
            R"("name":"web"},"kind":"Status","message":"replicasets.apps \"web\" is forbidden: )"
            R"(User \"jane\" cannot get resource \"replicasets\" in API group \"apps\" in the )"
            R"(namespace \"default\"","metadata":{},"reason":"Forbidden","status":"Failure"})"},
        Row{Verb::kList, "nodes", "", "", "",
            R"({"apiVersion":"v1","code":403,"details":{"kind":"nodes"},"kind":"Status",)"
            R"("message":"nodes is forbidden: User \"jane\" cannot list resource \"nodes\" in )"
            R"(API group \"\" at the cluster scope","metadata":{},"reason":"Forbidden",)"
            R"("status":"Failure"})"},
        Row{Verb::kUpdate, "pods", "default", "a", "status",
            R"({"apiVersion":"v1","code":403,"details":{"kind":"pods","name":"a"},)"
            R"("kind":"Status","message":"pods \"a\" is forbidden: User \"jane\" cannot update )"
            R"(resource \"pods/status\" in API group \"\" in the namespace \"default\"",)"
            R"("metadata":{},"reason":"Forbidden","status":"Failure"})"}}) {
    const api::Response r = Ask(world, "jane", row.verb, row.resource, row.ns, row.name, row.sub);
    EXPECT_EQ(r.code, 403);
    EXPECT_EQ(value::ToJson(r.status.ToTree()), row.json);
  }
}

TEST(Deny, AWatchIsRefusedBeforeItOpens) {
  World world(With({Deny("", "watch", "pods")}));
  const auto watch = world.Watch("pods", "", Options("0"));
  EXPECT_EQ(watch->response.code, 403);
  EXPECT_TRUE(watch->seen.empty());
  EXPECT_EQ(world.server().open_watches(), 0u);
}

std::shared_ptr<api::Response> Begin(World& world, std::string user, Verb verb,
                                     std::string_view name) {
  api::Request r = world.Request(verb, "configmaps", "default", verb == Verb::kGet ? name : "");
  r.user = std::move(user);
  if (verb == Verb::kCreate) r.body = ConfigMap("default", name);
  return world.Start(std::move(r));
}

// API-140
TEST(MaxInFlight, OneMoreIsAskedToComeAgain) {
  World world(With({}, 2, 1));
  const auto read1 = Begin(world, "jane", Verb::kGet, "none");
  const auto read2 = Begin(world, "jane", Verb::kGet, "none");
  const auto read3 = Begin(world, "jane", Verb::kGet, "none");
  const auto write1 = Begin(world, "jane", Verb::kCreate, "a");
  const auto write2 = Begin(world, "jane", Verb::kCreate, "b");
  const auto master = Begin(world, "system:admin", Verb::kCreate, "c");
  world.Advance(Seconds(1));
  EXPECT_EQ(read1->code, 404);
  EXPECT_EQ(read2->code, 404);
  EXPECT_EQ(write1->code, 201);
  EXPECT_EQ(master->code, 201) << "a master always gets an answer";
  for (const auto& refused : {read3, write2}) {
    EXPECT_EQ(refused->code, 429);
    EXPECT_EQ(value::ToJson(refused->status.ToTree()),
              R"({"apiVersion":"v1","code":429,"details":{"retryAfterSeconds":1},)"
              R"("kind":"Status","message":"Too many requests, please try again later.",)"
              R"("metadata":{},"reason":"TooManyRequests","status":"Failure"})");
  }
  EXPECT_EQ(Begin(world, "jane", Verb::kCreate, "b")->code, 0) << "the place is free again";
  world.Advance(Seconds(1));
  EXPECT_EQ(world.Get("configmaps", "default", "b").code, 200);
}

TEST(MaxInFlight, WatchesTakeNoPlace) {
  World world(With({}, 1, 1));
  std::vector<std::shared_ptr<TestWatch>> open;
  for (int i = 0; i < 5; ++i) open.push_back(world.Watch("configmaps", "default", Options("0")));
  for (const auto& watch : open) EXPECT_EQ(watch->response.code, 200);
  EXPECT_EQ(Ask(world, "jane", Verb::kList, "configmaps", "default", "").code, 200);
}

// API-135
TEST(Pipeline, VerdictsComeInOrder) {
  World world(With({Deny("", "create", "configmaps")}, 0, 1));
  const auto held = Begin(world, "jane", Verb::kCreate, "a");  // answered 403 in this very step
  EXPECT_EQ(world.Do(world.Request(Verb::kCreate, "configmaps", "default", "")).code, 403)
      << "403 before what the handler would say of a body that is none";
  World busy(With({Deny("", "delete", "configmaps")}, 0, 1));
  const auto first = Begin(busy, "jane", Verb::kCreate, "a");
  api::Request second = busy.Request(Verb::kDelete, "configmaps", "default", "a");
  second.user = "jane";
  const auto refused = busy.Start(std::move(second));
  busy.Advance(Seconds(1));
  EXPECT_EQ(refused->code, 429) << "429 before 403";
}

}  // namespace
}  // namespace ksim::apiserver
