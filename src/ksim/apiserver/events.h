// Payloads of the bus events that the API server emits. trace/ renders them. Other layers emit
// `watch` and `event` too, with payloads of their own: a reader tells them apart by dynamic_cast.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "ksim/api/request.h"
#include "ksim/sim/bus.h"

namespace ksim::apiserver {

// The pipeline of a request.
enum class Stage : std::uint8_t { kAuthenticate, kAuthorize, kDefault, kAdmit, kValidate, kStore };
std::string_view ToString(Stage s);  // "authenticate" ... "store"

// kStage
struct StagePayload final : sim::Payload {
  StagePayload(std::uint64_t id, Stage s, std::string r)
      : request(id), stage(s), result(std::move(r)) {}
  std::uint64_t ContentHash() const override;
  std::uint64_t request;
  Stage stage;
  std::string result;  // "ok", or why it was refused
};

// kWatch: a client's watch begins to be served, and ends.
struct WatchPayload final : sim::Payload {
  WatchPayload(std::uint64_t id, std::string s, const api::Request& r, std::string sel, bool o,
               std::int64_t last, std::string why);
  // The end of the watch that `opened` told of.
  WatchPayload(const WatchPayload& opened, std::int64_t last, std::string_view why);
  std::uint64_t ContentHash() const override;
  std::uint64_t stream;
  std::string server;  // kube-apiserver-0
  std::string client;  // the process that watches
  std::uint64_t request;
  const api::ResourceInfo* resource;
  std::string ns;
  std::string selectors;  // "app=web", "spec.nodeName=n1", both with ';' between
  std::string rv;         // start, as sent
  std::string options;    // "bookmarks,sendInitialEvents=true,timeoutSeconds=300", those given
  bool open;
  std::int64_t last_rv;  // close: the highest revision sent
  std::string reason;    // close: timeout, client, error, reinit, server
};

// kEvent: one event of a client's watch, put on the wire.
struct EventPayload final : sim::Payload {
  EventPayload(std::uint64_t id, const api::ResourceInfo* r, const api::WatchEvent& event)
      : stream(id),
        n(event.n),
        type(event.type),
        resource(r),
        object(event.object),
        initial_end(event.initial_end) {}
  std::uint64_t ContentHash() const override;
  std::int64_t rv() const { return object.empty() ? 0 : object.resource_version(); }
  std::uint64_t stream;
  std::uint64_t n;
  api::WatchEventType type;
  const api::ResourceInfo* resource;
  api::Object object;  // namespace, name and uid are its; empty for ERROR
  bool initial_end;
};

}  // namespace ksim::apiserver
