// The payloads of the events that clients emit: `request`, `response`, `deliver`, `handler`,
// `relist`, `cache` and `reconcile`. ContentHash covers the fields that the trace shows; what else
// a payload holds (a request's body) is for readers of the live run.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/api/request.h"
#include "ksim/base/internal/shared_text.h"
#include "ksim/base/time.h"
#include "ksim/sim/bus.h"

namespace ksim::client {

struct RequestPayload : sim::Payload {
  RequestPayload(api::Request&& r, SharedText s) : request(std::move(r)), server(std::move(s)) {}
  std::uint64_t ContentHash() const override;
  api::Request request;  // `event` is not set yet
  SharedText server;
};

// The options of a request as sent, by their Kubernetes names, in a fixed order: the trace's
// `params`.
struct RequestParam {
  RequestParam(std::string_view n, SharedText v) : name(n), value(std::move(v)) {}
  std::string_view name;
  SharedText value;
};
std::vector<RequestParam> RequestParams(const api::Request& request);

struct ResponsePayload : sim::Payload {
  std::uint64_t ContentHash() const override;
  std::uint64_t id = 0;  // of the request
  int code = 0;          // 0 = a transport failure
  SharedText reason;
  std::int64_t rv = 0;
  api::Response::From from = api::Response::From::kNone;
  std::uint64_t items = 0;
  std::uint64_t items_hash = 0;  // lists only
  SharedText continue_token;
  bool lost = false;  // the answer never arrived
  Duration latency;
  api::Object object;  // the answer, for readers of the live run
  api::Status status;
};

struct DeliverPayload : sim::Payload {
  std::uint64_t ContentHash() const override;
  std::uint64_t stream = 0;
  std::uint64_t n = 0;
  api::WatchEventType type = api::WatchEventType::kAdded;
  const api::ResourceInfo* resource = nullptr;
  api::Object object;  // empty for ERROR
  bool initial_end = false;
};

enum class HandlerCall : std::uint8_t { kAdd, kUpdate, kDelete };
std::string_view ToString(HandlerCall call);  // "add" "update" "delete"

struct HandlerPayload : sim::Payload {
  std::uint64_t ContentHash() const override;
  SharedText informer;  // "PROCESS RESOURCE"
  sim::ActorId listener;
  HandlerCall type = HandlerCall::kAdd;
  const api::ResourceInfo* resource = nullptr;
  api::Object object;      // new object, or the last known one at a delete
  api::Object old_object;  // update only
  bool initial = false;
  bool tombstone = false;
};

enum class RelistReason : std::uint8_t { kStart, kExpired, kTooLarge, kError };
std::string_view ToString(RelistReason reason);  // "start" "expired" "tooLarge" "error"

struct RelistPayload : sim::Payload {
  std::uint64_t ContentHash() const override;
  SharedText informer;
  const api::ResourceInfo* resource = nullptr;
  std::vector<std::uint64_t> requests;  // ids of the requests that led to it
  SharedText rv;                        // asked for in the last of them: "", "0" or a number
  std::int64_t got_rv = 0;
  std::uint64_t items = 0;
  std::uint64_t items_hash = 0;
  RelistReason reason = RelistReason::kStart;
};

struct CachePayload : sim::Payload {
  std::uint64_t ContentHash() const override;
  SharedText informer;
  std::int64_t rv = 0;
  std::uint64_t items = 0;
  std::uint64_t items_hash = 0;
};

struct ReconcilePayload : sim::Payload {
  std::uint64_t ContentHash() const override;
  SharedText controller;
  SharedText key;
  std::string_view state;  // "begin" or "end"
  std::string result;      // end only
};

}  // namespace ksim::client
