#include "ksim/check/bus_observer.h"

#include <memory>
#include <type_traits>
#include <typeinfo>

#include "ksim/api/core/fields.h"
#include "ksim/apiserver/core/payloads.h"
#include "ksim/client/core/payloads.h"
#include "ksim/kubelet/runtime/payloads.h"
#include "ksim/store/events.h"
#include "ksim/trace/events.h"

namespace ksim::check {
namespace {

using Kind = sim::EventKind;

const value::Value& Null() {
  static const value::Value null;
  return null;
}

std::string_view UidOf(const value::Value& tree) {
  return tree.Get(api::Fields().metadata).Get(api::Fields().uid).AsString();
}

// The payload if it is exactly a T, which takes less than a dynamic_cast: none has heirs.
template <class T>
const T* PayloadIf(const sim::Event& e) {
  const sim::Payload& payload = *e.payload.get();
  return typeid(payload) == typeid(T) ? &e.payload.As<T>() : nullptr;
}

void FillNamed(const api::Object& object, Observation* o) {
  if (object.empty()) return;
  o->ns = object.ns();
  o->name = object.name();
  o->uid = object.uid();
  o->rv = object.resource_version();
}

void FillRequest(const client::RequestPayload& p, Observation* o) {
  const api::Request& r = p.request;
  o->request = r.id;
  o->server = p.server;
  o->verb = api::ToString(r.verb);
  o->resource = r.resource->known_as();
  o->subresource = r.subresource;
  o->ns = r.ns;
  o->name = r.name;
  o->uid = r.believed_uid;
  if (r.del.uid) o->precondition_uid = *r.del.uid;
  o->label_selector = r.list.label_selector;
  o->field_selector = r.list.field_selector;
  o->rv_text = r.list.resource_version;
  o->rv_match = r.list.resource_version_match;
  o->send_initial = r.list.send_initial_events.value_or(false);
  o->limited = r.list.limit != 0;
  o->continued = !r.list.continue_token.empty();
  o->dry_run = r.dry_run;
}

void FillResponse(const client::ResponsePayload& p, Observation* o) {
  static constexpr std::string_view kFrom[] = {"", "store", "cache"};
  o->request = p.id;
  o->code = p.code;
  o->rv = p.rv;
  o->reason = p.reason;
  o->from = kFrom[static_cast<int>(p.from)];
  o->items = p.items;
  o->items_hash = p.items_hash;
  o->has_more = !p.continue_token.empty();
  o->lost = p.lost;
}

void Commit(const store::CommitPayload& p, Observation* o) {
  if (const auto& parts = p.parts()) {
    o->resource = parts->resource;
    o->ns = parts->ns;
    o->name = parts->name;
  }
  o->key = p.key();
  o->rv = p.revision();
  o->sub = p.sub();
  o->op = static_cast<CommitOp>(p.op);
  const bool there = p.op != store::CommitOp::kDelete;
  const bool before = static_cast<bool>(p.prev) && !p.prev.is_tombstone();
  o->before = before ? &p.prev.value() : &Null();
  o->after = there ? &p.kv.value() : &Null();
  o->prev_rv = before ? p.prev.mod_revision() : 0;
  o->uid = UidOf(there ? *o->after : *o->before);
  o->by = p.by.name();
  o->request = p.request;
}

void StoreWatch(const store::StoreWatchPayload& p, std::string* rv, Observation* o) {
  o->level = Level::kStore;
  o->stream = p.stream;
  o->server = "etcd";
  o->client = p.client;
  o->resource = p.known_as;
  o->key = p.key;
  *rv = std::to_string(p.rv);
  o->rv_text = *rv;
  o->options = p.options;
  o->open = p.open;
  o->reason = p.reason;
}

void FillWatch(const apiserver::WatchPayload& p, Observation* o) {
  o->stream = p.stream;
  o->server = p.server.name();
  o->client = p.client.name();
  o->request = p.request;
  o->resource = p.resource->known_as();
  o->ns = p.ns;
  o->rv_text = p.rv;
  o->options = p.options;
  o->open = p.open;
  o->reason = p.reason;
}

void StoreDelivery(const store::StoreEventPayload& p, Observation* o) {
  o->level = Level::kStore;
  o->stream = p.stream;
  o->n = p.n;
  o->type = static_cast<api::WatchEventType>(p.type);
  o->rv = p.rv;
  o->response = p.response;
  o->key = p.key();
  if (const auto parts = p.parts()) {
    o->resource = parts->resource;
    o->ns = parts->ns;
    o->name = parts->name;
  }
  if (p.kv && !p.kv.is_tombstone()) o->uid = UidOf(p.kv.value());
}

void FillDelivery(const client::DeliverPayload& p, Observation* o) {
  o->stream = p.stream;
  o->n = p.n;
  o->type = p.type;
  if (p.resource != nullptr) o->resource = p.resource->known_as();
  FillNamed(p.object, o);
  o->initial_end = p.initial_end;
}

void FillHandler(const client::HandlerPayload& p, Observation* o) {
  o->informer = p.informer;
  o->listener = p.listener.name();
  o->call = static_cast<HandlerCall>(p.type);
  o->resource = p.resource->known_as();
  FillNamed(p.object, o);
  if (!p.old_object.empty()) {
    o->old_uid = p.old_object.uid();
    o->old_rv = p.old_object.resource_version();
  }
  o->initial = p.initial;
  o->tombstone = p.tombstone;
}

// Kinds of which there is one payload.
void FillOther(const sim::Event& e, Observation* o) {
  switch (e.kind) {
    case Kind::kRelist: {
      const auto& p = e.payload.As<client::RelistPayload>();
      o->informer = p.informer;
      if (p.resource != nullptr) o->resource = p.resource->known_as();
      o->rv = p.got_rv;
      o->rv_text = p.rv;
      o->items = p.items;
      o->items_hash = p.items_hash;
      o->reason = client::ToString(p.reason);
      if (!p.requests.empty()) o->last_request = p.requests.back();
      return;
    }
    case Kind::kCache: {
      const auto& p = e.payload.As<client::CachePayload>();
      o->informer = p.informer;
      o->rv = p.rv;
      o->items = p.items;
      o->items_hash = p.items_hash;
      return;
    }
    case Kind::kReconcile: {
      const auto& p = e.payload.As<client::ReconcilePayload>();
      o->target = p.key;
      o->state = p.state;
      o->result = p.result;
      return;
    }
    case Kind::kRuntime: {
      const auto& p = e.payload.As<kubelet::RuntimePayload>();
      o->ns = p.ns;
      o->name = p.pod;
      o->uid = p.uid;
      o->node = p.node;
      o->container = p.container;
      o->action = p.action;
      o->result = p.result;
      return;
    }
    case Kind::kFault: {
      const auto& p = e.payload.As<trace::FaultPayload>();
      o->key = p.id;
      o->verb = p.verb;
      o->target = p.target;
      o->state = p.state;
      o->args = &p.args;
      return;
    }
    case Kind::kCompact:
      o->rv = e.revision;
      return;
    case Kind::kPhase:
      o->state = e.payload.As<trace::PhasePayload>().name;
      return;
    case Kind::kActor: {
      const auto& p = e.payload.As<trace::ActorPayload>();
      o->target = p.process;
      o->state = p.state;
      return;
    }
    case Kind::kStep: {
      const auto& p = e.payload.As<trace::StepPayload>();
      o->verb = p.verb;
      o->target = p.target;
      o->state = p.begin ? "begin" : "end";
      o->result = p.result;
      return;
    }
    default:
      return;
  }
}

}  // namespace

void BusObserver::Fill(const sim::Event& e, Observation* o) {
  static_assert(std::is_trivially_destructible_v<Observation>);
  std::construct_at(o);  // in place: it is large
  o->seq = e.seq;
  o->cause = e.cause;
  o->t = e.time.ns();
  o->kind = e.kind;
  o->actor = e.actor.name();
  o->object = e.object;
  switch (e.kind) {
    case Kind::kRequest:
      FillRequest(e.payload.As<client::RequestPayload>(), o);
      return;
    case Kind::kResponse:
      FillResponse(e.payload.As<client::ResponsePayload>(), o);
      return;
    case Kind::kHandler:
      FillHandler(e.payload.As<client::HandlerPayload>(), o);
      return;
    case Kind::kCommit:
      Commit(e.payload.As<store::CommitPayload>(), o);
      return;
    case Kind::kWatch:
      if (const auto* p = PayloadIf<store::StoreWatchPayload>(e))
        StoreWatch(*p, &revision_, o);
      else
        FillWatch(e.payload.As<apiserver::WatchPayload>(), o);
      return;
    case Kind::kDeliver:
      if (const auto* p = PayloadIf<client::DeliverPayload>(e))
        FillDelivery(*p, o);
      else
        StoreDelivery(e.payload.As<store::StoreEventPayload>(), o);
      return;
    default:
      FillOther(e, o);
      return;
  }
}

}  // namespace ksim::check
