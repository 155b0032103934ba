// FakeWebhook: a native program that serves webhooks, for tests: a function from AdmissionReview to
// its answer, with a delay, behind services and URLs.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/apiserver/webhooks.h"
#include "ksim/sim/simulation.h"
#include "ksim/value/json.h"
#include "ksim/value/value.h"
#include "tests/apiserver/world.h"

namespace ksim::apiserver {

class FakeWebhook final : public WebhookServer {
 public:
  // The answer to a review: its `response`, without the uid.
  using Judge = std::function<value::Value(const value::Value& request)>;

  FakeWebhook(sim::Simulation& sim, std::string name) : sim_(sim), name_(std::move(name)) {}
  const std::string& name() const override { return name_; }
  bool accepting() const override { return listens; }
  void Accept(WebhookRequest request, Reply reply) override;

  bool listens = true;
  bool drops = false;  // the connection breaks
  Duration takes;      // from the arrival of a request to its answer
  Judge judge;         // unset: everything is allowed
  // In place of a good answer, if set.
  std::function<WebhookAnswer(const WebhookRequest&)> answer;
  std::vector<value::Value> reviews;  // as received
  std::vector<WebhookRequest> requests;

 private:
  WebhookAnswer Answer(const WebhookRequest& request) const;

  sim::Simulation& sim_;
  std::string name_;
};

// The webhooks of a test by "ns/service" or URL.
class FakeDirectory final : public WebhookDirectory {
 public:
  WebhookServer* Find(const WebhookTarget& target, std::uint64_t) override {
    const std::string key =
        target.url.empty() ? target.service_namespace + "/" + target.service : target.url;
    const auto found = servers.find(key);
    return found == servers.end() ? nullptr : found->second;
  }
  std::map<std::string, WebhookServer*> servers;
};

// A world with a service default/hooks, behind which a webhook listens.
class WebhookWorld : public World {
 public:
  explicit WebhookWorld(const WorldOptions& options = WorldOptions());
  ~WebhookWorld() { sim.Shutdown(); }
  // Creates a configuration with one webhook a.b.c (or more, with commas), whose members are
  // `json`; what they lack is filled in: every object of the core group, v1, the service. Returns
  // once the server knows it.
  void Configure(std::string_view kind, std::string_view name, std::string_view json);
  void Mutating(std::string_view json, std::string_view name = "m") {
    Configure("MutatingWebhookConfiguration", name, json);
  }
  void Validating(std::string_view json, std::string_view name = "v") {
    Configure("ValidatingWebhookConfiguration", name, json);
  }
  api::Response CreateMap(std::string_view name) {
    return Create("configmaps", "default", ConfigMap("default", name));
  }
  const value::Value& last_request() const { return hooks.reviews.back().Get("request"); }

  FakeDirectory directory;
  FakeWebhook hooks;
};

// A response that applies the JSON patch, and one that denies with a Status.
value::Value Patching(std::string_view patch);
value::Value Denying(std::string_view status);

// The answer to a request for which webhook a.b.c could not be called: `why` of a POST to `url`.
std::string FailedCall(std::string_view why,
                       std::string_view url = "https://hooks.default.svc:443/judge?timeout=10s");

}  // namespace ksim::apiserver
