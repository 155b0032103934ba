#include "ksim/apiserver/events.h"

#include <fmt/format.h>

#include "ksim/base/hash.h"

namespace ksim::apiserver {
namespace {

std::string OptionsText(const api::ListOptions& o) {
  std::string text;
  const auto add = [&](const std::string& option) {
    text.append(text.empty() ? "" : ",").append(option);
  };
  if (o.allow_watch_bookmarks) add("bookmarks");
  if (o.send_initial_events)
    add(fmt::format("sendInitialEvents={}", *o.send_initial_events ? "true" : "false"));
  if (!o.resource_version_match.empty()) add("resourceVersionMatch=" + o.resource_version_match);
  if (o.timeout_seconds) add(fmt::format("timeoutSeconds={}", *o.timeout_seconds));
  return text;
}

}  // namespace

WatchPayload::WatchPayload(std::uint64_t id, std::string s, const api::Request& r, std::string sel,
                           bool o, std::int64_t last, std::string why)
    : stream(id),
      server(std::move(s)),
      client(r.client),
      request(r.id),
      resource(r.resource),
      ns(r.ns),
      selectors(std::move(sel)),
      rv(r.list.resource_version),
      options(OptionsText(r.list)),
      open(o),
      last_rv(last),
      reason(std::move(why)) {}

WatchPayload::WatchPayload(const WatchPayload& o, std::int64_t last, std::string_view why)
    : sim::Payload(),
      stream(o.stream),
      server(o.server),
      client(o.client),
      request(o.request),
      resource(o.resource),
      ns(o.ns),
      selectors(o.selectors),
      rv(o.rv),
      options(o.options),
      open(false),
      last_rv(last),
      reason(why) {}

std::uint64_t WatchPayload::ContentHash() const {
  return Hasher()
      .Add(stream)
      .Add(server)
      .Add(client)
      .Add(request)
      .Add(resource->group_resource())
      .Add(ns)
      .Add(selectors)
      .Add(rv)
      .Add(options)
      .Add(open)
      .Add(last_rv)
      .Add(reason)
      .Digest();
}

std::uint64_t EventPayload::ContentHash() const {
  Hasher h;
  h.Add(stream).Add(n).Add(api::ToString(type)).Add(resource->resource);
  if (!object.empty()) h.Add(object.ns()).Add(object.name()).Add(object.uid());
  return h.Add(rv()).Add(initial_end).Digest();
}

std::string_view ToString(Stage s) {
  switch (s) {
    case Stage::kAuthenticate:
      return "authenticate";
    case Stage::kAuthorize:
      return "authorize";
    case Stage::kDefault:
      return "default";
    case Stage::kAdmit:
      return "admit";
    case Stage::kValidate:
      return "validate";
    case Stage::kStore:
      return "store";
  }
  return "";
}

std::uint64_t StagePayload::ContentHash() const {
  return Hasher().Add(request).Add(ToString(stage)).Add(result).Digest();
}

}  // namespace ksim::apiserver
