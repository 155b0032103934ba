#include "ksim/apiserver/core/audit_event.h"

#include <fmt/format.h>

#include "ksim/api/core/request_uri.h"
#include "ksim/api/core/response_body.h"
#include "ksim/base/hash.h"
#include "ksim/value/timestamp.h"

namespace ksim::apiserver {
namespace {

using value::Obj;
using value::ObjectBuilder;
using value::Value;

Value UserTree(const User& user) {
  std::vector<Value> groups;
  for (const std::string& g : user.groups) groups.push_back(Value::Of(g));
  return Obj({{"username", Value::Of(user.name)}, {"groups", Value::Array(std::move(groups))}});
}

// The object as the URL names it; once the body has been read, with its name and versions
// (LogRequestObject).
Value ObjectRef(const api::Request& r, bool with_body) {
  std::string name = r.name.str();
  const Value body = r.WholeBody();
  const Value& metadata = body.Get("metadata");
  const bool look = with_body && body.is_object() && r.verb != api::Verb::kPatch;
  if (look && name.empty()) name = metadata.Get("name").AsString();
  ObjectBuilder ref;
  ref.Add("resource", Value::Of(r.resource->resource));
  ref.AddIf(!r.ns.empty(), "namespace", Value::Of(r.ns));
  ref.AddIf(!name.empty(), "name", Value::Of(name));
  if (look) {
    const std::string_view uid = metadata.Get("uid").AsString();
    const std::string_view rv = metadata.Get("resourceVersion").AsString();
    ref.AddIf(!uid.empty(), "uid", Value::Of(uid));
    ref.AddIf(!rv.empty(), "resourceVersion", Value::Of(rv));
  }
  ref.AddIf(!r.resource->group.empty(), "apiGroup", Value::Of(r.resource->group));
  ref.Add("apiVersion", Value::Of(r.resource->version));
  ref.AddIf(!r.subresource.empty(), "subresource", Value::Of(r.subresource));
  return ref.Build();
}

// Copies a Status that was the answer; for other answers the event has only the code.
Value ResponseStatus(const api::Response& response) {
  const bool is_status = response.code >= 400 || api::IsStatusBody(response);
  if (!is_status)
    return Obj({{"metadata", Value::EmptyObject()}, {"code", Value::Of(response.code)}});
  const Value status = response.status.ToTree();
  ObjectBuilder out;
  out.Add("metadata", Value::EmptyObject());
  for (const char* field : {"status", "message", "reason", "details"})
    out.AddIf(!status.Get(field).is_null(), field, status.Get(field));
  return out.Add("code", Value::Of(response.code)).Build();
}

Value Annotations(const RequestContext& rc) {
  ObjectBuilder all;
  all.Add("authorization.k8s.io/decision", Value::Of(*rc.authorized ? "allow" : "forbid"));
  all.Add("authorization.k8s.io/reason", Value::Of(rc.authorization_reason));
  for (const auto& [key, text] : rc.annotations()) all.Add(key, Value::Of(text));
  return all.Build();
}

// The options of a deletion, as client-go sends them (endpoints/handlers/delete.go DeleteResource).
Value DeleteOptionsTree(const api::Request& r) {
  const api::DeleteOptions& options = r.del;
  ObjectBuilder preconditions;
  if (options.uid) preconditions.Add("uid", Value::Of(options.uid->str()));
  if (options.resource_version)
    preconditions.Add("resourceVersion", Value::Of(options.resource_version->str()));
  const Value demands = preconditions.Build();
  ObjectBuilder out;
  out.Add("kind", Value::Of("DeleteOptions"));
  out.Add("apiVersion", Value::Of(r.resource->api_version()));
  if (options.grace_period_seconds)
    out.Add("gracePeriodSeconds", Value::Of(*options.grace_period_seconds));
  out.AddIf(!demands.empty(), "preconditions", demands);
  if (options.orphan_dependents) out.Add("orphanDependents", Value::Of(*options.orphan_dependents));
  out.AddIf(!options.propagation_policy.empty(), "propagationPolicy",
            Value::Of(options.propagation_policy.str()));
  return out.Build();
}

void AddRequestObject(const api::Request& r, ObjectBuilder* event) {
  const bool deletes = r.verb == api::Verb::kDelete || r.verb == api::Verb::kDeleteCollection;
  if (deletes && r.resource != nullptr)
    event->Add("requestObject", DeleteOptionsTree(r));
  else
    event->AddIf(!r.body.is_null(), "requestObject", r.WholeBody());
}

}  // namespace

std::string_view ToString(AuditStage stage) {
  switch (stage) {
    case AuditStage::kRequestReceived:
      return "RequestReceived";
    case AuditStage::kResponseStarted:
      return "ResponseStarted";
    case AuditStage::kResponseComplete:
      return "ResponseComplete";
  }
  return "";
}

std::string HashedUuid(std::string_view of) {
  const std::string hex = Hex(Hash128(of));
  return fmt::format("{}-{}-4{}-{}{}-{}", hex.substr(0, 8), hex.substr(8, 4), hex.substr(13, 3),
                     "89ab"[static_cast<unsigned char>(hex[16]) % 4], hex.substr(17, 3),
                     hex.substr(20, 12));
}

std::string AuditId(std::string_view server, std::uint64_t request) {
  return HashedUuid(fmt::format("audit/{}/{}", server, request));
}

void Audit(AuditLog* log, AuditStage stage, const RequestContext& rc,
           const api::Response* response) {
  if (log == nullptr) return;
  const api::Request& r = rc.request();
  const bool received = stage == AuditStage::kRequestReceived;
  ObjectBuilder event;
  event.Add("kind", Value::Of("Event"));
  event.Add("apiVersion", Value::Of("audit.k8s.io/v1"));
  event.Add("level", Value::Of(ToString(log->level())));
  event.Add("auditID", Value::Of(AuditId(rc.process().name(), rc.request().id)));
  event.Add("stage", Value::Of(ToString(stage)));
  event.Add("requestURI", Value::Of(api::RequestUri(r)));
  event.Add("verb", Value::Of(api::ToString(r.verb)));
  event.Add("user", UserTree(*rc.user));
  event.AddIf(!r.user_agent.empty(), "userAgent", Value::Of(r.user_agent));
  if (r.resource != nullptr) event.Add("objectRef", ObjectRef(r, !received));
  if (response != nullptr) event.Add("responseStatus", ResponseStatus(*response));
  const bool complete = stage == AuditStage::kResponseComplete;
  if (complete && log->level() >= AuditLevel::kRequest) AddRequestObject(r, &event);
  if (complete && response != nullptr && log->level() >= AuditLevel::kRequestResponse &&
      r.resource != nullptr && r.verb != api::Verb::kWatch)
    event.Add("responseObject", api::ResponseBody(*r.resource, r.verb, *response));
  event.Add("requestReceivedTimestamp", Value::Of(value::FormatMicroTime(rc.received())));
  event.Add("stageTimestamp", Value::Of(value::FormatMicroTime(rc.now())));
  if (!received && rc.authorized) event.Add("annotations", Annotations(rc));
  log->Add(event.Build());
}

}  // namespace ksim::apiserver
