// Admission webhooks: whether they are asked, and what they are shown.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/apiserver/admission/webhook/fake_webhook.h"

namespace ksim::apiserver {
namespace {

using ::testing::IsEmpty;
using value::Obj;
using value::Path;
using value::Value;

// API-211
TEST(Webhooks, AreAskedWithAReview) {
  WebhookWorld world;
  world.Validating("{}");
  api::Request create = world.Request(api::Verb::kCreate, "configmaps", "default", "");
  create.body = ConfigMap("default", "a");
  create.field_manager = "me";
  {
    const api::Response made = world.Do(create);
    EXPECT_EQ(made.code, 201) << made.status.message;
  }
  ASSERT_EQ(world.hooks.requests.size(), 1u);
  const WebhookRequest& request = world.hooks.requests[0];
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/judge?timeout=10s");
  EXPECT_EQ(request.host, "hooks.default.svc:443");
  EXPECT_EQ(request.target.service, "hooks");
  EXPECT_EQ(request.target.service_namespace, "default");
  EXPECT_EQ(request.target.port, 443);
  const Value& review = world.hooks.reviews[0];
  EXPECT_EQ(review.Get("apiVersion").AsString(), "admission.k8s.io/v1");
  EXPECT_EQ(review.Get("kind").AsString(), "AdmissionReview");
  const Value& asked = review.Get("request");
  EXPECT_EQ(asked.Get("uid").AsString().size(), 36u);
  const Value kind = Json(R"({"group":"","kind":"ConfigMap","version":"v1"})");
  const Value resource = Json(R"({"group":"","resource":"configmaps","version":"v1"})");
  EXPECT_EQ(asked.Get("kind"), kind);
  EXPECT_EQ(asked.Get("requestKind"), kind);
  EXPECT_EQ(asked.Get("resource"), resource);
  EXPECT_EQ(asked.Get("requestResource"), resource);
  EXPECT_FALSE(asked.Has("subResource"));
  EXPECT_FALSE(asked.Has("requestSubResource"));
  EXPECT_EQ(asked.Get("name").AsString(), "a");
  EXPECT_EQ(asked.Get("namespace").AsString(), "default");
  EXPECT_EQ(asked.Get("operation").AsString(), "CREATE");
  EXPECT_EQ(asked.Get("userInfo"), Json(R"({"username":"system:admin","groups":["system:masters",
                     "system:authenticated"]})"));
  EXPECT_EQ(asked.Get("dryRun"), Value::Of(false));
  EXPECT_TRUE(asked.Has("oldObject"));
  EXPECT_TRUE(asked.Get("oldObject").is_null());
  EXPECT_EQ(asked.Get("options"), Json(R"({"apiVersion":"meta.k8s.io/v1","kind":"CreateOptions",
                                           "fieldManager":"me"})"));
  // A validating webhook sees the object as it would be stored.
  EXPECT_EQ(asked.Get("object").Get("data"), Json(R"({"k":"x"})"));
  EXPECT_FALSE(asked.Get("object").Get("metadata").Get("uid").is_null());
}

// API-211
TEST(Webhooks, SeeBothStatesOfAnUpdate) {
  WebhookWorld world;
  const std::string rv = std::to_string(world.CreateMap("a").object.resource_version());
  world.Validating("{}");
  EXPECT_EQ(world.Update("configmaps", ConfigMap("default", "a", "new")).code, 200);
  const Value& asked = world.last_request();
  EXPECT_EQ(asked.Get("operation").AsString(), "UPDATE");
  EXPECT_EQ(asked.Get("object").Get("data").Get("k").AsString(), "new");
  EXPECT_EQ(asked.Get("oldObject").Get("data").Get("k").AsString(), "x");
  EXPECT_EQ(asked.Get("oldObject").Get("metadata").Get("resourceVersion").AsString(), rv);
  EXPECT_EQ(asked.Get("options").Get("kind").AsString(), "UpdateOptions");
}

// API-211
TEST(Webhooks, SeeTheStoredObjectOfADelete) {
  WebhookWorld world;
  world.Create("pods", "default", Pod("default", "p", "n"));
  world.Validating(R"({"rules":[{"operations":["DELETE"],"apiGroups":[""],"apiVersions":["v1"],
                       "resources":["pods"]}]})");
  EXPECT_EQ(world.Delete("pods", "default", "p").code, 200);
  ASSERT_EQ(world.hooks.reviews.size(), 1u);
  const Value& asked = world.last_request();
  EXPECT_EQ(asked.Get("operation").AsString(), "DELETE");
  EXPECT_TRUE(asked.Get("object").is_null());
  EXPECT_EQ(asked.Get("oldObject").Get("metadata").Get("name").AsString(), "p");
  EXPECT_EQ(asked.Get("options"), Json(R"({"apiVersion":"meta.k8s.io/v1","kind":"DeleteOptions",
                                           "gracePeriodSeconds":30})"));
}

