// The audit log, event by event.
#include "ksim/apiserver/audit.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ksim/api/core/request_uri.h"
#include "ksim/api/core/response_body.h"
#include "ksim/value/json.h"
#include "tests/apiserver/world.h"

namespace ksim::apiserver {
namespace {

using api::Verb;
using value::Value;

class AuditTest : public ::testing::Test {
 protected:
  static WorldOptions With(AuditLog* log) {
    WorldOptions options;
    options.server.audit = log;
    return options;
  }
  // The audit events about an object of this name.
  static std::vector<Value> About(const AuditLog& log, std::string_view resource,
                                  std::string_view verb) {
    std::vector<Value> out;
    for (const Value& e : log.events())
      if (e.Get("objectRef").Get("resource").AsString() == resource &&
          e.Get("verb").AsString() == verb)
        out.push_back(e);
    return out;
  }
  static std::string Stage(const Value& event) {
    return std::string(event.Get("stage").AsString());
  }
};

// API-143
TEST_F(AuditTest, ARequestIsTwoEventsOfOneId) {
  AuditLog log;
  World world(With(&log));
  world.Advance(Seconds(2));
  world.Create("configmaps", "default", ConfigMap("default", "m"));
  const std::vector<Value> events = About(log, "configmaps", "create");
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(Stage(events[0]), "RequestReceived");
  EXPECT_EQ(Stage(events[1]), "ResponseComplete");
  EXPECT_EQ(events[0].Get("auditID"), events[1].Get("auditID"));
  const std::string id(events[0].Get("auditID").AsString());
  EXPECT_EQ(id.size(), 36u);
  EXPECT_EQ(id[14], '4');
  EXPECT_EQ(events[0].Get("requestReceivedTimestamp"), events[0].Get("stageTimestamp"));
  EXPECT_EQ(events[0].Get("requestReceivedTimestamp"), events[1].Get("requestReceivedTimestamp"));
  EXPECT_LT(events[1].Get("requestReceivedTimestamp").AsString(),
            events[1].Get("stageTimestamp").AsString());
  // The second event without its times and its id.
  Value rest = events[1].Erase("auditID").Erase("requestReceivedTimestamp").Erase("stageTimestamp");
  EXPECT_EQ(value::ToJson(rest),
            R"({"annotations":{"authorization.k8s.io/decision":"allow",)"
            R"("authorization.k8s.io/reason":""},"apiVersion":"audit.k8s.io/v1","kind":"Event",)"
            R"("level":"Metadata","objectRef":{"apiVersion":"v1","name":"m",)"
            R"("namespace":"default","resource":"configmaps"},)"
            R"("requestURI":"/api/v1/namespaces/default/configmaps",)"
            R"("responseStatus":{"code":201,"metadata":{}},"stage":"ResponseComplete",)"
            R"("user":{"groups":["system:masters","system:authenticated"],)"
            R"("username":"system:admin"},"verb":"create"})");
}

// API-143
TEST_F(AuditTest, ARefusalTellsItsStatusAndTheAuthorizersVerdict) {
  AuditLog log;
  WorldOptions options = With(&log);
  DenyRule rule;
  rule.verb = "delete";
  options.server.policy.deny.push_back(rule);
  World world(options);
  world.Delete("pods", "default", "x");
  world.Get("pods", "default", "x");
  const Value denied = About(log, "pods", "delete").at(1);
  EXPECT_EQ(denied.Get("responseStatus").Get("code").AsInt(), 403);
  EXPECT_EQ(denied.Get("responseStatus").Get("reason").AsString(), "Forbidden");
  EXPECT_EQ(denied.Get("responseStatus").Get("status").AsString(), "Failure");
  EXPECT_EQ(denied.Get("annotations").Get("authorization.k8s.io/decision").AsString(), "forbid");
  const Value missing = About(log, "pods", "get").at(1);
  EXPECT_EQ(missing.Get("responseStatus").Get("code").AsInt(), 404);
  EXPECT_EQ(missing.Get("annotations").Get("authorization.k8s.io/decision").AsString(), "allow");
}

// API-143
TEST_F(AuditTest, AWatchHasAThirdStage) {
  AuditLog log;
  World world(With(&log));
  api::ListOptions options = Options("0");
  options.timeout_seconds = 5;
  options.label_selector = "app in (a,b)";
  world.Watch("pods", "default", options);
  world.Advance(Seconds(6));
  const std::vector<Value> events = About(log, "pods", "watch");
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(Stage(events[0]), "RequestReceived");
  EXPECT_EQ(Stage(events[1]), "ResponseStarted");
  EXPECT_EQ(Stage(events[2]), "ResponseComplete");
  EXPECT_EQ(events[1].Get("responseStatus").Get("code").AsInt(), 200);
  EXPECT_EQ(events[2].Get("requestURI").AsString(),
            "/api/v1/namespaces/default/pods?labelSelector=app+in+%28a%2Cb%29&resourceVersion=0&"
            "timeoutSeconds=5&watch=true");
}

// API-143
TEST_F(AuditTest, LevelsAddTheBodies) {
  for (const AuditLevel level :
       {AuditLevel::kMetadata, AuditLevel::kRequest, AuditLevel::kRequestResponse}) {
    AuditLog log(level);
    World world(With(&log));
    world.Create("configmaps", "default", ConfigMap("default", "m"));
    world.List("configmaps", "default");
    const Value created = About(log, "configmaps", "create").at(1);
    EXPECT_EQ(created.Get("level").AsString(), ToString(level));
    EXPECT_EQ(created.Get("requestObject").is_null(), level < AuditLevel::kRequest);
    EXPECT_EQ(created.Get("responseObject").is_null(), level < AuditLevel::kRequestResponse);
    const Value listed = About(log, "configmaps", "list").at(1);
    if (level == AuditLevel::kRequestResponse) {
      EXPECT_EQ(listed.Get("responseObject").Get("kind").AsString(), "ConfigMapList");
      EXPECT_EQ(created.Get("responseObject").Get("metadata").Get("name").AsString(), "m");
    }
  }
}

TEST_F(AuditTest, ChangesNothingAndRepeats) {
  AuditLog first, second;
  std::vector<std::uint64_t> seqs;
  for (AuditLog* log : {static_cast<AuditLog*>(nullptr), &first, &second}) {
    World world(With(log));
    world.Create("configmaps", "default", ConfigMap("default", "m"));
    world.Advance(Minutes(1));
    seqs.push_back(world.sim.bus().last_seq());
  }
  EXPECT_EQ(seqs[0], seqs[1]);
  EXPECT_EQ(first.ToJsonLines(), second.ToJsonLines());
  EXPECT_FALSE(first.ToJsonLines().empty());
}

// API-28
TEST_F(AuditTest, AnEmptyListIsAnEmptyArrayAndASingleObjectKeepsIts) {
  World world;
  const api::ResourceInfo& maps = world.Kind("configmaps");
  const api::Response empty = world.List("configmaps", "default");
  EXPECT_EQ(value::ToJson(api::ResponseBody(maps, Verb::kList, empty)),
            fmt::format(R"({{"apiVersion":"v1","items":[],"kind":"ConfigMapList",)"
                        R"("metadata":{{"resourceVersion":"{}"}}}})",
                        empty.list_rv));
  world.Create("configmaps", "default", ConfigMap("default", "m"));
  api::ListOptions one = Options();
  one.field_selector = "metadata.name=m";
  const Value body = api::ResponseBody(maps, Verb::kList, world.List("configmaps", "default", one));
  ASSERT_TRUE(body.Get("items").is_array());
  ASSERT_EQ(body.Get("items").size(), 1u);
  EXPECT_TRUE((*body.Get("items").items().begin()).Get("kind").is_null()) << "a typed list's items";
}

TEST(RequestUri, IsWhatAClientWouldAskFor) {
  api::Kinds kinds;
  api::Request r;
  r.resource = kinds.ByName("replicasets");
  r.ns = "default";
  r.verb = Verb::kCreate;
  r.name = "web";
  r.field_manager = "kubectl create";
  EXPECT_EQ(api::RequestUri(r),
            "/apis/apps/v1/namespaces/default/replicasets?fieldManager=kubectl+create");
  r.verb = Verb::kUpdate;
  r.field_manager.clear();
  r.subresource = "status";
  EXPECT_EQ(api::RequestUri(r), "/apis/apps/v1/namespaces/default/replicasets/web/status");
  r = api::Request();
  r.verb = Verb::kList;
  r.resource = kinds.ByName("nodes");
  r.list = Options("7", "NotOlderThan", 500);
  EXPECT_EQ(api::RequestUri(r),
            "/api/v1/nodes?limit=500&resourceVersion=7&resourceVersionMatch=NotOlderThan");
}

}  // namespace
}  // namespace ksim::apiserver
