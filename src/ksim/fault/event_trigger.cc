#include "ksim/fault/event_trigger.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/apiserver/core/payloads.h"
#include "ksim/client/core/payloads.h"
#include "ksim/fault/triggers.h"
#include "ksim/store/events.h"
#include "ksim/trace/render.h"
#include "ksim/trace/schema.h"
#include "ksim/value/json.h"

namespace ksim::fault {
namespace {

using sim::EventKind;

// The fields of each kind that say what the event is about, but nothing that a run hands out in the
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
    case EventKind::kWebhook:
      return {"actor", "webhook", "state"};
    default:
      return {"actor"};
  }
}

bool HasGeneratedName(const api::Object& object) {
  return !object.empty() && !object.ToTree().Get("metadata").Get("generateName").AsString().empty();
}

// Whether the event is about an object with a generated name, which is another with every seed.
bool IsAboutGeneratedName(const sim::Event& e) {
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
  // Among requests only those for the pods of a controller carry such names.
  if (const auto* request = dynamic_cast<const client::RequestPayload*>(p))
    return request->request.resource->known_as() == "pods";
  return false;
}

std::string TextOf(const trace::Record& record, std::string_view field) {
  if (field == "actor") return record.actor;
  const value::Value& v = record.Get(field);
  return v.is_string() ? std::string(v.AsString()) : value::ToJson(v);
}

Trigger WithoutCount(const sim::Event& e) {
  const trace::Record record = trace::Render(e, trace::RenderOptions());
  Trigger trigger;
  trigger.event = std::string(trace::KindName(e.kind));
  const bool generated = IsAboutGeneratedName(e);
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
  Trigger trigger = WithoutCount(at);
  trigger.count = 0;
  for (std::uint64_t i = workload + 1; i <= seq; ++i) {
    const sim::Event& e = events[i - 1];
    if (e.kind == at.kind && Matches(trigger, trace::Render(e, trace::RenderOptions())))
      ++trigger.count;
  }
  return trigger;
}

}  // namespace ksim::fault
