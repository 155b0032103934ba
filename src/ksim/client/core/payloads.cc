#include "ksim/client/core/payloads.h"

#include <fmt/format.h>

#include <optional>

#include "ksim/base/hash.h"

namespace ksim::client {
namespace {

void AddObject(Hasher& hash, const api::ResourceInfo* resource, const api::Object& o) {
  hash.Add(resource == nullptr ? std::string_view() : std::string_view(resource->known_as()));
  if (o.empty()) {
    hash.Add("").Add("").Add("").Add(std::int64_t{0});
    return;
  }
  hash.Add(o.ns()).Add(o.name()).Add(o.uid()).Add(o.resource_version());
}

template <class Take>
void ListParams(const api::ListOptions& l, const Take& take) {
  if (l.allow_watch_bookmarks) take("allowWatchBookmarks", "true");
  take("continue", l.continue_token);
  take("fieldSelector", l.field_selector);
  take("labelSelector", l.label_selector);
  if (l.limit != 0) take("limit", fmt::format_int(l.limit).str());
  take("resourceVersion", l.resource_version);
  take("resourceVersionMatch", l.resource_version_match);
  if (l.send_initial_events) take("sendInitialEvents", *l.send_initial_events ? "true" : "false");
  if (l.timeout_seconds) take("timeoutSeconds", fmt::format_int(*l.timeout_seconds).str());
}

template <class Take>
void DeleteParams(const api::DeleteOptions& d, const Take& take) {
  if (d.grace_period_seconds)
    take("gracePeriodSeconds", fmt::format_int(*d.grace_period_seconds).str());
  if (d.orphan_dependents) take("orphanDependents", *d.orphan_dependents ? "true" : "false");
  take("propagationPolicy", d.propagation_policy);
}

// Calls visit(name, value) for each param, in their order.
template <class Visit>
void EachParam(const api::Request& r, Visit visit) {
  const auto take = [&visit](std::string_view name, std::string_view value) {
    if (!value.empty()) visit(name, value);
  };
  ListParams(r.list, take);
  DeleteParams(r.del, take);
  if (r.dry_run) take("dryRun", "All");
  take("fieldManager", r.field_manager);
  take("fieldValidation", r.field_validation);
  if (r.force) take("force", "true");
  if (r.verb == api::Verb::kPatch) take("patchType", api::ContentType(r.patch_type));
}

std::string_view TextOf(const std::optional<SharedText>& text) {
  return text ? text->view() : std::string_view();
}

}  // namespace

std::vector<RequestParam> RequestParams(const api::Request& r) {
  std::vector<RequestParam> out;
  EachParam(
      r, [&out](std::string_view name, std::string_view value) { out.emplace_back(name, value); });
  return out;
}

std::uint64_t RequestPayload::ContentHash() const {
  const api::Request& r = request;
  Hasher hash;
  hash.Add(r.id).Add(server).Add(api::ToString(r.verb)).Add(r.resource->known_as());
  hash.Add(r.subresource).Add(r.ns).Add(r.name).Add(r.believed_uid);
  hash.Add(TextOf(r.del.uid)).Add(TextOf(r.del.resource_version));
  EachParam(r,
            [&hash](std::string_view name, std::string_view value) { hash.Add(name).Add(value); });
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
  hash.Add(informer.view()).Add(resource->known_as());
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
