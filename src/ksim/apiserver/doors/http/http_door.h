// HttpDoor: the door for clients that speak HTTP. It turns an HTTP request into the request of the
// server's pipeline, and answers and watch events into bytes; connections are connection.h's.
//
// Source: apiserver pkg/server/config.go DefaultBuildHandlerChain, pkg/endpoints/handlers.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "ksim/api/compat.h"
#include "ksim/api/kinds.h"
#include "ksim/apiserver/doors/http/connection.h"
#include "ksim/apiserver/doors/http/negotiation.h"
#include "ksim/apiserver/doors/http/request_info.h"
#include "ksim/apiserver/doors/pipeline.h"
#include "ksim/sim/simulation.h"

namespace ksim::apiserver::http {

struct HttpDoorOptions {
  api::Compat compat{};
  // The user that requests without credentials of their own have.
  std::string user = "system:admin";
};

class HttpDoor {
 public:
  // All outlive the door.
  HttpDoor(sim::Simulation& sim, Pipeline& pipeline, const api::Kinds& kinds,
           HttpDoorOptions options)
      : sim_(sim), pipeline_(pipeline), kinds_(kinds), options_(std::move(options)) {}

  // One client's connection at this door. The session must go before the door does.
  class Session;
  std::unique_ptr<Session> Open(const ConnectionLimits& limits);

 private:
  sim::Simulation& sim_;
  Pipeline& pipeline_;
  const api::Kinds& kinds_;
  const HttpDoorOptions options_;
  std::uint64_t next_request_ = 1;
};

class HttpDoor::Session : public RequestSink {
 public:
  Session(HttpDoor& door, const ConnectionLimits& limits);
  ~Session() override;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Connection& connection() { return *connection_; }

  void OnRequest(StreamId stream, HttpRequest request) override;
  void OnGone(StreamId stream) override;

 private:
  struct Exchange;
  struct Streams;
  class Watch;

  void ServeResource(StreamId stream, const HttpRequest& http, const Url& url,
                     const RequestInfo& info);
  void ServePath(StreamId stream, const HttpRequest& http, const Url& url, const RequestInfo& info);
  api::Status ReadRequest(const HttpRequest& http, const Url& url, Exchange* exchange,
                          api::Request* request) const;
  void RespondStatus(StreamId stream, const api::Status& status, const OutputType* type);

  HttpDoor& door_;
  std::unique_ptr<Connection> connection_;
  std::shared_ptr<Streams> streams_;  // what callbacks that outlive the session look at
};

}  // namespace ksim::apiserver::http
