// Webhooks on the way of a request: configurations, denials, order, dry runs, warnings, the
// network.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/apiserver/admission/webhook/fake_webhook.h"

namespace ksim::apiserver {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using value::Obj;
using value::Path;
using value::Value;

// API-213
TEST(WebhookRequests, AConfigurationTakesEffectWhenTheServerHearsOfIt) {
  WebhookWorld world;
  world.server().faults().watch_cache(world.Kind("validatingwebhookconfigurations")).Freeze();
  world.Validating("{}");
  world.CreateMap("a");
  EXPECT_THAT(world.hooks.reviews, IsEmpty());
  world.server().faults().watch_cache(world.Kind("validatingwebhookconfigurations")).Thaw();
  world.Advance(Seconds(1));
  world.CreateMap("b");
  EXPECT_EQ(world.hooks.reviews.size(), 1u);
  world.Delete("validatingwebhookconfigurations", "", "v");
  world.Advance(Seconds(1));
  world.CreateMap("c");
  EXPECT_EQ(world.hooks.reviews.size(), 1u);
}

// API-213
TEST(WebhookRequests, AServerThatStartsWaitsForItsConfigurations) {
  for (const bool mutating : {true, false}) {
    WebhookWorld world;
    mutating ? world.Mutating("{}") : world.Validating("{}");
    world.hooks.judge = [](const Value&) { return Denying("{}"); };
    world.server().process().Kill();
    world.server().Start();
    // Nothing else in the creation of a node has to wait.
    EXPECT_EQ(world.Create("nodes", "", Json(R"({"metadata":{"name":"n"}})")).code, 400);
    EXPECT_EQ(world.hooks.reviews.size(), 1u);
  }
}

// API-213
TEST(WebhookRequests, ACacheThatBeginsAnewLeavesTheWebhooksKnown) {
  WebhookWorld world;
  world.Validating("{}");
  world.CreateMap("a");
  world.hooks.judge = [](const Value&) { return Denying("{}"); };
  for (const char* resource : {"validatingwebhookconfigurations", "namespaces"})
    world.server().faults().watch_cache(world.Kind(resource)).Reinit();
  const VirtualTime before = world.sim.now();
  EXPECT_EQ(world.CreateMap("b").code, 400);
  EXPECT_LT(world.sim.now() - before, Milliseconds(200));
}

// API-213
TEST(WebhookRequests, AServerThatDoesNotHearOfItsConfigurationsRefuses) {
  WebhookWorld world;
  world.Validating("{}");
  world.server().process().Kill();
  world.etcd.process().Kill();
  world.server().Start();
  const VirtualTime before = world.sim.now();
  const api::Response r = world.Create("nodes", "", Json(R"({"metadata":{"name":"n"}})"));
  EXPECT_EQ(r.code, 403);
  EXPECT_EQ(r.status.message, "nodes \"n\" is forbidden: not yet ready to handle request");
  EXPECT_EQ(world.sim.now() - before, Seconds(10));
}

// API-134
TEST(WebhookRequests, ADenialHasTheCodeAndTheWordsOfTheWebhook) {
  const struct {
    const char* status;
    int code;
    const char* message;
  } kCases[] = {
      {"null", 400, "admission webhook \"a.b.c\" denied the request without explanation"},
      {R"({"message":"no"})", 400, "admission webhook \"a.b.c\" denied the request: no"},
      {R"({"reason":"Why"})", 400, "admission webhook \"a.b.c\" denied the request: Why"},
      {R"({"code":403,"message":"no","reason":"Forbidden"})", 403,
       "admission webhook \"a.b.c\" denied the request: no"},
      {R"({"code":200,"status":"Success","message":"no"})", 400,
       "admission webhook \"a.b.c\" denied the request: no"},
  };
  for (const char* kind : {"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"}) {
    for (const auto& c : kCases) {
      WebhookWorld world;
      world.Configure(kind, "c", "{}");
      world.hooks.judge = [&](const Value&) { return Denying(c.status); };
      const api::Response r = world.CreateMap("a");
      EXPECT_EQ(r.code, c.code);
      EXPECT_EQ(r.status.message, c.message);
      EXPECT_EQ(world.Get("configmaps", "default", "a").code, 404);
    }
  }
}

// API-134
TEST(WebhookRequests, AnUpdateIsDeniedBeforeItIsStored) {
  WebhookWorld world;
  world.CreateMap("a");
  world.Validating("{}");
  world.hooks.judge = [](const Value&) { return Denying(R"({"message":"no"})"); };
  EXPECT_EQ(world.Update("configmaps", ConfigMap("default", "a", "new")).code, 400);
  EXPECT_EQ(world.Get("configmaps", "default", "a").object.tree().Get("data").Get("k").AsString(),
            "x");
}

// API-218
TEST(WebhookRequests, ValidatingOnesAreAskedAtATime) {
  WebhookWorld world;
  FakeWebhook slow(world.sim, "slow");
  world.directory.servers["https://slow.example.com/"] = &slow;
  world.Validating(R"({"name":"slow.b.c","clientConfig":{"url":"https://slow.example.com/"}},
                      {"name":"fast.b.c"})");
  slow.takes = Seconds(3);
  world.hooks.takes = Seconds(2);
  const VirtualTime before = world.sim.now();
  EXPECT_EQ(world.CreateMap("a").code, 201);
  EXPECT_LT(world.sim.now() - before, Seconds(4));
  // The first refusal that arrives counts.
  slow.judge = world.hooks.judge = [](const Value&) { return Denying("{}"); };
  EXPECT_THAT(world.CreateMap("b").status.message.str(), HasSubstr("\"fast.b.c\" denied"));
  world.hooks.takes = Seconds(5);
  EXPECT_THAT(world.CreateMap("c").status.message.str(), HasSubstr("\"slow.b.c\" denied"));
}

// API-218
TEST(WebhookRequests, MutatingOnesComeBeforeValidation) {
  WebhookWorld world;
  world.Mutating("{}");
  world.Validating("{}");
  std::vector<bool> with_uid;
  world.hooks.judge = [&](const Value& asked) {
    with_uid.push_back(!asked.Get("object").Get("metadata").Get("uid").is_null());
    return Obj({{"allowed", Value::Of(true)}});
  };
  Value bad = ConfigMap("default", "a").Set(Path{"data"}, Json(R"({"not a key":"x"})"));
  EXPECT_EQ(world.Create("configmaps", "default", bad).code, 422);
  EXPECT_EQ(with_uid, std::vector<bool>({false})) << "what is invalid is judged no further";
  with_uid.clear();
  EXPECT_EQ(world.CreateMap("a").code, 201);
  EXPECT_EQ(with_uid, std::vector<bool>({false, true}));
}

// API-218: an attempt that loses the race is judged again, on the newer state.
TEST(WebhookRequests, AnUpdateIsJudgedOnEachState) {
  WebhookWorld world;
  world.CreateMap("a");
  world.Validating("{}");
  world.hooks.takes = Seconds(1);
  api::Request patch = world.Request(api::Verb::kPatch, "configmaps", "default", "a");
  patch.patch_type = api::PatchType::kMerge;
  patch.body = Json(R"({"data":{"one":"1"}})");
  api::Request other = patch;
  other.body = Json(R"({"data":{"two":"2"}})");
  const auto first = world.Start(patch);
  const auto second = world.Start(other);
  world.RunUntil([&] { return World::Answered(first) && World::Answered(second); });
  EXPECT_EQ(first->code, 200);
  EXPECT_EQ(second->code, 200);
  EXPECT_EQ(world.hooks.reviews.size(), 3u);
  EXPECT_EQ(world.Get("configmaps", "default", "a").object.tree().Get("data").size(), 3u);
}

// API-219
TEST(WebhookRequests, ADryRunNeedsAWebhookWithoutSideEffects) {
  WebhookWorld world;
  world.Validating(R"({"sideEffects":"NoneOnDryRun"})");
  api::Request create = world.Request(api::Verb::kCreate, "configmaps", "default", "");
  create.body = ConfigMap("default", "a");
  create.dry_run = true;
  EXPECT_EQ(world.Do(create).code, 201);
  EXPECT_EQ(world.last_request().Get("dryRun"), Value::Of(true));
  EXPECT_EQ(world.last_request().Get("options").Get("dryRun"), Json(R"(["All"])"));
  EXPECT_EQ(world.Get("configmaps", "default", "a").code, 404);
}

// API-219: a webhook with side effects, as they were allowed once, is not called in a dry run.
TEST(WebhookRequests, ADryRunRefusesSideEffectsWhateverTheFailurePolicy) {
  for (const char* resource :
       {"mutatingwebhookconfigurations", "validatingwebhookconfigurations"}) {
    WebhookWorld world;
    world.Configure(
        resource[0] == 'm' ? "MutatingWebhookConfiguration" : "ValidatingWebhookConfiguration", "c",
        R"({"failurePolicy":"Ignore"})");
    const Value made = world.Get(resource, "", "c").object.tree();
    const Value effects = made.Set(*Path::Parse("webhooks[0].sideEffects"), Value::Of("Some"));
    const auto stored = world.store().Put(
        store::PutRequest(api::StorageKey(world.Kind(resource), "", "c"), effects));
    ASSERT_TRUE(stored.ok());
    world.Advance(Seconds(1));
    api::Request create = world.Request(api::Verb::kCreate, "configmaps", "default", "");
    create.body = ConfigMap("default", "a");
    create.dry_run = true;
    const api::Response refused = world.Do(create);
    EXPECT_EQ(refused.code, 400);
    EXPECT_EQ(refused.status.message, "admission webhook \"a.b.c\" does not support dry run");
    EXPECT_EQ(world.CreateMap("a").code, 201);
    EXPECT_EQ(world.hooks.reviews.size(), 1u);
  }
}

// API-219
TEST(WebhookRequests, WarningsReachTheClient) {
  WebhookWorld world;
  world.Mutating("{}");
  world.Validating("{}");
  world.hooks.judge = [](const Value&) {
    return Json(R"({"allowed":true,"warnings":["mind","the gap"]})");
  };
  EXPECT_THAT(world.CreateMap("a").warnings, ElementsAre("mind", "the gap"));
}

// API-219
TEST(WebhookRequests, AnnotationsReachTheAuditLog) {
  AuditLog log;
  WorldOptions options;
  options.server.audit = &log;
  WebhookWorld world(options);
  world.Mutating("{}");
  world.Validating(R"({"failurePolicy":"Ignore","name":"x.b.c",
      "clientConfig":{"service":{"name":"none","namespace":"default"}}})");
  world.hooks.judge = [](const Value&) {
    return Patching(R"([{"op":"add","path":"/data/b","value":"c"}])")
        .Set("auditAnnotations", Json(R"({"key":"text"})"));
  };
  EXPECT_EQ(world.CreateMap("a").code, 201);
  const Value& annotations = log.events().back().Get("annotations");
  EXPECT_EQ(annotations.Get("a.b.c/key").AsString(), "text");
  EXPECT_EQ(annotations.Get("mutation.webhook.admission.k8s.io/round_0_index_0").AsString(),
            R"({"configuration":"m","webhook":"a.b.c","mutated":true})");
  EXPECT_EQ(annotations.Get("patch.webhook.admission.k8s.io/round_0_index_0").AsString(),
            R"({"configuration":"m","webhook":"a.b.c","patch":[{"op":"add","path":"/data/b",)"
            R"("value":"c"}],"patchType":"JSONPatch"})");
  EXPECT_EQ(
      annotations.Get("failed-open.validating.webhook.admission.k8s.io/round_0_index_0").AsString(),
      "x.b.c");
}

