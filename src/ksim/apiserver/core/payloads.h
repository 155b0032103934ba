// Payloads of the events that the API server emits on the simulation's bus. trace/ renders them.
// Other layers emit `watch` and `event` too, with payloads of their own: a reader distinguishes
// them by dynamic_cast.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "ksim/api/request.h"
#include "ksim/base/hash.h"
#include "ksim/base/time.h"
#include "ksim/sim/bus.h"

namespace ksim::apiserver {

// The pipeline of a request.
enum class Stage : std::uint8_t { kAuthenticate, kAuthorize, kDefault, kAdmit, kValidate, kStore };
std::string_view ToString(Stage s);  // "authenticate" ... "store"

// kStage
struct StagePayload final : sim::Payload {
  StagePayload(std::uint64_t id, Stage s, SharedText r)
      : request(id), stage(s), refusal(std::move(r)) {}
  std::string_view result() const { return refusal.empty() ? "ok" : refusal.view(); }
  std::uint64_t ContentHash() const override;
  std::uint64_t request;
  Stage stage;
  SharedText refusal;  // why it was refused; "" if it was not
};

// The request of a watch, which both its begin and its end report. Thousands of watches wait for
// their end, so the texts share one piece of memory.
class WatchParameters {
 public:
  WatchParameters(const api::Request& r, std::string_view selectors);
  std::uint64_t request;
  const api::ResourceInfo* resource;
  sim::ActorId client;
  std::string_view ns() const { return Text(0, ends_[0]); }
  std::string_view selectors() const { return Text(ends_[0], ends_[1]); }
  std::string_view rv() const { return Text(ends_[1], ends_[2]); }
  std::string_view options() const { return texts_.get() + ends_[2]; }

 private:
  std::string_view Text(std::size_t from, std::size_t to) const {
    return std::string_view(texts_.get() + from, to - from);
  }
  std::array<std::uint32_t, 3> ends_;  // of the first three texts
  std::unique_ptr<char[]> texts_;      // one after the other, and a zero
};

// kWatch: a client's watch begins to be served, and ends.
struct WatchPayload final : sim::Payload {
  WatchPayload(std::uint64_t id, sim::ActorId s, const WatchParameters& parameters);
  // The end of that watch.
  WatchPayload(std::uint64_t id, sim::ActorId s, const WatchParameters& parameters,
               std::int64_t last, std::string_view why);
  std::uint64_t ContentHash() const override;
  std::uint64_t stream;
  sim::ActorId server;  // kube-apiserver-0
  sim::ActorId client;  // the process that watches
  std::uint64_t request;
  const api::ResourceInfo* resource;
  std::string ns;
  std::string selectors;  // "app=web", "spec.nodeName=n1", both with ';' between
  std::string rv;         // start, as sent
  std::string options;    // "bookmarks,sendInitialEvents=true,timeoutSeconds=300", those given
  bool open = true;
  std::int64_t last_rv = 0;  // close: the highest revision sent
  // close: timeout, client, error, reinit, server, slow, overwritten; a literal
  std::string_view reason;
};

// The content of a watch event. All watches that send the same event share one body.
class EventBody {
 public:
  EventBody(const api::ResourceInfo& r, api::WatchEventType t, api::Object o, bool end = false);
  EventBody(const api::ResourceInfo& r, const api::Status& why);  // ERROR
  static std::shared_ptr<const EventBody> Bookmark(const api::ResourceInfo& r,
                                                   std::int64_t revision, bool initial_end);
  std::int64_t rv() const { return object.empty() ? 0 : object.resource_version(); }
  // The hash of a payload with this body.
  std::uint64_t ContentHash(std::uint64_t stream, std::uint64_t n) const {
    return hashed_.Digest(stream, n);
  }

  const api::WatchEventType type;
  const bool initial_end;
  const api::ResourceInfo* const resource;
  const api::Object object;  // namespace, name and uid are its; empty for ERROR
  const std::shared_ptr<const api::Status> error;  // of an ERROR, else null

 private:
  std::string Hashed() const;

  Hash64Rest hashed_;
};

// kWebhook: an API server calls an admission webhook, and has its answer.
struct WebhookPayload final : sim::Payload {
  WebhookPayload() = default;
  std::uint64_t ContentHash() const override;
  std::uint64_t request = 0;  // the API request that is judged; 0 of a conversion
  std::string_view type;      // "mutating", "validating" or "converting"; a literal
  std::string configuration;  // the name of its object; of a conversion, the definition's
  std::string webhook;        // its name in there; of a conversion "NAMESPACE/NAME to VERSION"
  std::string url;            // "https://svc.ns.svc:443/path?timeout=10s"
  std::string server;         // the process that serves it; "" if nobody does
  std::int64_t round = 0;     // 1: called once more, because another plugin changed the object
  std::string_view state;     // "call" or "answer"; a literal
  // answer: allowed, patched, denied, converted, failed, ignored (failed, and its failurePolicy is
  // Ignore); a literal
  std::string_view result;
  std::string message;  // answer: why it was denied, or failed
  Duration latency;     // answer: since the call
};

// kEvent: one event of a client's watch, put on the wire.
struct EventPayload final : sim::Payload {
  EventPayload(std::uint64_t id, std::uint64_t number, std::shared_ptr<const EventBody> b)
      : stream(id), n(number), body(std::move(b)) {}
  std::uint64_t ContentHash() const override { return body->ContentHash(stream, n); }
  std::uint64_t stream;
  std::uint64_t n;
  std::shared_ptr<const EventBody> body;  // never null
};

}  // namespace ksim::apiserver
