#include "ksim/trace/render_server.h"

#include <string>

#include "ksim/apiserver/core/payloads.h"
#include "ksim/store/events.h"
#include "ksim/store/object_key.h"
#include "ksim/trace/changes.h"
#include "ksim/value/diff.h"

namespace ksim::trace {
namespace {

using value::Value;

Value UidOf(const store::KeyValue& kv) {
  if (!kv || kv.is_tombstone()) return Text("");
  return Text(kv.value().Get("metadata").Get("uid").AsString());
}

void Commit(const store::CommitPayload& p, const RenderOptions& options, Record* r) {
  const std::optional<store::ObjectParts>& parts = p.parts();
  const bool removed = p.op == store::CommitOp::kDelete;
  const bool before = static_cast<bool>(p.prev) && !p.prev.is_tombstone();
  r->Add("revision", Value::Of(p.revision())).Add("sub", Number(p.sub()));
  r->Add("op", Text(store::ToString(p.op))).Add("key", Text(p.key()));
  r->Add("resource", Text(parts ? parts->resource : ""));
  r->Add("namespace", Text(parts ? parts->ns : "")).Add("name", Text(parts ? parts->name : ""));
  r->Add("uid", removed ? UidOf(p.prev) : UidOf(p.kv));
  r->Add("rv", Value::Of(p.revision()));
  r->Add("prevRv", Value::Of(before ? p.prev.mod_revision() : std::int64_t{0}));
  r->Add("by", Text(p.by.name())).Add("request", Number(p.request));
  const Value old = before ? p.prev.value() : Value();
  const Value now = removed ? Value() : p.kv.value();
  r->Add("changed", ChangesToTree(value::Diff(old, now)));
  if (options.objects) r->Add("object", removed ? old : now);
}

void StoreWatch(const store::StoreWatchPayload& p, Record* r) {
  const std::optional<store::ObjectParts> parts = store::PartsOfKey(p.key);
  r->Add("stream", Number(p.stream)).Add("server", Text("etcd")).Add("client", Text(p.client));
  const std::string_view plural = parts ? parts->resource : std::string_view();
  r->Add("request", Value::Of(0));
  r->Add("resource", Text(p.known_as.empty() ? plural : p.known_as.view()));
  r->Add("namespace", Text(parts ? parts->ns : "")).Add("key", Text(p.key));
  r->Add("selectors", Text(""))
      .Add("rv", Text(std::to_string(p.rv)))
      .Add("options", Text(p.options));
  r->Add("state", Text(p.open ? "open" : "close")).Add("lastRv", Value::Of(p.last_rv));
  r->Add("reason", Text(p.reason));
}

void StoreEvent(const store::StoreEventPayload& p, const RenderOptions& options, Record* r) {
  r->Add("stream", Number(p.stream)).Add("n", Number(p.n));
  r->Add("type", Text(store::ToString(p.type))).Add("key", Text(p.key()));
  if (p.kv && !p.kv.shared_key().known_as().empty())
    r->Add("knownAs", Text(p.kv.shared_key().known_as()));
  r->Add("uid", UidOf(p.kv)).Add("rv", Value::Of(p.rv)).Add("initialEnd", Value::Of(false));
  r->Add("server", Text("etcd")).Add("response", Number(p.response));
  if (options.objects && p.kv && !p.kv.is_tombstone()) r->Add("object", p.kv.value());
}

// The start is text: "" and "0" mean different things.
void Watch(const apiserver::WatchPayload& p, Record* r) {
  r->Add("stream", Number(p.stream)).Add("server", Text(p.server.name()));
  r->Add("client", Text(p.client.name())).Add("request", Number(p.request));
  r->Add("resource", Text(p.resource->known_as())).Add("namespace", Text(p.ns));
  r->Add("selectors", Text(p.selectors)).Add("rv", Text(p.rv)).Add("options", Text(p.options));
  r->Add("state", Text(p.open ? "open" : "close")).Add("lastRv", Value::Of(p.last_rv));
  r->Add("reason", Text(p.reason));
}

void WatchEvent(const apiserver::EventPayload& p, const RenderOptions& options, Record* r) {
  const apiserver::EventBody& body = *p.body;
  r->Add("stream", Number(p.stream)).Add("n", Number(p.n));
  r->Add("type", Text(api::ToString(body.type))).Add("resource", Text(body.resource->known_as()));
  AddNames(body.object, r);
  r->Add("rv", Value::Of(body.rv())).Add("initialEnd", Value::Of(body.initial_end));
  if (options.objects && !body.object.empty()) r->Add("object", body.object.ToTree());
}

void Webhook(const apiserver::WebhookPayload& p, Record* r) {
  r->Add("request", Number(p.request)).Add("type", Text(p.type));
  r->Add("configuration", Text(p.configuration)).Add("webhook", Text(p.webhook));
  r->Add("url", Text(p.url)).Add("server", Text(p.server)).Add("round", Value::Of(p.round));
  r->Add("state", Text(p.state)).Add("result", Text(p.result)).Add("message", Text(p.message));
  r->Add("latency", Value::Of(p.latency.ns()));
}

}  // namespace

void RenderServer(const sim::Event& e, const RenderOptions& options, Record* r) {
  const sim::Payload* payload = e.payload.get();
  if (const auto* commit = dynamic_cast<const store::CommitPayload*>(payload))
    return Commit(*commit, options, r);
  if (const auto* event = dynamic_cast<const store::StoreEventPayload*>(payload))
    return StoreEvent(*event, options, r);
  if (const auto* watch = dynamic_cast<const store::StoreWatchPayload*>(payload))
    return StoreWatch(*watch, r);
  if (const auto* event = dynamic_cast<const apiserver::EventPayload*>(payload))
    return WatchEvent(*event, options, r);
  if (const auto* watch = dynamic_cast<const apiserver::WatchPayload*>(payload))
    return Watch(*watch, r);
  if (const auto* stage = dynamic_cast<const apiserver::StagePayload*>(payload)) {
    r->Add("request", Number(stage->request)).Add("stage", Text(apiserver::ToString(stage->stage)));
    r->Add("result", Text(stage->result()));
    return;
  }
  if (const auto* webhook = dynamic_cast<const apiserver::WebhookPayload*>(payload))
    return Webhook(*webhook, r);
  if (const auto* compact = dynamic_cast<const store::CompactPayload*>(payload))
    r->Add("revision", Value::Of(compact->revision)).Add("by", Text(compact->by.name()));
}

}  // namespace ksim::trace