// API-109, API-211
TEST(Webhooks, ADeleteIsRefusedByWhatIsStored) {
  WebhookWorld world;
  world.CreateMap("keep");
  world.CreateMap("drop");
  world.Validating("{}");
  world.hooks.judge = [](const Value& asked) {
    const bool keep = asked.Get("oldObject").Get("metadata").Get("name").AsString() == "keep";
    return keep ? Denying(R"({"message":"kept"})") : Obj({{"allowed", Value::Of(true)}});
  };
  EXPECT_EQ(world.Delete("configmaps", "default", "keep").code, 400);
  EXPECT_EQ(world.Delete("configmaps", "default", "drop").code, 200);
  EXPECT_EQ(world.Get("configmaps", "default", "keep").code, 200);
  EXPECT_EQ(world.Get("configmaps", "default", "drop").code, 404);
}

// API-109
TEST(Webhooks, ADeleteIsJudgedAgainIfTheObjectHasChanged) {
  WebhookWorld world;
  world.CreateMap("a");
  world.Validating(R"({"rules":[{"operations":["DELETE"],"apiGroups":[""],"apiVersions":["v1"],
                       "resources":["configmaps"]}]})");
  world.hooks.takes = Seconds(1);
  const auto deleted = world.Start(world.Request(api::Verb::kDelete, "configmaps", "default", "a"));
  world.Advance(Milliseconds(500));
  EXPECT_EQ(world.Update("configmaps", ConfigMap("default", "a", "new")).code, 200);
  world.RunUntil([&] { return World::Answered(deleted); });
  EXPECT_EQ(deleted->code, 200);
  ASSERT_EQ(world.hooks.reviews.size(), 2u);
  EXPECT_EQ(world.last_request().Get("oldObject").Get("data").Get("k").AsString(), "new");
}

// API-211
TEST(Webhooks, AnEvictionIsNoDelete) {
  WebhookWorld world;
  world.Create("pods", "default", Pod("default", "p"));
  world.Validating(R"({"rules":[{"operations":["*"],"apiGroups":["*"],"apiVersions":["*"],
                       "resources":["pods","pods/eviction"]}]})");
  api::Request evict = world.Request(api::Verb::kCreate, "pods", "default", "p");
  evict.subresource = "eviction";
  evict.body = Json(R"({"apiVersion":"policy/v1","kind":"Eviction",
                        "metadata":{"name":"p","namespace":"default"}})");
  EXPECT_EQ(world.Do(evict).code, 201);
  ASSERT_EQ(world.hooks.reviews.size(), 1u);
  EXPECT_EQ(world.last_request().Get("kind").Get("kind").AsString(), "Eviction");
  EXPECT_EQ(world.last_request().Get("operation").AsString(), "CREATE");
}

// API-211: without a namespace of their own, namespaces are in that of their name.
TEST(Webhooks, ANamespaceIsInItself) {
  WebhookWorld world;
  world.Validating(R"({"namespaceSelector":{"matchLabels":{"on":"yes"}}})");
  world.Create("namespaces", "", Json(R"({"metadata":{"name":"off"}})"));
  EXPECT_THAT(world.hooks.reviews, IsEmpty());
  world.Create("namespaces", "", Json(R"({"metadata":{"name":"n","labels":{"on":"yes"}}})"));
  ASSERT_EQ(world.hooks.reviews.size(), 1u);
  EXPECT_EQ(world.last_request().Get("namespace").AsString(), "n");
  EXPECT_EQ(world.last_request().Get("name").AsString(), "n");
  world.hooks.judge = [](const Value&) { return Denying("{}"); };
  EXPECT_EQ(world.Delete("namespaces", "", "n").code, 400);
  EXPECT_EQ(world.Delete("namespaces", "", "off").code, 200);
}

