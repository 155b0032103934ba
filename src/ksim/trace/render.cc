#include "ksim/trace/render.h"

#include "ksim/api/core/kind_service.h"
#include "ksim/base/hash.h"
#include "ksim/client/core/payloads.h"
#include "ksim/kubelet/runtime/payloads.h"
#include "ksim/kubelet/runtime/printed_lines.h"
#include "ksim/trace/events.h"
#include "ksim/trace/render_server.h"

namespace ksim::trace {
namespace {

using value::Value;

Value HashText(std::uint64_t h) { return h == 0 ? Text("") : Text(Hex(h)); }

Value ParamsOf(const api::Request& request) {
  value::ObjectBuilder out;
  for (const client::RequestParam& p : client::RequestParams(request))
    out.Add(p.name, Text(p.value));
  return out.Build();
}

Value PreconditionsOf(const api::Request& request) {
  value::ObjectBuilder out;
  if (request.del.uid) out.Add("uid", Text(*request.del.uid));
  if (request.del.resource_version) out.Add("resourceVersion", Text(*request.del.resource_version));
  return out.Build();
}

void Request(const client::RequestPayload& p, const RenderOptions& options, Record* r) {
  const api::Request& q = p.request;
  r->Add("id", Number(q.id)).Add("server", Text(p.server)).Add("verb", Text(api::ToString(q.verb)));
  r->Add("resource", Text(q.resource->known_as())).Add("subresource", Text(q.subresource));
  r->Add("namespace", Text(q.ns)).Add("name", Text(q.name)).Add("uid", Text(q.believed_uid));
  r->Add("preconditions", PreconditionsOf(q)).Add("params", ParamsOf(q)).Add("user", Text(q.user));
  if (api::IsConverted(*q.resource)) r->Add("version", Text(q.resource->version));
  if (options.objects && !q.body.is_null()) r->Add("body", q.WholeBody());
}

void Response(const client::ResponsePayload& p, const RenderOptions& options, Record* r) {
  static constexpr std::string_view kFrom[] = {"", "store", "cache"};
  r->Add("id", Number(p.id)).Add("code", Value::Of(p.code)).Add("reason", Text(p.reason));
  r->Add("rv", Value::Of(p.rv)).Add("from", Text(kFrom[static_cast<int>(p.from)]));
  r->Add("items", Number(p.items)).Add("itemsHash", HashText(p.items_hash));
  r->Add("continue", Text(p.continue_token)).Add("lost", Value::Of(p.lost));
  r->Add("latency", Value::Of(p.latency.ns()));
  if (options.objects && !p.object.empty()) r->Add("object", p.object.ToTree());
}

void Deliver(const client::DeliverPayload& p, const RenderOptions& options, Record* r) {
  r->Add("stream", Number(p.stream)).Add("n", Number(p.n)).Add("type", Text(api::ToString(p.type)));
  r->Add("resource", Text(p.resource == nullptr ? "" : p.resource->known_as()));
  AddNames(p.object, r);
  r->Add("rv", Value::Of(p.object.empty() ? 0 : p.object.resource_version()));
  r->Add("initialEnd", Value::Of(p.initial_end));
  if (options.objects && !p.object.empty()) r->Add("object", p.object.ToTree());
}

void Handler(const client::HandlerPayload& p, const RenderOptions& options, Record* r) {
  r->Add("informer", Text(p.informer)).Add("listener", Text(p.listener.name()));
  r->Add("type", Text(client::ToString(p.type))).Add("resource", Text(p.resource->known_as()));
  AddNames(p.object, r);
  r->Add("rv", Value::Of(p.object.empty() ? 0 : p.object.resource_version()));
  const bool old = !p.old_object.empty();
  r->Add("oldUid", Text(old ? p.old_object.uid() : ""));
  r->Add("oldRv", Value::Of(old ? p.old_object.resource_version() : std::int64_t{0}));
  r->Add("initial", Value::Of(p.initial)).Add("tombstone", Value::Of(p.tombstone));
  if (options.objects && !p.object.empty()) r->Add("object", p.object.ToTree());
}

void Relist(const client::RelistPayload& p, Record* r) {
  std::vector<Value> requests;
  for (std::uint64_t id : p.requests) requests.push_back(Number(id));
  r->Add("informer", Text(p.informer));
  r->Add("resource", Text(p.resource == nullptr ? "" : p.resource->known_as()));
  r->Add("requests", Value::Array(std::move(requests))).Add("rv", Text(p.rv));
  r->Add("gotRv", Value::Of(p.got_rv)).Add("items", Number(p.items));
  r->Add("itemsHash", HashText(p.items_hash)).Add("reason", Text(client::ToString(p.reason)));
}

void Step(const StepPayload& p, Record* r) {
  r->Add("n", Value::Of(p.number)).Add("verb", Text(p.verb)).Add("target", Text(p.target));
  r->Add("args", p.args).Add("state", Text(p.begin ? "begin" : "end"));
  r->Add("result", Text(p.result));
}

void Violated(const Violation& v, Record* r) {
  const Value tree = ToTree(v);
  for (std::string_view field : {"oracle", "message", "objects", "first"})
    r->Add(field, tree.Get(field));
}

void Printed(const kubelet::PrintedLine& p, Record* r) {
  r->Add("stream", Text("stdout")).Add("level", Text("")).Add("place", Text(""));
  r->Add("text", Text(p.text)).Add("pod", Text(p.ns + "/" + p.pod)).Add("uid", Text(p.uid));
  r->Add("container", Text(p.container));
}

void Input(const InputPayload& p, Record* r) {
  r->Add("what", Text(p.what)).Add("connection", Value::Of(p.connection));
  r->Add("stream", Value::Of(p.stream)).Add("method", Text(p.method));
  r->Add("target", Text(p.target)).Add("headers", p.headers).Add("body", Text(p.body));
  r->Add("encoding", Text(p.base64 ? "base64" : ""));
}

// The kinds that clients and kubelets emit, and our own.
void RenderPayload(const sim::Event& e, const RenderOptions& options, Record* r) {
  using Kind = sim::EventKind;
  switch (e.kind) {
    case Kind::kRequest:
      return Request(e.payload.As<client::RequestPayload>(), options, r);
    case Kind::kResponse:
      return Response(e.payload.As<client::ResponsePayload>(), options, r);
    case Kind::kHandler:
      return Handler(e.payload.As<client::HandlerPayload>(), options, r);
    case Kind::kRelist:
      return Relist(e.payload.As<client::RelistPayload>(), r);
    case Kind::kCache: {
      const auto& p = e.payload.As<client::CachePayload>();
      r->Add("informer", Text(p.informer)).Add("rv", Value::Of(p.rv));
      r->Add("items", Number(p.items)).Add("itemsHash", HashText(p.items_hash));
      return;
    }
    case Kind::kReconcile: {
      const auto& p = e.payload.As<client::ReconcilePayload>();
      r->Add("controller", Text(p.controller)).Add("key", Text(p.key));
      r->Add("state", Text(p.state)).Add("result", Text(p.result));
      return;
    }
    case Kind::kRuntime: {
      const auto& p = e.payload.As<kubelet::RuntimePayload>();
      r->Add("pod", Text(p.ns + "/" + p.pod)).Add("uid", Text(p.uid)).Add("node", Text(p.node));
      r->Add("container", Text(p.container)).Add("action", Text(p.action));
      r->Add("result", Text(p.result));
      return;
    }
    case Kind::kFault: {
      const auto& p = e.payload.As<FaultPayload>();
      r->Add("id", Text(p.id)).Add("verb", Text(p.verb)).Add("target", Text(p.target));
      r->Add("args", p.args).Add("plan", Text(p.plan)).Add("state", Text(p.state));
      return;
    }
    case Kind::kPhase:
      r->Add("name", Text(e.payload.As<PhasePayload>().name));
      return;
    case Kind::kActor: {
      const auto& p = e.payload.As<ActorPayload>();
      r->Add("process", Text(p.process)).Add("state", Text(p.state));
      return;
    }
    case Kind::kStep:
      return Step(e.payload.As<StepPayload>(), r);
    case Kind::kViolation:
      return Violated(e.payload.As<ViolationPayload>().violation, r);
    case Kind::kInput:
      return Input(e.payload.As<InputPayload>(), r);
    case Kind::kLog: {
      if (const auto* line = dynamic_cast<const kubelet::PrintedLine*>(e.payload.get()))
        return Printed(*line, r);
      const auto& p = e.payload.As<LogPayload>();
      r->Add("stream", Text(p.stream)).Add("level", Text(p.level));
      r->Add("place", Text(p.place)).Add("text", Text(p.text));
      return;
    }
    case Kind::kDeliver:
      if (const auto* p = dynamic_cast<const client::DeliverPayload*>(e.payload.get()))
        return Deliver(*p, options, r);
      return RenderServer(e, options, r);
    default:
      return RenderServer(e, options, r);
  }
}

}  // namespace

void AddNames(const api::Object& object, Record* r) {
  r->Add("namespace", Text(object.empty() ? "" : object.ns()));
  r->Add("name", Text(object.empty() ? "" : object.name()));
  r->Add("uid", Text(object.empty() ? "" : object.uid()));
}

Record Render(const sim::Event& e, const RenderOptions& options) {
  Record r;
  r.seq = e.seq;
  r.t = e.time.ns();
  r.actor = std::string(e.actor.name());
  r.kind = e.kind;
  r.cause = e.cause;
  r.fields.reserve(14);
  if (e.payload) RenderPayload(e, options, &r);
  return r;
}

std::vector<Record> Recorder::Records(const RenderOptions& options) const {
  std::vector<Record> out;
  out.reserve(events_.size());
  for (const sim::Event& e : events_) out.push_back(Render(e, options));
  return out;
}

}  // namespace ksim::trace
