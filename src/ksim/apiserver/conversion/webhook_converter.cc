#include "ksim/apiserver/conversion/webhook_converter.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "ksim/api/core/definition.h"
#include "ksim/api/core/names.h"
#include "ksim/apiserver/conversion/review.h"
#include "ksim/apiserver/core/payloads.h"
#include "ksim/sim/mailbox.h"

namespace ksim::apiserver {

using value::Value;

namespace {

// The review of one object, as the events of the trace and the answer need it.
struct Review {
  Review() = default;
  std::string definition;  // "toys.example.com"
  std::string object;      // "default/a to v2"
  std::string version, uid, desired;
  Value original;
};

class ConversionCall final : public WebhookCall {
 public:
  ConversionCall(sim::Process& process, api::Compat compat, Review review)
      : WebhookCall(process.simulation()),
        process_(process),
        compat_(compat),
        review_(std::move(review)),
        cause_(process.simulation().context().cause),
        promise_(process.simulation()),
        future_(promise_.future()) {}

  sim::Future<api::Result<Value>> converted() const { return future_; }

 private:
  std::uint64_t Told() override { return Emit("call", "", ""); }
  void Answered(const WebhookAnswer& answer) override {
    End(ReadConversion(answer, review_.version, review_.uid, review_.desired, review_.original,
                       compat_));
  }
  void Failed(std::string why) override { End(ConversionFailed(review_.original, why)); }

  void End(api::Result<Value> result) {
    const bool good = result.ok();
    Emit("answer", good ? "converted" : "failed", good ? "" : result.status().message.view());
    promise_.Fulfil(std::move(result));
  }

  std::uint64_t Emit(std::string_view state, std::string_view result, std::string_view message) {
    auto payload = std::make_unique<WebhookPayload>();
    payload->type = "converting";
    payload->configuration = review_.definition;
    payload->webhook = review_.object;
    payload->url = url();
    payload->server = server();
    payload->state = state;
    payload->result = result;
    payload->message = message;
    const bool answers = event() != 0;
    if (answers) payload->latency = simulation().now() - begun();
    // The answer follows from whatever brought it.
    const std::uint64_t cause = answers ? std::max(event(), simulation().context().cause) : cause_;
    return simulation().EmitAs(process_.actor(), cause, sim::EventInfo{sim::EventKind::kWebhook},
                               sim::PayloadRef(payload.release()));
  }

  sim::Process& process_;
  api::Compat compat_;
  Review review_;
  std::uint64_t cause_;
  sim::Promise<api::Result<Value>> promise_;
  sim::Future<api::Result<Value>> future_;
};

bool HasVersion(const Value& versions, std::string_view name) {
  const auto items = versions.items();
  return std::any_of(items.begin(), items.end(),
                     [&](const Value& v) { return v.Get("name").AsString() == name; });
}

// crConverter.ConvertToVersion: both versions are those of the definition.
api::Status CheckVersions(const api::ResourceInfo& kind, std::string_view from,
                          std::string_view to) {
  const auto refused = [](std::string_view way, std::string_view version) {
    return api::Unmapped(
        500, fmt::format("request to convert CR {} an invalid group/version: {}", way, version));
  };
  const std::string prefix = kind.group + "/";
  const Value& versions = kind.definition->versions;
  if (!HasVersion(versions, to.substr(prefix.size()))) return refused("to", to);
  if (!from.starts_with(prefix) || !HasVersion(versions, from.substr(prefix.size())))
    return refused("from", from);
  return api::Status();
}

}  // namespace

sim::Task<api::Result<Value>> WebhookConverter::Convert(const api::ResourceInfo& kind, Value tree,
                                                        std::string version) {
  const Value webhook = kind.definition->conversion.Get("webhook");
  const Value& metadata = tree.Get("metadata");
  const std::string_view ns = metadata.Get("namespace").AsString();
  const std::string_view name = metadata.Get("name").AsString();
  Review review;
  review.desired = fmt::format("{}/{}", kind.group, version);
  const api::Status known = CheckVersions(kind, tree.Get("apiVersion").AsString(), review.desired);
  if (!known.ok()) co_return known;
  review.version = ConversionReviewVersion(webhook.Get("conversionReviewVersions"));
  if (review.version.empty())
    co_return api::Unmapped(500, "no supported conversion review versions");
  review.definition = fmt::format("{}.{}", kind.resource, kind.group);
  review.object = fmt::format("{}{}{} to {}", ns, ns.empty() ? "" : "/", name, version);
  // Draws about the call are about the object and the version.
  const std::uint64_t key = sim::KeyOf(sim::KeyOf("convert/" + version),
                                       shared_.identities.Of(kind.known_as(), ns, name));
  review.uid = api::GenerateUid(shared_.sim.decisions(), "conversionreviews", key);
  review.original = tree;
  std::string body = ConversionRequest(review.version, review.uid, review.desired, tree);
  const auto call = std::make_shared<ConversionCall>(process_, shared_.compat, std::move(review));
  client_.Post(call, WebhookPlace::Read(webhook.Get("clientConfig")), std::move(body), kTimeout,
               key);
  sim::Future<api::Result<Value>> coming = call->converted();
  std::optional<api::Result<Value>> come = co_await coming.Wait();
  co_return *std::move(come);
}

}  // namespace ksim::apiserver