// API-211
TEST(Webhooks, AScaleIsAScale) {
  WebhookWorld world;
  world.Create("replicasets", "default", Json(R"({"metadata":{"name":"r"},"spec":{"replicas":1,
    "selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},
    "spec":{"containers":[{"name":"c","image":"i"}]}}}})"));
  world.Mutating(R"({"rules":[{"operations":["*"],"apiGroups":["apps"],"apiVersions":["v1"],
                     "resources":["replicasets/scale"]}]})");
  world.hooks.judge = [](const Value&) {
    return Patching(R"([{"op":"replace","path":"/spec/replicas","value":7}])");
  };
  const api::Response scaled = world.Patch("replicasets", "default", "r", api::PatchType::kMerge,
                                           R"({"spec":{"replicas":3}})", "scale");
  EXPECT_EQ(scaled.code, 200) << scaled.status.message;
  EXPECT_EQ(scaled.object.spec().Get("replicas").AsInt(), 7);
  const Value& asked = world.last_request();
  EXPECT_EQ(asked.Get("kind"), Json(R"({"group":"autoscaling","kind":"Scale","version":"v1"})"));
  EXPECT_EQ(asked.Get("subResource").AsString(), "scale");
  EXPECT_EQ(asked.Get("requestSubResource").AsString(), "scale");
  EXPECT_EQ(asked.Get("object").Get("spec").Get("replicas").AsInt(), 3);
  EXPECT_EQ(asked.Get("oldObject").Get("spec").Get("replicas").AsInt(), 1);
  EXPECT_EQ(asked.Get("object").Get("kind").AsString(), "Scale");
}

