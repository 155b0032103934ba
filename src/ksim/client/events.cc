#include "ksim/client/events.h"

#include <fmt/format.h>

#include "ksim/base/hash.h"

namespace ksim::client {
namespace {

void AddObject(Hasher& hash, const api::ResourceInfo* resource, const api::Object& o) {
  hash.Add(resource == nullptr ? std::string_view() : std::string_view(resource->resource));
  if (o.empty()) {
    hash.Add("").Add("").Add("").Add(std::int64_t{0});
    return;
  }
  hash.Add(o.ns()).Add(o.name()).Add(o.uid()).Add(o.resource_version());
}

void AddText(std::vector<RequestParam>& out, std::string_view name, const SharedText& value) {
  if (!value.empty()) out.emplace_back(name, value);
}

void AddListParams(std::vector<RequestParam>& out, const api::ListOptions& l) {
  if (l.allow_watch_bookmarks) out.emplace_back("allowWatchBookmarks", "true");
  AddText(out, "continue", l.continue_token);
  AddText(out, "fieldSelector", l.field_selector);
  AddText(out, "labelSelector", l.label_selector);
  if (l.limit != 0) out.emplace_back("limit", fmt::format("{}", l.limit));
  AddText(out, "resourceVersion", l.resource_version);
  AddText(out, "resourceVersionMatch", l.resource_version_match);
  if (l.send_initial_events) {
    out.emplace_back("sendInitialEvents", *l.send_initial_events ? "true" : "false");
  }
  if (l.timeout_seconds) {
    out.emplace_back("timeoutSeconds", fmt::format("{}", *l.timeout_seconds));
  }
}

void AddDeleteParams(std::vector<RequestParam>& out, const api::DeleteOptions& d) {
  if (d.grace_period_seconds) {
    out.emplace_back("gracePeriodSeconds", fmt::format("{}", *d.grace_period_seconds));
  }
  if (d.orphan_dependents) {
    out.emplace_back("orphanDependents", *d.orphan_dependents ? "true" : "false");
  }
  AddText(out, "propagationPolicy", d.propagation_policy);
}

}  // namespace

std::vector<RequestParam> RequestParams(const api::Request& r) {
  std::vector<RequestParam> out;
  AddListParams(out, r.list);
  AddDeleteParams(out, r.del);
  if (r.dry_run) out.emplace_back("dryRun", "All");
  AddText(out, "fieldManager", r.field_manager);
  AddText(out, "fieldValidation", r.field_validation);
  if (r.force) out.emplace_back("force", "true");
  if (r.verb == api::Verb::kPatch) {
    out.emplace_back("patchType", std::string(api::ContentType(r.patch_type)));
  }
  return out;
}

std::uint64_t RequestPayload::ContentHash() const {
  const api::Request& r = request;
  Hasher hash;
  hash.Add(r.id).Add(server).Add(api::ToString(r.verb)).Add(r.resource->resource);
  hash.Add(r.subresource).Add(r.ns).Add(r.name).Add(r.believed_uid);
  hash.Add(r.del.uid.value_or("")).Add(r.del.resource_version.value_or(""));
  for (const RequestParam& p : RequestParams(r)) hash.Add(p.name).Add(p.value);
  hash.Add(r.user);
  return hash.Digest();
}

std::uint64_t ResponsePayload::ContentHash() const {
  Hasher hash;
  hash.Add(id).Add(code).Add(reason).Add(rv).Add(static_cast<std::uint64_t>(from));
  hash.Add(items).Add(items_hash).Add(continue_token).Add(lost).Add(latency.ns());
  return hash.Digest();
}

std::uint64_t DeliverPayload::ContentHash() const {
  Hasher hash;
  hash.Add(stream).Add(n).Add(api::ToString(type));
  AddObject(hash, resource, object);
  hash.Add(initial_end);
  return hash.Digest();
}

std::string_view ToString(HandlerCall call) {
  switch (call) {
    case HandlerCall::kAdd:
      return "add";
    case HandlerCall::kUpdate:
      return "update";
    case HandlerCall::kDelete:
      break;
  }
  return "delete";
}

std::uint64_t HandlerPayload::ContentHash() const {
  Hasher hash;
  hash.Add(informer.view()).Add(listener.name()).Add(ToString(type));
  AddObject(hash, resource, object);
  hash.Add(old_object.empty() ? std::string_view() : old_object.uid());
  hash.Add(old_object.empty() ? 0 : old_object.resource_version());
  hash.Add(initial).Add(tombstone);
  return hash.Digest();
}

std::string_view ToString(RelistReason reason) {
  switch (reason) {
    case RelistReason::kStart:
      return "start";
    case RelistReason::kExpired:
      return "expired";
    case RelistReason::kTooLarge:
      return "tooLarge";
    case RelistReason::kError:
      break;
  }
  return "error";
}

std::uint64_t RelistPayload::ContentHash() const {
  Hasher hash;
  hash.Add(informer.view()).Add(resource->resource);
  hash.Add(static_cast<std::uint64_t>(requests.size()));
  for (const std::uint64_t id : requests) hash.Add(id);
  hash.Add(rv).Add(got_rv).Add(items).Add(items_hash).Add(ToString(reason));
  return hash.Digest();
}

std::uint64_t CachePayload::ContentHash() const {
  return Hasher().Add(informer.view()).Add(rv).Add(items).Add(items_hash).Digest();
}

std::uint64_t ReconcilePayload::ContentHash() const {
  return Hasher().Add(controller).Add(key).Add(state).Add(result).Digest();
}

}  // namespace ksim::client
