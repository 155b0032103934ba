#include "ksim/apiserver/events.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "ksim/base/hash.h"

namespace ksim::apiserver {

using value::Obj;
using value::Value;

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

// As Hasher gathers fields (base/hash.h).
constexpr std::size_t kStreamAndNumber = 16;

void AddNumber(std::uint64_t value, std::string* out) {
  std::array<char, 8> bytes;
  PutLittleEndian(bytes.data(), value);
  out->append(bytes.data(), bytes.size());
}

void AddText(std::string_view text, std::string* out) {
  AddNumber(text.size(), out);
  out->append(text);
}

}  // namespace

WatchPayload::WatchPayload(std::uint64_t id, sim::ActorId s, const api::Request& r, std::string sel)
    : stream(id),
      server(s),
      client(sim::ActorId::Of(r.client)),
      request(r.id),
      resource(r.resource),
      ns(r.ns),
      selectors(std::move(sel)),
      rv(r.list.resource_version),
      options(OptionsText(r.list)),
      open(true),
      last_rv(0) {}

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
      .Add(server.name())
      .Add(client.name())
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

EventBody::EventBody(const api::ResourceInfo& r, api::WatchEventType t, api::Object o, bool end)
    : type(t), initial_end(end), resource(&r), object(std::move(o)) {
  hashed_.reserve(kStreamAndNumber + 7 * 8 + api::ToString(type).size() + r.resource.size() +
                  object.ns().size() + object.name().size() + object.uid().size());
  hashed_.assign(kStreamAndNumber, 0);
  AddText(api::ToString(type), &hashed_);
  AddText(resource->resource, &hashed_);
  if (!object.empty()) {
    AddText(object.ns(), &hashed_);
    AddText(object.name(), &hashed_);
    AddText(object.uid(), &hashed_);
  }
  AddNumber(static_cast<std::uint64_t>(rv()), &hashed_);
  AddNumber(std::uint64_t{initial_end}, &hashed_);
}

std::shared_ptr<const EventBody> EventBody::Bookmark(const api::ResourceInfo& r,
                                                     std::int64_t revision, bool initial_end) {
  Value metadata = Value::EmptyObject();
  if (initial_end)
    metadata = Obj({{"annotations", Obj({{"k8s.io/initial-events-end", Value::Of("true")}})}});
  api::Object object = api::Object::FromTree(Obj({{"apiVersion", Value::Of(r.api_version())},
                                                  {"kind", Value::Of(r.kind)},
                                                  {"metadata", metadata}}),
                                             revision);
  return std::make_shared<EventBody>(r, api::WatchEventType::kBookmark, std::move(object),
                                     initial_end);
}

std::uint64_t EventBody::ContentHash(std::uint64_t stream, std::uint64_t n) const {
  std::array<char, 256> inline_bytes;
  std::string more;
  char* bytes = inline_bytes.data();
  if (hashed_.size() > inline_bytes.size()) bytes = more.assign(hashed_.size(), 0).data();
  std::memcpy(bytes, hashed_.data(), hashed_.size());
  PutLittleEndian(PutLittleEndian(bytes, stream), n);
  return Hash64(std::string_view(bytes, hashed_.size()));
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
