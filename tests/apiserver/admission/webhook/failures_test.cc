// Webhooks that cannot be reached, or whose answers are none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "ksim/value/base64.h"
#include "tests/apiserver/admission/webhook/fake_webhook.h"

namespace ksim::apiserver {
namespace {

using ::testing::HasSubstr;
using value::Value;

// API-217
TEST(WebhookFailures, FailuresAreToldInUpstreamsWords) {
  WebhookWorld world;
  world.Validating("{}");
  const auto message = [&] {
    const api::Response r = world.CreateMap("a");
    EXPECT_EQ(r.code, 500);
    EXPECT_EQ(r.status.reason, "InternalError");
    return r.status.message.str();
  };
  world.hooks.takes = Seconds(11);
  const VirtualTime before = world.sim.now();
  EXPECT_EQ(message(), FailedCall("context deadline exceeded"));
  EXPECT_EQ(world.sim.now() - before, Seconds(10));
  world.hooks.takes = Duration();
  world.hooks.drops = true;
  EXPECT_EQ(message(), FailedCall("EOF"));
  world.hooks.drops = false;
  world.hooks.listens = false;
  EXPECT_THAT(message(), testing::MatchesRegex(
                             ".*timeout=10s\": dial tcp 10.[0-9]+.[0-9]+.[0-9]+:443: connect: "
                             "connection refused"));
  world.directory.servers.clear();
  EXPECT_THAT(message(), HasSubstr("connect: connection refused"));
}

// API-217
TEST(WebhookFailures, PlacesThatDoNotExistAreToldInUpstreamsWords) {
  const struct {
    const char* client;
    const char* why;
    const char* url;
  } kCases[] = {
      {R"({"service":{"name":"none","namespace":"default"}})", "service \"none\" not found",
       "https://none.default.svc:443/?timeout=10s"},
      {R"({"service":{"name":"hooks","namespace":"default","port":80}})",
       "no service port 80 found for service \"hooks\"",
       "https://hooks.default.svc:80/?timeout=10s"},
      {R"({"url":"https://hooks.example.com/p/"})",
       "dial tcp: lookup hooks.example.com: no such host",
       "https://hooks.example.com/p?timeout=10s"},
      {R"({"url":"https://127.0.0.1:9443/p"})",
       "dial tcp 127.0.0.1:9443: connect: connection refused",
       "https://127.0.0.1:9443/p?timeout=10s"},
  };
  for (const auto& c : kCases) {
    WebhookWorld world;
    world.Validating(std::string(R"({"clientConfig":)") + c.client + "}");
    EXPECT_EQ(world.CreateMap("a").status.message, FailedCall(c.why, c.url));
  }
}

// API-217
TEST(WebhookFailures, WithoutAnybodyWhoServesNothingPasses) {
  World world;
  world.Create("validatingwebhookconfigurations", "", Json(R"({"metadata":{"name":"v"},
    "webhooks":[{"name":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"],
    "clientConfig":{"service":{"name":"s","namespace":"n"}},"rules":[{"operations":["*"],
    "apiGroups":["*"],"apiVersions":["*"],"resources":["*"]}]}]})"));
  world.Advance(Seconds(1));
  const api::Response r = world.Create("configmaps", "default", ConfigMap("default", "a"));
  EXPECT_EQ(r.code, 500);
  EXPECT_EQ(
      r.status.message,
      "Internal error occurred: failed calling webhook \"a.b.c\": failed to call webhook: Post "
      "\"https://s.n.svc:443/?timeout=10s\": service \"s\" not found");
}

// API-217
TEST(WebhookFailures, FailurePolicyIgnoreLetsFailuresPass) {
  for (const char* kind : {"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"}) {
    WebhookWorld world;
    world.Configure(kind, "c", R"({"failurePolicy":"Ignore"})");
    world.hooks.drops = true;
    EXPECT_EQ(world.CreateMap("a").code, 201);
    world.hooks.drops = false;
    world.hooks.judge = [](const Value&) { return Denying("{}"); };
    EXPECT_EQ(world.CreateMap("b").code, 400) << "a denial is no failure";
  }
}

// API-217
TEST(WebhookFailures, AnswersThatAreNoReviewFail) {
  const struct {
    int status;
    const char* type;
    const char* body;
    const char* why;
  } kCases[] = {
      {404, "text/plain; charset=utf-8", "404 page not found\n",
       "failed to call webhook: the server could not find the requested resource"},
      {500, "text/plain", "oh no\n",
       "failed to call webhook: an error on the server (\"oh no\") has prevented the request from "
       "succeeding"},
      {503, "", "", "failed to call webhook: the server is currently unable to handle the request"},
      {418, "", "",
       "failed to call webhook: the server responded with the status code 418 but did not return "
       "more information"},
      {403, "application/json",
       R"({"apiVersion":"v1","kind":"Status","status":"Failure","message":"not you"})",
       "failed to call webhook: not you"},
      {200, "application/json", "",
       "failed to call webhook: 0-length response with status code: 200 and content type: "
       "application/json"},
      {200, "application/json", "hello",
       "failed to call webhook: couldn't get version/kind; json parse error: invalid character 'h' "
       "looking for beginning of value"},
      {200, "application/json", "{}",
       "received invalid webhook response: webhook response was absent"},
      {200, "application/json", R"({"response":{"uid":"x","allowed":"yes"}})",
       "failed to call webhook: json: cannot unmarshal string into Go struct field "
       "AdmissionResponse.response.allowed of type bool"},
      {200, "application/json",
       R"({"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview","response":{}})",
       "failed to call webhook: converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): "
       "unknown conversion"},
  };
  for (const auto& c : kCases) {
    WebhookWorld world;
    world.Validating("{}");
    world.hooks.answer = [&](const WebhookRequest&) {
      WebhookAnswer answer(c.body, c.status);
      answer.content_type = c.type;
      return answer;
    };
    EXPECT_EQ(world.CreateMap("a").status.message,
              std::string("Internal error occurred: failed calling webhook \"a.b.c\": ") + c.why);
  }
}

// API-217
TEST(WebhookFailures, AnswersAreVerified) {
  const struct {
    const char* kind;
    const char* response;  // U stands for the right uid
    const char* why;
  } kCases[] = {
      {"V", R"({"uid":"other"})", "expected response.uid=\"U\", got \"other\""},
      {"V", R"({"uid":"U","patch":"W10=","patchType":"JSONPatch"})",
       "validating webhook may not return response.patch"},
      {"V", R"({"uid":"U","patchType":"JSONPatch"})",
       "validating webhook may not return response.patchType"},
      {"M", R"({"uid":"U","patch":"W10="})",
       "webhook returned response.patch but not response.patchType"},
      {"M", R"({"uid":"U","patchType":"JSONPatch"})",
       "webhook returned response.patchType but not response.patch"},
      {"M", R"({"uid":"U","patch":"W10=","patchType":""})",
       "webhook returned invalid response.patchType of \"\""},
  };
  for (const auto& c : kCases) {
    WebhookWorld world;
    world.Configure(
        c.kind[0] == 'M' ? "MutatingWebhookConfiguration" : "ValidatingWebhookConfiguration", "c",
        "{}");
    std::string uid;
    const auto with_uid = [&](std::string text) {
      for (std::size_t at = 0; (at = text.find("\"U\"", at)) != text.npos; at += uid.size())
        text.replace(at + 1, 1, uid);
      return text;
    };
    world.hooks.answer = [&](const WebhookRequest& request) {
      uid = Json(request.body).Get("request").Get("uid").AsString();
      return WebhookAnswer(R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview",)"
                           R"("response":)" +
                           with_uid(c.response) + "}");
    };
    const std::string said = world.CreateMap("a").status.message.str();
    EXPECT_EQ(said, with_uid("Internal error occurred: failed calling webhook \"a.b.c\": received "
                             "invalid webhook response: " +
                             std::string(c.why)));
  }
}

// API-217
TEST(WebhookFailures, AnswersOfV1SayThatTheyAre) {
  WebhookWorld world;
  world.Validating("{}");
  world.hooks.answer = [](const WebhookRequest& request) {
    const std::string uid(Json(request.body).Get("request").Get("uid").AsString());
    return WebhookAnswer(R"({"response":{"allowed":true,"uid":")" + uid + "\"}}");
  };
  EXPECT_THAT(world.CreateMap("a").status.message.str(),
              HasSubstr("expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, "
                        "got /, Kind="));
}

// API-211, API-217
TEST(WebhookFailures, V1beta1IsSpokenAndNotVerified) {
  WebhookWorld world;
  world.Mutating(R"({"admissionReviewVersions":["v9","v1beta1","v1"]})");
  world.hooks.answer = [](const WebhookRequest&) {
    return WebhookAnswer(R"({"response":{"allowed":true,"patch":")" +
                         value::Base64(R"([{"op":"add","path":"/data/b","value":"c"}])") + "\"}}");
  };
  const api::Response made = world.CreateMap("a");
  EXPECT_EQ(made.code, 201) << made.status.message;
  EXPECT_TRUE(made.object.tree().Get("data").Has("b"));
  EXPECT_EQ(world.hooks.reviews[0].Get("apiVersion").AsString(), "admission.k8s.io/v1beta1");
}

}  // namespace
}  // namespace ksim::apiserver