// API-220
TEST(WebhookRequests, ACallTakesTheWayThroughTheNetwork) {
  WebhookWorld world;
  world.Validating(R"({"timeoutSeconds":5})");
  world.network.Cut("kube-apiserver-0", "webhook");
  const VirtualTime before = world.sim.now();
  EXPECT_EQ(
      world.CreateMap("a").status.message,
      FailedCall("context deadline exceeded", "https://hooks.default.svc:443/judge?timeout=5s"));
  EXPECT_EQ(world.sim.now() - before, Seconds(5));
  EXPECT_THAT(world.hooks.reviews, IsEmpty());
  world.network.Mend("kube-apiserver-0", "webhook");
  EXPECT_EQ(world.CreateMap("a").code, 201);
}

// API-220
TEST(WebhookRequests, ARequestEndsBeforeItsWebhooksDo) {
  WebhookWorld world;
  world.Mutating(R"({"name":"a.b.c","timeoutSeconds":30,"failurePolicy":"Ignore"},
                    {"name":"d.b.c","timeoutSeconds":30,"failurePolicy":"Ignore"})");
  world.hooks.takes = Minutes(2);
  const VirtualTime before = world.sim.now();
  const api::Response r = world.CreateMap("a");
  EXPECT_EQ(r.code, 504);
  EXPECT_EQ(world.sim.now() - before, Seconds(34));
  EXPECT_EQ(world.hooks.requests[1].path, "/judge?timeout=4s");
  world.Advance(Minutes(3));
  EXPECT_EQ(world.Get("configmaps", "default", "a").code, 404);
}

// API-220
TEST(WebhookRequests, AServerMayDieWhileItAsks) {
  WebhookWorld world;
  world.Validating("{}");
  world.hooks.takes = Seconds(2);
  api::Request create = world.Request(api::Verb::kCreate, "configmaps", "default", "");
  create.body = ConfigMap("default", "a");
  const auto lost = world.Start(create);
  world.Advance(Seconds(1));
  ASSERT_EQ(world.hooks.reviews.size(), 1u);
  world.server().process().Kill();
  world.Advance(Seconds(5));
  EXPECT_FALSE(World::Answered(lost));
  world.server().Start();
  world.hooks.takes = Duration();
  EXPECT_EQ(world.CreateMap("a").code, 201);
}

}  // namespace
}  // namespace ksim::apiserver
