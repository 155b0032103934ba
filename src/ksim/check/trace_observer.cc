#include "ksim/check/trace_observer.h"

#include <fmt/format.h>

#include <charconv>

#include "ksim/api/kinds.h"
#include "ksim/store/object_key.h"
#include "ksim/trace/changes.h"
#include "ksim/trace/record_object.h"
#include "ksim/value/diff.h"

namespace ksim::check {
namespace {

using Kind = sim::EventKind;
using trace::Record;
using value::Value;

std::uint64_t Number(const Record& r, std::string_view field) {
  return static_cast<std::uint64_t>(r.Int(field));
}

std::uint64_t HashOf(const Record& r, std::string_view field) {
  const std::string_view text = r.Text(field);
  std::uint64_t h = 0;
  std::from_chars(text.data(), text.data() + text.size(), h, 16);
  return h;
}

api::WatchEventType ReadWatchEventType(std::string_view text) {
  using Type = api::WatchEventType;
  for (Type t : {Type::kAdded, Type::kModified, Type::kDeleted, Type::kBookmark})
    if (text == api::ToString(t)) return t;
  return Type::kError;
}

void CopyNamed(const Record& r, Observation* o) {
  o->resource = r.Text("resource");
  o->ns = r.Text("namespace");
  o->name = r.Text("name");
  o->uid = r.Text("uid");
  if (!o->name.empty()) o->object = api::ObjectHash(o->resource, o->ns, o->name);
}

void CopyRequest(const Record& r, Observation* o) {
  CopyNamed(r, o);
  o->request = Number(r, "id");
  o->server = r.Text("server");
  o->verb = r.Text("verb");
  o->subresource = r.Text("subresource");
  o->precondition_uid = r.Get("preconditions").Get("uid").AsString();
  const Value& params = r.Get("params");
  o->label_selector = params.Get("labelSelector").AsString();
  o->field_selector = params.Get("fieldSelector").AsString();
  o->rv_text = params.Get("resourceVersion").AsString();
  o->rv_match = params.Get("resourceVersionMatch").AsString();
  o->send_initial = params.Get("sendInitialEvents").AsString() == "true";
  o->limited = params.Has("limit");
  o->continued = params.Has("continue");
  o->dry_run = params.Has("dryRun");
}

void CopyResponse(const Record& r, Observation* o) {
  o->request = Number(r, "id");
  o->code = static_cast<int>(r.Int("code"));
  o->reason = r.Text("reason");
  o->rv = r.Int("rv");
  o->from = r.Text("from");
  o->items = Number(r, "items");
  o->items_hash = HashOf(r, "itemsHash");
  o->has_more = !r.Text("continue").empty();
  o->lost = r.Get("lost").AsBool();
}

void CopyWatch(const Record& r, Observation* o) {
  o->server = r.Text("server");
  o->level = o->server == "etcd" ? Level::kStore : Level::kApi;
  o->stream = Number(r, "stream");
  o->client = r.Text("client");
  o->request = Number(r, "request");
  o->resource = r.Text("resource");
  o->ns = r.Text("namespace");
  o->key = r.Text("key");
  o->rv_text = r.Text("rv");
  o->options = r.Text("options");
  o->open = r.Text("state") == "open";
  o->reason = r.Text("reason");
}

void CopyDelivery(const Record& r, Observation* o) {
  o->level = r.Text("server") == "etcd" ? Level::kStore : Level::kApi;
  CopyNamed(r, o);
  o->key = r.Text("key");
  if (o->level == Level::kStore && !o->key.empty()) {
    o->object = store::ObjectHashOfKey(o->key);
    if (const auto parts = trace::ObjectOf(r)) {
      o->object = store::ObjectHashOf(*parts);
      o->resource = parts->resource;
      o->ns = parts->ns;
      o->name = parts->name;
    }
  }
  o->stream = Number(r, "stream");
  o->n = Number(r, "n");
  o->type = ReadWatchEventType(r.Text("type"));
  o->rv = r.Int("rv");
  o->initial_end = r.Get("initialEnd").AsBool();
  o->response = Number(r, "response");
}

void CopyHandler(const Record& r, Observation* o) {
  CopyNamed(r, o);
  o->informer = r.Text("informer");
  o->listener = r.Text("listener");
  const std::string_view type = r.Text("type");
  o->call = type == "add"      ? HandlerCall::kAdd
            : type == "update" ? HandlerCall::kUpdate
                               : HandlerCall::kDelete;
  o->rv = r.Int("rv");
  o->old_uid = r.Text("oldUid");
  o->old_rv = r.Int("oldRv");
  o->initial = r.Get("initial").AsBool();
  o->tombstone = r.Get("tombstone").AsBool();
}

void Cache(const Record& r, Observation* o) {
  o->informer = r.Text("informer");
  o->resource = r.Text("resource");
  o->items = Number(r, "items");
  o->items_hash = HashOf(r, "itemsHash");
  if (r.kind == Kind::kCache) {
    o->rv = r.Int("rv");
    return;
  }
  o->rv = r.Int("gotRv");
  o->rv_text = r.Text("rv");
  o->reason = r.Text("reason");
  const Value& requests = r.Get("requests");
  if (!requests.empty())
    o->last_request = static_cast<std::uint64_t>(requests.at(requests.size() - 1).AsInt());
}

void Runtime(const Record& r, Observation* o) {
  const std::string_view pod = r.Text("pod");
  const std::size_t slash = pod.find('/');
  o->ns = slash == std::string_view::npos ? std::string_view() : pod.substr(0, slash);
  o->name = slash == std::string_view::npos ? pod : pod.substr(slash + 1);
  o->uid = r.Text("uid");
  o->node = r.Text("node");
  o->container = r.Text("container");
  o->action = r.Text("action");
  o->result = r.Text("result");
}

// Events about the run itself.
void CopyOther(const Record& r, Observation* o) {
  o->verb = r.Text("verb");
  o->target = r.Text("target");
  o->state = r.Text("state");
  if (r.kind == Kind::kFault) {
    o->key = r.Text("id");
    o->args = &r.Get("args");
  }
  if (r.kind == Kind::kPhase) o->state = r.Text("name");
  if (r.kind == Kind::kActor) o->target = r.Text("process");
  if (r.kind == Kind::kStep || r.kind == Kind::kReconcile) o->result = r.Text("result");
  if (r.kind == Kind::kReconcile) o->target = r.Text("key");
}

}  // namespace

void TraceObserver::Commit(const Record& r, Observation* o) {
  CopyNamed(r, o);
  o->key = r.Text("key");
  if (!o->key.empty()) o->object = store::ObjectHashOfKey(o->key);
  if (const auto parts = trace::ObjectOf(r)) o->object = store::ObjectHashOf(*parts);
  o->rv = r.Int("revision");
  o->sub = static_cast<std::uint32_t>(r.Int("sub"));
  const std::string_view op = r.Text("op");
  o->op = op == "create"   ? CommitOp::kCreate
          : op == "update" ? CommitOp::kUpdate
                           : CommitOp::kDelete;
  o->prev_rv = r.Int("prevRv");
  o->by = r.Text("by");
  o->request = Number(r, "request");
  Value& now = objects_[o->object];
  before_ = now;
  const auto changes = trace::ChangesFromTree(r.Get("changed"));
  if (!changes.ok() && status_.ok())
    status_ = absl::InvalidArgumentError(
        fmt::format("seq {}: the commit's changes cannot be read", r.seq));
  after_ = o->op == CommitOp::kDelete || !changes.ok() ? Value() : value::Apply(before_, *changes);
  now = after_;
  o->before = &before_;
  o->after = &after_;
}

bool TraceObserver::Observe(const Record& r, Observation* o) {
  *o = Observation();
  o->seq = r.seq;
  o->cause = r.cause;
  o->t = r.t;
  o->kind = r.kind;
  o->actor = r.actor;
  switch (r.kind) {
    case Kind::kRequest:
      CopyRequest(r, o);
      return true;
    case Kind::kResponse:
      CopyResponse(r, o);
      return true;
    case Kind::kCommit:
      Commit(r, o);
      return true;
    case Kind::kWatch:
      CopyWatch(r, o);
      return true;
    case Kind::kDeliver:
      CopyDelivery(r, o);
      return true;
    case Kind::kHandler:
      CopyHandler(r, o);
      return true;
    case Kind::kRelist:
    case Kind::kCache:
      Cache(r, o);
      return true;
    case Kind::kRuntime:
      Runtime(r, o);
      return true;
    case Kind::kCompact:
      o->rv = r.Int("revision");
      return true;
    case Kind::kReconcile:
    case Kind::kFault:
    case Kind::kPhase:
    case Kind::kActor:
    case Kind::kStep:
      CopyOther(r, o);
      return true;
    default:
      return false;
  }
}

}  // namespace ksim::check
