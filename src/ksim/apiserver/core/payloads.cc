#include "ksim/apiserver/core/payloads.h"

#include <fmt/format.h>

#include <array>

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

WatchParameters::WatchParameters(const api::Request& r, std::string_view selectors)
    : request(r.id), resource(r.resource), client(sim::ActorId::Of(r.client)) {
  const std::string options = OptionsText(r.list);
  const std::array<std::string_view, 4> texts{r.ns, selectors, r.list.resource_version, options};
  std::size_t size = 0;
  for (const std::string_view text : texts) size += text.size();
  texts_ = std::make_unique_for_overwrite<char[]>(size + 1);
  std::size_t end = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    end += texts[i].copy(texts_.get() + end, texts[i].size());
    if (i < ends_.size()) ends_[i] = static_cast<std::uint32_t>(end);
  }
  texts_[end] = 0;
}

WatchPayload::WatchPayload(std::uint64_t id, sim::ActorId s, const WatchParameters& parameters)
    : stream(id),
      server(s),
      client(parameters.client),
      request(parameters.request),
      resource(parameters.resource),
      ns(parameters.ns()),
      selectors(parameters.selectors()),
      rv(parameters.rv()),
      options(parameters.options()) {}

WatchPayload::WatchPayload(std::uint64_t id, sim::ActorId s, const WatchParameters& parameters,
                           std::int64_t last, std::string_view why)
    : WatchPayload(id, s, parameters) {
  open = false;
  last_rv = last;
  reason = why;
}

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

std::uint64_t WebhookPayload::ContentHash() const {
  return Hasher()
      .Add(request)
      .Add(type)
      .Add(configuration)
      .Add(webhook)
      .Add(url)
      .Add(server)
      .Add(round)
      .Add(state)
      .Add(result)
      .Add(message)
      .Add(latency.ns())
      .Digest();
}

EventBody::EventBody(const api::ResourceInfo& r, api::WatchEventType t, api::Object o, bool end)
    : type(t), initial_end(end), resource(&r), object(std::move(o)), hashed_(Hashed()) {}

EventBody::EventBody(const api::ResourceInfo& r, const api::Status& why)
    : type(api::WatchEventType::kError),
      initial_end(false),
      resource(&r),
      error(std::make_shared<const api::Status>(why)),
      hashed_(Hashed()) {}

// The bytes that a payload's hash is made of: room for stream and n, then the rest as Hasher
// gathers it.
std::string EventBody::Hashed() const {
  std::string text;
  text.reserve(kStreamAndNumber + 7 * 8 + api::ToString(type).size() + resource->known_as().size() +
               object.ns().size() + object.name().size() + object.uid().size());
  text.assign(kStreamAndNumber, 0);
  AddText(api::ToString(type), &text);
  AddText(resource->known_as(), &text);
  if (!object.empty()) {
    AddText(object.ns(), &text);
    AddText(object.name(), &text);
    AddText(object.uid(), &text);
  }
  AddNumber(static_cast<std::uint64_t>(rv()), &text);
  AddNumber(std::uint64_t{initial_end}, &text);
  return text;
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

namespace {

// The bytes that Hasher gathers for a stage that was passed: always the same, but for the request's
// number, which comes first.
struct PassedText {
  explicit PassedText(Stage stage) {
    std::string text(8, 0);
    AddText(ToString(stage), &text);
    AddText("ok", &text);
    size = text.copy(bytes.data(), bytes.size());
  }
  std::array<char, 40> bytes{};  // more than the longest takes
  std::size_t size;
};

std::uint64_t HashPassed(std::uint64_t request, Stage stage) {
  static const std::array<PassedText, 6> texts{
      PassedText(Stage::kAuthenticate), PassedText(Stage::kAuthorize), PassedText(Stage::kDefault),
      PassedText(Stage::kAdmit),        PassedText(Stage::kValidate),  PassedText(Stage::kStore)};
  PassedText text = texts[static_cast<std::size_t>(stage)];
  PutLittleEndian(text.bytes.data(), request);
  return Hash64(std::string_view(text.bytes.data(), text.size));
}

}  // namespace

// Half of all events are stages that were passed: their text is made once.
std::uint64_t StagePayload::ContentHash() const {
  if (refusal.empty()) return HashPassed(request, stage);
  return Hasher().Add(request).Add(ToString(stage)).Add(result()).Digest();
}

}  // namespace ksim::apiserver
