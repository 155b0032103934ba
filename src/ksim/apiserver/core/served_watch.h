// ServedWatch: the server's end of one client's watch (upstream: WatchServer). It numbers the
// events, emits each on the bus, hands it to the client's sink, and closes exactly once.
//
// Source: apiserver pkg/endpoints/handlers/watch.go.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "ksim/api/request.h"
#include "ksim/apiserver/core/payloads.h"
#include "ksim/base/time.h"
#include "ksim/sim/simulation.h"

namespace ksim::apiserver {

class ServedWatch;

// The API server that serves the watches. It outlives them.
class WatchHost {
 public:
  WatchHost(sim::Simulation& s, sim::ActorId a) : sim(s), actor(a) {}
  virtual ~WatchHost() = default;
  // A watch has been closed after ServeUntil. The caller keeps it alive.
  virtual void OnClosed(const ServedWatch& stream) = 0;

  sim::Simulation& sim;
  const sim::ActorId actor;
  // Shared::drop_bookmark; null: nobody keeps bookmarks back.
  const std::function<bool(std::string_view, const api::ResourceInfo&)>* drop_bookmark = nullptr;
};

class ServedWatch {
 public:
  using Reply = absl::AnyInvocable<void(api::Response)>;
  ServedWatch(WatchHost& host, std::uint64_t id, const api::Request& request,
              std::string_view selectors, Reply reply, std::shared_ptr<api::WatchSink> sink);
  ServedWatch(const ServedWatch&) = delete;
  ServedWatch& operator=(const ServedWatch&) = delete;

  std::uint64_t id() const { return id_; }
  const api::ResourceInfo& resource() const { return *parameters_.resource; }
  std::string_view client() const { return parameters_.client.name(); }
  std::uint64_t cause() const { return cause_; }  // the request
  bool accepted() const { return accepted_; }
  bool closed() const { return closed_; }

  // Answers the request: Accept with 200, after which events may be sent; Refuse with an error,
  // which closes the watch.
  void Accept(api::Response::From from);
  void Refuse(const api::Status& status);
  // The watch is open: the host learns when it is closed, and closes it at `deadline`.
  void ServeUntil(VirtualTime deadline) { deadline_ = deadline; }
  VirtualTime deadline() const { return deadline_; }
  // Gives the running step the context of the request: its cause, and whether it is background.
  void AdoptRequestContext();

  // Sends an event; after Close it does nothing. `object_hash` is api::ObjectHash, `cause` the
  // number of the event that led to it. Returns false if the client does not read: the next event
  // should wait until it does.
  bool Send(const std::shared_ptr<const EventBody>& body, std::uint64_t object_hash,
            std::uint64_t cause);
  // `cause`: of the event; 0: the request.
  void SendError(const api::Status& status, std::uint64_t cause = 0);
  // Closes the watch; a second call does nothing. `reason` is for the trace, a literal: timeout,
  // client, error, reinit, server, slow, overwritten.
  void Close(api::StreamEnd how, std::string_view reason);

 private:
  void Answer(api::Response response);
  // Whether a fault keeps back this bookmark. A server need send none (Reflector: "doesn't assume
  // bookmarks are returned at all"), but for that which ends the initial state.
  bool KeepsBack(const EventBody& body) const;

  // The members that Send needs come first: one event goes to thousands of watches.
  WatchHost& host_;
  std::uint64_t id_;
  std::uint64_t sent_ = 0;
  std::int64_t last_revision_ = 0;
  std::shared_ptr<api::WatchSink> sink_;
  bool accepted_ = false;
  bool closed_ = false;
  bool background_, unawaited_;  // sim::Context of the request
  std::uint64_t cause_;
  std::unique_ptr<Reply> reply_;  // null once it has been given
  VirtualTime deadline_;          // 0 until it is served
  WatchParameters parameters_;
};

}  // namespace ksim::apiserver
