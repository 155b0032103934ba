// What was drawn, written as a script.
#include <fmt/format.h>

#include <algorithm>

#include "ksim/apiserver/core/bus_payloads.h"
#include "ksim/client/core/payloads.h"
#include "ksim/fault/drawn_faults.h"
#include "ksim/store/events.h"
#include "ksim/trace/render.h"
#include "ksim/trace/schema.h"
#include "ksim/value/json.h"

namespace ksim::fault {
namespace {

using sim::EventKind;

// Of each kind the fields that say what the event is about, but nothing that is handed out in the
// order of asking: no numbers of requests, streams and revisions, no uids.
std::vector<std::string_view> TellingFields(EventKind kind) {
  switch (kind) {
    case EventKind::kEvent:
    case EventKind::kDeliver:
      return {"actor", "type", "resource", "namespace", "name"};
    case EventKind::kHandler:
      return {"listener", "type", "resource", "namespace", "name"};
    case EventKind::kRequest:
      return {"actor", "verb", "resource", "subresource", "namespace", "name"};
    case EventKind::kCommit:
      return {"by", "op", "resource", "namespace", "name"};
    case EventKind::kResponse:
      return {"actor", "code"};
    case EventKind::kWatch:
      return {"client", "resource", "state"};
    default:
      return {"actor"};
  }
}

bool HasGeneratedName(const api::Object& object) {
  return !object.empty() && !object.ToTree().Get("metadata").Get("generateName").AsString().empty();
}

// Whether the event is about an object whose name was generated; such a name is another with every
// seed.
bool AboutGeneratedName(const sim::Event& e) {
  const sim::Payload* p = e.payload.get();
  if (const auto* event = dynamic_cast<const apiserver::EventPayload*>(p))
    return HasGeneratedName(event->body->object);
  if (const auto* deliver = dynamic_cast<const client::DeliverPayload*>(p))
    return HasGeneratedName(deliver->object);
  if (const auto* handler = dynamic_cast<const client::HandlerPayload*>(p))
    return HasGeneratedName(handler->object);
  if (const auto* commit = dynamic_cast<const store::CommitPayload*>(p)) {
    const store::KeyValue& kv = commit->op == store::CommitOp::kDelete ? commit->prev : commit->kv;
    return !kv.value().Get("metadata").Get("generateName").AsString().empty();
  }
  // Of a request only pods of a controller have such names.
  if (const auto* request = dynamic_cast<const client::RequestPayload*>(p))
    return request->request.resource->resource == "pods";
  return false;
}

std::string TextOf(const trace::Record& record, std::string_view field) {
  if (field == "actor") return record.actor;
  const value::Value& v = record.Get(field);
  return v.is_string() ? std::string(v.AsString()) : value::ToJson(v);
}

Trigger NameIt(const sim::Event& e) {
  const trace::Record record = trace::Render(e, trace::RenderOptions());
  Trigger trigger;
  trigger.event = std::string(trace::KindName(e.kind));
  const bool generated = AboutGeneratedName(e);
  for (std::string_view field : TellingFields(e.kind)) {
    if (field == "name" && generated) continue;
    std::string text = TextOf(record, field);
    if (text.empty() || text == "null") continue;
    trigger.fields.emplace_back(std::string(field), std::move(text));
  }
  return trigger;
}

}  // namespace

Trigger TriggerOf(const std::vector<sim::Event>& events, std::uint64_t seq) {
  std::uint64_t workload = 0;
  for (const sim::Event& e : events) {
    if (e.kind == EventKind::kPhase && workload == 0) workload = e.seq;
  }
  const sim::Event& at = events[seq - 1];
  Trigger trigger = NameIt(at);
  trigger.count = 0;
  for (std::uint64_t i = workload + 1; i <= seq; ++i) {
    const sim::Event& e = events[i - 1];
    if (e.kind == at.kind && Matches(trigger, trace::Render(e, trace::RenderOptions())))
      ++trigger.count;
  }
  return trigger;
}

std::vector<Spec> Drawn::FiredAsScript(const std::vector<sim::Event>& events) const {
  std::vector<Spec> out;
  for (const Fired& fired : fired_) {
    if (fired.trigger == 0 || fired.trigger > events.size()) continue;
    Spec spec = fired.spec;
    spec.when = TriggerOf(events, fired.trigger);
    out.push_back(std::move(spec));
  }
  return out;
}

}  // namespace ksim::fault
