#include "tests/apiserver/admission/webhook/fake_webhook.h"

#include "ksim/value/base64.h"

namespace ksim::apiserver {

using value::Obj;
using value::Path;
using value::Value;

WebhookAnswer FakeWebhook::Answer(const WebhookRequest& request) const {
  if (answer) return answer(request);
  const Value review = Json(request.body);
  const Value& asked = review.Get("request");
  Value response = judge ? judge(asked) : Obj({{"allowed", Value::Of(true)}});
  response = response.Set("uid", asked.Get("uid"));
  return WebhookAnswer(value::ToJson(Obj({{"apiVersion", review.Get("apiVersion")},
                                          {"kind", Value::Of("AdmissionReview")},
                                          {"response", response}})));
}

void FakeWebhook::Accept(WebhookRequest request, Reply reply) {
  reviews.push_back(Json(request.body));
  requests.push_back(request);
  if (drops) return;
  sim_.After(takes, sim::TimerKind::kWork, "fake webhook",
             [this, request = std::move(request), reply = std::move(reply)]() mutable {
               reply(Answer(request));
             });
}

WebhookWorld::WebhookWorld(const WorldOptions& options) : World(options), hooks(sim, "webhook") {
  shared.webhooks = &directory;
  directory.servers["default/hooks"] = &hooks;
  const api::Response service = Create("services", "default", Json(R"({"metadata":{"name":"hooks"},
      "spec":{"ports":[{"name":"a","port":443},{"name":"b","port":8443}]}})"));
  EXPECT_EQ(service.code, 201) << service.status.message;
  Advance(Seconds(1));
}

void WebhookWorld::Configure(std::string_view kind, std::string_view name, std::string_view json) {
  std::vector<Value> webhooks;
  const Value given = Json("[" + std::string(json) + "]");
  for (Value hook : given.items()) {
    const Value defaults = Json(R"({"name":"a.b.c","sideEffects":"None",
        "admissionReviewVersions":["v1"],
        "clientConfig":{"service":{"name":"hooks","namespace":"default","path":"/judge"}},
        "rules":[{"operations":["*"],"apiGroups":[""],"apiVersions":["*"],"resources":["*"]}]})");
    for (const Value::Member& m : defaults.members())
      if (!hook.Has(m.name.text())) hook = hook.Set(m.name.text(), m.value);
    webhooks.push_back(std::move(hook));
  }
  const std::string resource =
      kind.starts_with("M") ? "mutatingwebhookconfigurations" : "validatingwebhookconfigurations";
  const api::Response made = Create(resource, "",
                                    Obj({{"metadata", Obj({{"name", Value::Of(name)}})},
                                         {"webhooks", Value::Array(std::move(webhooks))}}));
  ASSERT_EQ(made.code, 201) << made.status.message;
  Advance(Seconds(1));
}

Value Patching(std::string_view patch) {
  return Obj({{"allowed", Value::Of(true)},
              {"patchType", Value::Of("JSONPatch")},
              {"patch", Value::Of(value::Base64(patch))}});
}

Value Denying(std::string_view status) {
  return Obj({{"allowed", Value::Of(false)}, {"status", Json(status)}});
}

std::string FailedCall(std::string_view why, std::string_view url) {
  return "Internal error occurred: failed calling webhook \"a.b.c\": failed to call webhook: Post "
         "\"" +
         std::string(url) + "\": " + std::string(why);
}

}  // namespace ksim::apiserver