// API-212
TEST(Webhooks, RulesSayWhatIsAsked) {
  const struct {
    const char* rule;
    bool asked;
  } kCases[] = {
      {R"("operations":["CREATE"],"apiGroups":[""],
          "apiVersions":["v1"],"resources":["configmaps"])",
       true},
      {R"("operations":["UPDATE","DELETE"],"apiGroups":[""],
          "apiVersions":["v1"],"resources":["*"])",
       false},
      {R"("operations":["*"],"apiGroups":["apps"],"apiVersions":["*"],"resources":["*"])", false},
      {R"("operations":["*"],"apiGroups":["*"],"apiVersions":["v2"],"resources":["*"])", false},
      {R"("operations":["*"],"apiGroups":["*"],"apiVersions":["*"],"resources":["pods"])", false},
      {R"("operations":["*"],"apiGroups":["*"],"apiVersions":["*"],"resources":["*/*"])", true},
      {R"("operations":["*"],"apiGroups":["*"],"apiVersions":["*"],"resources":["configmaps/x"])",
       false},
      {R"("operations":["*"],"apiGroups":["*"],"apiVersions":["*"],"resources":["configmaps/*"])",
       true},
      {R"("scope":"Namespaced","operations":["*"],"apiGroups":["*"],"apiVersions":["*"],
          "resources":["*"])",
       true},
      {R"("scope":"Cluster","operations":["*"],"apiGroups":["*"],"apiVersions":["*"],
          "resources":["*"])",
       false},
  };
  for (const auto& c : kCases) {
    WebhookWorld world;
    world.Validating(std::string(R"({"rules":[{)") + c.rule + "}]}");
    EXPECT_EQ(world.CreateMap("a").code, 201);
    EXPECT_EQ(!world.hooks.reviews.empty(), c.asked) << c.rule;
  }
}

// API-212
TEST(Webhooks, NamespacesAreOfTheCluster) {
  WebhookWorld world;
  world.Validating(R"({"rules":[{"scope":"Cluster","operations":["*"],"apiGroups":["*"],
                       "apiVersions":["*"],"resources":["*"]}]})");
  world.Create("namespaces", "", Json(R"({"metadata":{"name":"n"}})"));
  EXPECT_EQ(world.hooks.reviews.size(), 1u);
}

// API-212
TEST(Webhooks, SelectorsLookAtNamespaceAndObject) {
  WebhookWorld world;
  world.Create("namespaces", "", Json(R"({"metadata":{"name":"on","labels":{"hooked":"yes"}}})"));
  world.Advance(Seconds(1));
  world.Validating(R"({"namespaceSelector":{"matchLabels":{"hooked":"yes"}},
                       "objectSelector":{"matchLabels":{"app":"a"}}})");
  const Value labels = Json(R"({"app":"a"})");
  const Path kLabels{"metadata", "labels"};
  world.Create("configmaps", "default", ConfigMap("default", "m").Set(kLabels, labels));
  EXPECT_THAT(world.hooks.reviews, IsEmpty()) << "the namespace is not selected";
  world.Create("configmaps", "on", ConfigMap("on", "m"));
  EXPECT_THAT(world.hooks.reviews, IsEmpty()) << "the object is not selected";
  world.Update("configmaps", ConfigMap("on", "m").Set(kLabels, labels));
  EXPECT_EQ(world.hooks.reviews.size(), 1u) << "the new object is selected";
  world.Update("configmaps", ConfigMap("on", "m"));
  EXPECT_EQ(world.hooks.reviews.size(), 2u) << "the old object was selected";
  world.Update("configmaps", ConfigMap("on", "m", "other"));
  EXPECT_EQ(world.hooks.reviews.size(), 2u);
  // A cluster's own objects are never exempt by namespaces.
  world.Create("nodes", "", Json(R"({"metadata":{"name":"n","labels":{"app":"a"}}})"));
  EXPECT_EQ(world.hooks.reviews.size(), 3u);
}

// API-212
TEST(Webhooks, ANewNamespaceIsLookedUpInTheStore) {
  WebhookWorld world;
  world.Validating(R"({"namespaceSelector":{"matchLabels":{"hooked":"yes"}}})");
  world.server().faults().watch_cache(world.Kind("namespaces")).Freeze();
  world.Create("namespaces", "", Json(R"({"metadata":{"name":"x","labels":{"hooked":"yes"}}})"));
  world.hooks.reviews.clear();
  EXPECT_EQ(world.Create("configmaps", "x", ConfigMap("x", "m")).code, 201);
  EXPECT_EQ(world.hooks.reviews.size(), 1u);
}

// API-212
TEST(Webhooks, AnEquivalentVersionIsConverted) {
  WebhookWorld world;
  const char* kRule = R"("rules":[{"operations":["*"],"apiGroups":["events.k8s.io"],
                          "apiVersions":["v1"],"resources":["events"]}])";
  world.Validating(std::string(R"({"matchPolicy":"Exact",)") + kRule + "}");
  const Value event = Json(R"({"apiVersion":"v1","kind":"Event","metadata":{"name":"e",
    "namespace":"default"},"involvedObject":{"namespace":"default","name":"p"},"reason":"r",
    "message":"m","type":"Normal"})");
  EXPECT_EQ(world.Create("events", "default", event).code, 201);
  EXPECT_THAT(world.hooks.reviews, IsEmpty());
  world.Mutating(std::string("{") + kRule + "}");
  world.hooks.judge = [](const Value&) {
    return Patching(R"([{"op":"replace","path":"/note","value":"changed"}])");
  };
  const api::Response made =
      world.Create("events", "default", event.Set(Path{"metadata", "name"}, Value::Of("f")));
  EXPECT_EQ(made.code, 201) << made.status.message;
  EXPECT_EQ(made.object.tree().Get("message").AsString(), "changed");
  const Value& asked = world.last_request();
  EXPECT_EQ(asked.Get("kind").Get("group").AsString(), "events.k8s.io");
  EXPECT_EQ(asked.Get("requestKind").Get("group").AsString(), "");
  EXPECT_EQ(asked.Get("object").Get("apiVersion").AsString(), "events.k8s.io/v1");
  EXPECT_EQ(asked.Get("object").Get("note").AsString(), "m");
}

// API-212
TEST(Webhooks, ConfigurationsOfAdmissionAreExempt) {
  WebhookWorld world;
  world.Validating(R"({"rules":[{"operations":["*"],"apiGroups":["*"],"apiVersions":["*"],
                       "resources":["*"]}]})");
  world.hooks.judge = [](const Value&) { return Denying("{}"); };
  EXPECT_EQ(world.Delete("validatingwebhookconfigurations", "", "v").code, 200);
  EXPECT_THAT(world.hooks.reviews, IsEmpty());
}

// POLICY-09
TEST(Webhooks, AreAskedIfTheirConditionsHold) {
  WebhookWorld world;
  world.Validating(R"({"matchConditions":[
      {"name":"a","expression":"object.metadata.name != 'b'"},
      {"name":"user","expression":"request.userInfo.username == 'system:admin'"}]})");
  EXPECT_EQ(world.CreateMap("b").code, 201);
  EXPECT_THAT(world.hooks.reviews, IsEmpty());
  EXPECT_EQ(world.CreateMap("a").code, 201);
  EXPECT_EQ(world.hooks.reviews.size(), 1u);
}

// POLICY-09: a condition that cannot be told is a failure.
TEST(Webhooks, AreNotAskedIfConditionsFail) {
  constexpr const char* kFailing =
      R"("matchConditions":[{"name":"a","expression":"object.data.nix == 'x'"}])";
  WebhookWorld strict;
  strict.Validating(std::string("{") + kFailing + "}");
  const api::Response refused = strict.CreateMap("a");
  EXPECT_EQ(refused.code, 403);
  EXPECT_EQ(refused.status.message.view(),
            "configmaps \"a\" is forbidden: expression 'object.data.nix == 'x'' resulted in "
            "error: no such key: nix");
  WebhookWorld lenient;
  lenient.Validating(std::string(R"({"failurePolicy":"Ignore",)") + kFailing + "}");
  EXPECT_EQ(lenient.CreateMap("a").code, 201);
  EXPECT_THAT(lenient.hooks.reviews, IsEmpty());
  EXPECT_THAT(strict.hooks.reviews, IsEmpty());
}

}  // namespace
}  // namespace ksim::apiserver
